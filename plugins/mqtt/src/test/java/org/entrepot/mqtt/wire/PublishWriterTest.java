package org.entrepot.mqtt.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.entrepot.spi.message.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written is read by another's codec as it was meant, and is as large as was said before. */
class PublishWriterTest {
    private static final int[] NO_IDS = {};
    private static final Bytes NO_HEADER = Bytes.EMPTY;

    private final List<EmbeddedChannel> channels = new ArrayList<>();

    @AfterEach
    void finish() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    /** A codec that knows its client's version. */
    private EmbeddedChannel codec(boolean version5) {
        EmbeddedChannel channel = new EmbeddedChannel(new MqttDecoder(1 << 28));
        channels.add(channel);
        channel.writeInbound(
                Wire.buffer(version5 ? "10 [ `MQTT` 05 02 0000 [] `c` ]" : "10 [ `MQTT` 04 02 0000 `c` ]"));
        Object connect = channel.readInbound();
        assertThat(connect).isInstanceOf(MqttConnectMessage.class);
        return channel;
    }

    private static MqttMessage read(EmbeddedChannel codec, ByteBuf out) {
        codec.writeInbound(out);
        MqttMessage message = codec.readInbound();
        assertThat(message.decoderResult().isSuccess())
                .as("%s", message.decoderResult())
                .isTrue();
        Object other = codec.readInbound();
        assertThat(other).as("what else was read").isNull();
        return message;
    }

    private static Bytes header(String properties) {
        byte[] block = Wire.bytes(properties);
        byte[] id = "client".getBytes(StandardCharsets.UTF_8);
        byte[] header = new byte[StoredHeader.length(id, block.length)];
        int at = StoredHeader.write(header, 1, false, id);
        System.arraycopy(block, 0, header, at, block.length);
        return Bytes.wrap(header);
    }

    @Test
    void everyQosAndFlagIsReadBackInBothVersions() {
        for (boolean version5 : new boolean[] {false, true}) {
            EmbeddedChannel codec = codec(version5);
            PublishWriter writer = new PublishWriter(version5, Integer.MAX_VALUE);
            for (int qos = 0; qos <= 2; qos++) {
                for (int flags = 0; flags < 4; flags++) {
                    boolean duplicate = qos > 0 && (flags & 1) != 0;
                    boolean retain = (flags & 2) != 0;
                    assertThat(writer.topic(Topics.key("a.b/c"))).isTrue();
                    ByteBuf out = Unpooled.buffer();
                    writer.publish(
                            out,
                            qos,
                            duplicate,
                            retain,
                            700 + qos,
                            NO_HEADER,
                            0,
                            PublishWriter.NO_EXPIRY,
                            NO_IDS,
                            0,
                            0,
                            false,
                            Bytes.utf8("payload"));
                    MqttPublishMessage message = (MqttPublishMessage) read(codec, out);

                    assertThat(message.fixedHeader().qosLevel().value()).isEqualTo(qos);
                    assertThat(message.fixedHeader().isDup()).isEqualTo(duplicate);
                    assertThat(message.fixedHeader().isRetain()).isEqualTo(retain);
                    assertThat(message.variableHeader().topicName()).isEqualTo("a.b/c");
                    if (qos > 0) {
                        assertThat(message.variableHeader().packetId()).isEqualTo(700 + qos);
                    }
                    assertThat(message.variableHeader().properties().isEmpty()).isTrue();
                    assertThat(message.payload().toString(StandardCharsets.UTF_8))
                            .isEqualTo("payload");
                    message.release();
                }
            }
        }
    }

    @Test
    void storedPropertiesExpiryAliasAndIdentifiersAreReadBack() {
        Bytes header = header("01 01 03 `text/plain` 26 `k` `1` 26 `k` `2` 09 0002 00ff 08 `re/ply`");
        PublishWriter writer = new PublishWriter(true, Integer.MAX_VALUE);
        writer.topic(Topics.key("t"));
        ByteBuf out = Unpooled.buffer();
        writer.publish(
                out,
                1,
                false,
                false,
                9,
                header,
                StoredHeader.propertiesIndex(header),
                77,
                new int[] {1, 128, 268_435_455, 5},
                3,
                3,
                false,
                Bytes.utf8("p"));
        MqttPublishMessage message = (MqttPublishMessage) read(codec(true), out);

        MqttProperties properties = message.variableHeader().properties();
        assertThat(properties.getProperty(Property.PAYLOAD_FORMAT).value()).isEqualTo(1);
        assertThat(properties.getProperty(Property.MESSAGE_EXPIRY).value()).isEqualTo(77);
        assertThat(properties.getProperty(Property.TOPIC_ALIAS).value()).isEqualTo(3);
        assertThat(properties.getProperty(Property.CONTENT_TYPE).value()).isEqualTo("text/plain");
        assertThat(properties.getProperty(Property.RESPONSE_TOPIC).value()).isEqualTo("re/ply");
        assertThat((byte[]) properties.getProperty(Property.CORRELATION_DATA).value())
                .containsExactly(0, 0xFF);
        assertThat(properties.getProperties(Property.SUBSCRIPTION_ID))
                .extracting(property -> property.value())
                .containsExactly(1, 128, 268_435_455);
        assertThat(((MqttProperties.UserProperties) properties.getProperty(Property.USER_PROPERTY)).value())
                .extracting(pair -> pair.key + "=" + pair.value)
                .containsExactly("k=1", "k=2");
        assertThat(message.payload().toString(StandardCharsets.UTF_8)).isEqualTo("p");
        message.release();
    }

    @Test
    void anAliasThatIsKnownStandsForTheTopic() {
        PublishWriter writer = new PublishWriter(true, Integer.MAX_VALUE);
        writer.topic(Topics.key("a/long/topic"));
        ByteBuf out = Unpooled.buffer();
        writer.publish(
                out, 0, false, false, 0, NO_HEADER, 0, PublishWriter.NO_EXPIRY, NO_IDS, 0, 2, true, Bytes.utf8("p"));

        assertThat(Wire.hex(Wire.bytes(out))).isEqualTo(Wire.hex(Wire.bytes("30 [ `` [ 23 0002 ] 'p' ]")));
    }

    @Test
    void versionFourHasNoProperties() {
        Bytes header = header("01 01 26 `k` `1`");
        PublishWriter writer = new PublishWriter(false, Integer.MAX_VALUE);
        writer.topic(Topics.key("t"));
        ByteBuf out = Unpooled.buffer();
        writer.publish(
                out,
                1,
                false,
                false,
                9,
                header,
                StoredHeader.propertiesIndex(header),
                77,
                new int[] {1},
                1,
                0,
                false,
                Bytes.utf8("p"));

        assertThat(Wire.hex(Wire.bytes(out))).isEqualTo(Wire.hex(Wire.bytes("32 [ `t` 0009 'p' ]")));
    }

    @Test
    void anExpiryThatIsTooLongIsTheLongest() {
        PublishWriter writer = new PublishWriter(true, Integer.MAX_VALUE);
        writer.topic(Topics.key("t"));
        ByteBuf out = Unpooled.buffer();
        writer.publish(out, 0, false, false, 0, NO_HEADER, 0, 1L << 40, NO_IDS, 0, 0, false, Bytes.EMPTY);

        assertThat(Wire.hex(Wire.bytes(out))).isEqualTo(Wire.hex(Wire.bytes("30 [ `t` [ 02 ffffffff ] ]")));
    }

    @Test
    void whatFitsIsWhatIsWrittenAtEveryBoundary() {
        Random random = new Random(11);
        for (int i = 0; i < 3_000; i++) {
            boolean version5 = random.nextBoolean();
            int qos = random.nextInt(3);
            String topic = "t".repeat(1 + random.nextInt(200));
            int propertiesLength = random.nextInt(3) == 0 ? random.nextInt(20_000) : random.nextInt(140);
            Bytes header = Bytes.wrap(new byte[propertiesLength]);
            long expiry = random.nextBoolean() ? PublishWriter.NO_EXPIRY : 10;
            int[] ids = {1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152};
            int idCount = random.nextInt(ids.length + 1);
            int alias = version5 ? random.nextInt(3) : 0;
            Bytes payload = Bytes.wrap(new byte[random.nextInt(5) == 0 ? random.nextInt(40_000) : random.nextInt(150)]);
            PublishWriter writer = new PublishWriter(version5, Integer.MAX_VALUE);
            writer.topic(Topics.key(topic));
            ByteBuf out = Unpooled.buffer();
            boolean known = alias > 0 && random.nextBoolean();
            writer.publish(out, qos, false, false, 1, header, 0, expiry, ids, idCount, alias, known, payload);
            int size = out.readableBytes();
            PacketFramer framer = new PacketFramer(size, change -> {});
            int[] packets = new int[1];
            framer.read(out, (head, buffer, start, index, length) -> packets[0]++);

            assertThat(packets[0]).isEqualTo(1);
            assertThat(framer.keptBytes()).isZero();
            assertThat(size).isLessThanOrEqualTo(writer.room(propertiesLength, idCount, payload.length()));
            assertThat(fits(
                            version5,
                            size,
                            topic,
                            qos,
                            propertiesLength,
                            expiry,
                            ids,
                            idCount,
                            alias,
                            known,
                            payload.length()))
                    .isTrue();
            assertThat(fits(
                            version5,
                            size - 1,
                            topic,
                            qos,
                            propertiesLength,
                            expiry,
                            ids,
                            idCount,
                            alias,
                            known,
                            payload.length()))
                    .isFalse();
        }
    }

    private static boolean fits(
            boolean version5,
            int packetMax,
            String topic,
            int qos,
            int propertiesLength,
            long expiry,
            int[] ids,
            int idCount,
            int alias,
            boolean known,
            int payload) {
        PublishWriter writer = new PublishWriter(version5, packetMax);
        writer.topic(Topics.key(topic));
        return writer.fits(qos, propertiesLength, expiry, ids, idCount, alias, known, payload);
    }

    @Test
    void topicsOfAnyLengthComeOneAfterTheOther() {
        PublishWriter writer = new PublishWriter(true, Integer.MAX_VALUE);
        EmbeddedChannel codec = codec(true);
        Random random = new Random(2);
        for (int i = 0; i < 500; i++) {
            String topic = "t".repeat(1 + random.nextInt(i % 50 == 0 ? 30_000 : 80)) + random.nextInt(3) + "./*";
            assertThat(writer.topic(Topics.key(topic))).isTrue();
            assertThat(writer.topic(Topics.key(topic))).isTrue();
            ByteBuf out = Unpooled.buffer();
            writer.publish(
                    out, 0, false, false, 0, NO_HEADER, 0, PublishWriter.NO_EXPIRY, NO_IDS, 0, 0, false, Bytes.EMPTY);
            MqttPublishMessage message = (MqttPublishMessage) read(codec, out);
            assertThat(message.variableHeader().topicName()).isEqualTo(topic);
            message.release();
        }
    }

    @Test
    void aKeyThatIsNoTopicIsKnownAsSuchAgain() {
        PublishWriter writer = new PublishWriter(true, Integer.MAX_VALUE);
        org.entrepot.spi.message.RoutingKey none = org.entrepot.spi.message.RoutingKey.of("a.#");

        assertThat(writer.topic(none)).isFalse();
        assertThat(writer.topic(none)).isFalse();
        assertThat(writer.topic(Topics.key("a"))).isTrue();
        assertThat(writer.topic(none)).isFalse();
        assertThat(writer.topic(org.entrepot.spi.message.RoutingKey.EMPTY)).isFalse();
        assertThat(new PublishWriter(true, 10).topic(org.entrepot.spi.message.RoutingKey.EMPTY))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {Packets.PUBACK, Packets.PUBREC, Packets.PUBREL, Packets.PUBCOMP})
    void answersAreReadBack(int type) {
        EmbeddedChannel codec = codec(true);
        for (int reason : new int[] {Reason.SUCCESS, Reason.PACKET_ID_NOT_FOUND, Reason.QUOTA_EXCEEDED}) {
            ByteBuf out = Unpooled.buffer();
            PublishWriter.answer(out, type, 65_535, reason);
            assertThat(out.readableBytes()).isEqualTo(reason == Reason.SUCCESS ? 4 : 5);
            MqttMessage message = read(codec, out);
            MqttPubReplyMessageVariableHeader header = (MqttPubReplyMessageVariableHeader) message.variableHeader();

            assertThat(message.fixedHeader().messageType()).isEqualTo(MqttMessageType.valueOf(type));
            assertThat(header.messageId()).isEqualTo(65_535);
            assertThat(header.reasonCode() & 0xFF).isEqualTo(reason);
        }
    }

    @Test
    void aPongIsReadBack() {
        ByteBuf out = Unpooled.buffer();
        PublishWriter.pong(out);
        assertThat(out.readableBytes()).isEqualTo(2);

        assertThat(read(codec(false), out).fixedHeader().messageType()).isEqualTo(MqttMessageType.PINGRESP);
    }
}
