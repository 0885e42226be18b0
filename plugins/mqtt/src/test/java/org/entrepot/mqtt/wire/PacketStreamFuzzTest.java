package org.entrepot.mqtt.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.entrepot.spi.message.Bytes;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are packets or a clean refusal, the same wherever the input is cut; a PUBLISH is stored so that it is read. */
class PacketStreamFuzzTest {
    private static final int PACKET_MAX = 4_096;

    @MethodSource("seeds")
    @FuzzTest
    void readsTheSameAtAnyCut(byte @NotNull [] data) {
        List<String> whole = read(data, Math.max(1, data.length));
        int hash = Arrays.hashCode(data);

        assertThat(read(data, 1)).isEqualTo(whole);
        assertThat(read(data, 2 + (hash & 15))).isEqualTo(whole);
        assertThat(read(data, 8 + (hash >>> 4 & 255))).isEqualTo(whole);
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                Wire.bytes("c0 []"),
                Wire.bytes("30 [ `a/b` [] 'hello' ] 32 [ `` 0001 [ 23 0001 ] ] c0 []"),
                Wire.bytes(
                        "3d [ `a` 0007 [ 01 01 02 0000000a 23 0001 03 `t` 08 `r` 09 0001 ff 26 `k` `v` 26 `k` `w` ] 'x' ]"),
                Wire.bytes("30 [ `a/+` [] ] 36 [ `a` 0001 [] ]"),
                Wire.bytes("c08000 30ffffff7f"),
                Wire.bytes("30 [ `a` ffffffff7f ]"),
                Wire.bytes("308080808000"));
    }

    /** What comes of the input in reads of so many bytes. */
    private static List<String> read(byte[] data, int size) {
        List<String> lines = new ArrayList<>();
        int[] room = new int[1];
        PublishCursor cursor = new PublishCursor();
        PacketFramer framer = new PacketFramer(PACKET_MAX, change -> room[0] += change);
        PacketFramer.Sink sink = (head, buffer, start, index, length) -> {
            assertThat(index - start + length).isLessThanOrEqualTo(PACKET_MAX);
            byte[] bytes = new byte[index + length - start];
            buffer.getBytes(start, bytes);
            lines.add(Wire.hex(bytes));
            if (Packets.type(head) == Packets.PUBLISH) {
                lines.add(publish(cursor, head, buffer, index, length));
            }
        };
        try {
            for (int at = 0; at < data.length; at += size) {
                framer.read(Unpooled.wrappedBuffer(data, at, Math.min(size, data.length - at)), sink);
                assertThat(framer.keptBytes()).isLessThanOrEqualTo(PACKET_MAX);
            }
        } catch (PacketException e) {
            lines.add(e.reason() + " " + e.text());
            assertThat(room[0]).isZero();
        }
        framer.stop();
        assertThat(room[0]).isZero();
        return lines;
    }

    private static String publish(PublishCursor cursor, int head, ByteBuf buffer, int index, int length) {
        cursor.parse(head, buffer, index, length, true);
        byte[] header = new byte[StoredHeader.length(new byte[0], cursor.storedPropertiesLength())];
        cursor.copyStoredProperties(header, StoredHeader.write(header, cursor.qos(), cursor.retain(), new byte[0]));
        StoredProperties stored = new StoredProperties(Bytes.wrap(header));
        int end = cursor.payloadIndex() + cursor.payloadLength();
        assertThat(end).isEqualTo(index + length);
        return stored.user() + " " + stored.contentType() + " " + stored.responseTopic() + " " + cursor.expirySeconds();
    }
}
