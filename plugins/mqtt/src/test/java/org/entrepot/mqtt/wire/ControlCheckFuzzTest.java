package org.entrepot.mqtt.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.util.ReferenceCountUtil;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Any packet is refused cleanly, or is one that the codec reads to its end. */
class ControlCheckFuzzTest {

    @MethodSource("seeds")
    @FuzzTest
    void whatIsFineIsReadByTheCodec(byte @NotNull [] data) {
        for (int level = 3; level <= 5; level++) {
            check(data, level);
        }
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                Wire.bytes(
                        "10 [ `MQTT` 05 f6 003c [ 11 0000000a 21 0001 15 `S` 16 0001 ff ] `c` [ 18 00000005 26 `k` `v` ]"
                                + " `w` 0001 ff `u` `p` ]"),
                Wire.bytes("10 [ `MQTT` 04 c6 000a `c` `will` `bye` `user` `password` ]"),
                Wire.bytes("10 [ `MQIsdp` 03 02 0000 `c` ]"),
                Wire.bytes("82 [ ffff [ 0b ffffff7f 26 `k` `v` ] `a/b` 2e `c` 1d ]"),
                Wire.bytes("82 [ 0001 `a/b` 00 `c` 01 ]"),
                Wire.bytes("a2 [ 0001 [ 26 `k` `v` ] `a/b` ]"),
                Wire.bytes("e0 [ 04 [ 11 00000005 1f `why` ] ]"),
                Wire.bytes("f0 [ 18 [ 15 `SCRAM` 16 0002 00ff ] ]"),
                Wire.bytes("40 [ 0001 10 [ 1f `why` ] ]"),
                Wire.bytes("62 [ 0001 ]"));
    }

    private static void check(byte[] data, int level) {
        ByteBuf buffer = Unpooled.copiedBuffer(data);
        new PacketFramer(1 << 20, change -> {}).read(buffer, new PacketFramer.Sink() {
            private boolean done;

            @Override
            public void packet(int head, ByteBuf in, int start, int index, int length) {
                // Only the first: others are checked alike.
                if (!done) {
                    done = true;
                    if (isFine(head, in, index, length, level)) {
                        decode(in.slice(start, index + length - start), level, Packets.type(head));
                    }
                }
            }
        });
    }

    private static boolean isFine(int head, ByteBuf buffer, int index, int length, int level) {
        try {
            switch (Packets.type(head)) {
                case Packets.CONNECT -> {
                    return ControlCheck.connect(head, buffer, index, length) == level;
                }
                case Packets.SUBSCRIBE -> ControlCheck.subscribe(head, buffer, index, length, level);
                case Packets.UNSUBSCRIBE -> ControlCheck.unsubscribe(head, buffer, index, length, level);
                case Packets.DISCONNECT -> ControlCheck.disconnect(head, buffer, index, length, level);
                case Packets.AUTH -> ControlCheck.auth(head, buffer, index, length, level);
                case Packets.PUBACK, Packets.PUBREC, Packets.PUBREL, Packets.PUBCOMP ->
                    ControlCheck.answer(head, buffer, index, length, level);
                default -> {
                    return false;
                }
            }
            return true;
        } catch (PacketException | ControlCheck.UnknownLevelException refused) {
            return false;
        }
    }

    /** One packet goes in, one message comes out, and nothing is kept. */
    private static void decode(ByteBuf packet, int level, int type) {
        EmbeddedChannel codec = new EmbeddedChannel(new MqttDecoder(Integer.MAX_VALUE, 65_535, true));
        if (type != Packets.CONNECT) {
            codec.writeInbound(Wire.buffer(
                    level == 5
                            ? "10 [ `MQTT` 05 02 0000 [] `c` ]"
                            : level == 4 ? "10 [ `MQTT` 04 02 0000 `c` ]" : "10 [ `MQIsdp` 03 02 0000 `c` ]"));
            Object read = codec.readInbound();
            assertThat(read).isInstanceOf(MqttConnectMessage.class);
        }
        codec.writeInbound(packet.retain());
        MqttMessage message = codec.readInbound();
        assertThat(message).as("message of a packet of type %d", type).isNotNull();
        Object read2 = codec.readInbound();
        assertThat(read2).isNull();
        ReferenceCountUtil.release(message);
        codec.finishAndReleaseAll();
    }
}
