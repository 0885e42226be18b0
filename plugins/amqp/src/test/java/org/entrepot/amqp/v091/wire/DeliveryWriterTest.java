package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.RoutingKey;
import org.junit.jupiter.api.Test;

class DeliveryWriterTest {
    private static final byte[] TAG = ShortString.encode("ctag");
    private static final RoutingKey KEY = RoutingKey.of("key");
    private static final Bytes HEADER = Bytes.wrap(Wire.bytes("1000 02"));
    private static final Bytes BODY = Bytes.utf8("hello");

    private final DeliveryWriter writer = new DeliveryWriter(4096);
    private final ByteBuf out = Unpooled.buffer();

    @Test
    void writesADeliveryToTheByte() {
        writer.deliver(out, 1, TAG, 7, true, "ex", KEY, HEADER, BODY);

        assertThat(Wire.bytes(out)).isEqualTo(Wire.bytes("""
                                01 0001 00000019 003c003c `ctag` 0000000000000007 01 `ex` `key` ce
                                02 0001 0000000f 003c 0000 0000000000000005 1000 02 ce
                                03 0001 00000005 'hello' ce
                                """));
    }

    @Test
    void writesAGetOkToTheByte() {
        writer.getOk(out, 0x8001, 7, false, "", KEY, 3, HEADER, BODY);

        assertThat(Wire.bytes(out)).isEqualTo(Wire.bytes("""
                                01 8001 00000016 003c0047 0000000000000007 00 `` `key` 00000003 ce
                                02 8001 0000000f 003c 0000 0000000000000005 1000 02 ce
                                03 8001 00000005 'hello' ce
                                """));
    }

    @Test
    void writesAReturnToTheByte() {
        writer.returned(out, 1, ReplyCode.NO_ROUTE, "ex", KEY, HEADER, BODY);

        assertThat(Wire.bytes(out)).isEqualTo(Wire.bytes("""
                                01 0001 00000016 003c0032 0138 `NO_ROUTE` `ex` `key` ce
                                02 0001 0000000f 003c 0000 0000000000000005 1000 02 ce
                                03 0001 00000005 'hello' ce
                                """));
    }

    @Test
    void writesAcknowledgementsToTheByte() {
        DeliveryWriter.ack(out, 1, 9, true);
        DeliveryWriter.ack(out, 2, 1, false);
        DeliveryWriter.nack(out, 3, 0x0102030405060708L, true);
        DeliveryWriter.nack(out, 4, 2, false);

        assertThat(Wire.bytes(out)).isEqualTo(Wire.bytes("""
                                01 0001 0000000d 003c0050 0000000000000009 01 ce
                                01 0002 0000000d 003c0050 0000000000000001 00 ce
                                01 0003 0000000d 003c0078 0102030405060708 01 ce
                                01 0004 0000000d 003c0078 0000000000000002 00 ce
                                """));
    }

    @Test
    void writesNoBodyFrameForAnEmptyBody() {
        writer.deliver(out, 1, TAG, 7, true, "ex", KEY, HEADER, Bytes.EMPTY);

        assertThat(lines()).hasSize(2).last().asString().isEqualTo("header 1 003c00000000000000000000100002");
    }

    @Test
    void splitsBodiesAtTheFrameSize() {
        for (int length : new int[] {1, 4087, 4088, 4089, 8176, 8177, 20_000}) {
            byte[] body = new byte[length];
            new Random(length).nextBytes(body);
            ByteBuf out = Unpooled.buffer();
            writer.deliver(out, 1, TAG, 7, true, "ex", KEY, HEADER, Bytes.wrap(body));

            List<Integer> sizes = new ArrayList<>();
            ByteBuf joined = Unpooled.buffer();
            for (int at = 0; at < out.writerIndex(); at += 8 + out.getInt(at + 3)) {
                if (out.getByte(at) == Frames.BODY) {
                    sizes.add(8 + out.getInt(at + 3));
                    joined.writeBytes(out, at + 7, out.getInt(at + 3));
                }
            }
            assertThat(sizes).hasSize((length + 4087) / 4088).allMatch(size -> size <= 4096);
            assertThat(sizes.subList(0, sizes.size() - 1)).allMatch(size -> size == 4096);
            assertThat(Wire.bytes(joined)).isEqualTo(body);
        }
    }

    @Test
    void writesBodiesOfSeveralPieces() {
        Bytes body = Bytes.concat(List.of(Bytes.wrap(new byte[3000]), Bytes.wrap(new byte[3000]), BODY));
        writer.deliver(out, 1, TAG, 7, true, "ex", KEY, HEADER, body);

        assertThat(lines()).extracting(line -> line.substring(0, 4)).containsExactly("meth", "head", "body");
        assertThat(out.writerIndex()).isEqualTo(33 + 23 + 6005 + 16);
    }

    @Test
    void reservesExactlyWhatItWrites() {
        for (int length : new int[] {0, 1, 4088, 4089, 9000}) {
            Bytes body = Bytes.wrap(new byte[length]);
            ByteBuf measured = Unpooled.buffer();
            writer.deliver(measured, 1, TAG, 7, true, "ex", KEY, HEADER, body);
            ByteBuf exact = Unpooled.buffer(1, measured.readableBytes());

            writer.deliver(exact, 1, TAG, 7, true, "ex", KEY, HEADER, body);

            assertThat(exact).isEqualTo(measured);
        }
        ByteBuf getOk = Unpooled.buffer(1, 30 + 23 + 13);
        writer.getOk(getOk, 1, 7, false, "", KEY, 3, HEADER, BODY);
        assertThat(getOk.isWritable()).isFalse();
        ByteBuf returned = Unpooled.buffer(1, 30 + 23 + 13);
        writer.returned(returned, 1, ReplyCode.NO_ROUTE, "ex", KEY, HEADER, BODY);
        assertThat(returned.isWritable()).isFalse();
        ByteBuf ack = Unpooled.buffer(1, 21);
        DeliveryWriter.ack(ack, 1, 1, false);
        assertThat(ack.isWritable()).isFalse();
    }

    @Test
    void followsTheExchangeFromDeliveryToDelivery() {
        for (String exchange : new String[] {"a", "a", "", "b\u00e9", "a"}) {
            ByteBuf out = Unpooled.buffer();
            writer.deliver(out, 1, TAG, 7, false, exchange, KEY, HEADER, BODY);

            assertThat(method(out))
                    .isInstanceOfSatisfying(
                            Method.BasicDeliver.class,
                            deliver -> assertThat(deliver.exchange()).isEqualTo(Bytes.utf8(exchange)));
        }
    }

    @Test
    void cutsNamesThatDoNotFitAShortStringBetweenCharacters() {
        String name = "x".repeat(253) + "\u20ac\u20ac";
        writer.deliver(out, 1, TAG, 7, false, name, RoutingKey.of(name), HEADER, BODY);

        assertThat(method(out)).isInstanceOfSatisfying(Method.BasicDeliver.class, deliver -> {
            assertThat(deliver.exchange()).isEqualTo(Bytes.utf8("x".repeat(253)));
            assertThat(deliver.routingKey()).isEqualTo(Bytes.utf8("x".repeat(253)));
        });
        assertThat(lines()).hasSize(3);
    }

    @Test
    void writesTheLongestNamesWhole() {
        String name = "x".repeat(252) + "\u20ac";
        writer.deliver(out, 1, TAG, 7, false, name, RoutingKey.of(name), HEADER, BODY);

        assertThat(method(out)).isInstanceOfSatisfying(Method.BasicDeliver.class, deliver -> {
            assertThat(deliver.exchange()).isEqualTo(Bytes.utf8(name));
            assertThat(deliver.routingKey()).isEqualTo(Bytes.utf8(name));
        });
    }

    @Test
    void capsTheMessageCount() {
        writer.getOk(out, 1, 7, false, "", KEY, 1L << 40, HEADER, BODY);

        assertThat(method(out))
                .isInstanceOfSatisfying(
                        Method.BasicGetOk.class,
                        ok -> assertThat(ok.messageCount()).isEqualTo(0xFFFF_FFFFL));
    }

    @Test
    void refusesFramesWithoutRoom() {
        assertThatThrownBy(() -> new DeliveryWriter(8)).isInstanceOf(IllegalArgumentException.class);
    }

    private List<String> lines() {
        Wire.Transcript transcript = new Wire.Transcript();
        new FrameDecoder(4096).read(out.duplicate(), transcript);
        return transcript.lines;
    }

    private static Method method(ByteBuf out) {
        return MethodReader.read(out.getInt(7), out, 11, out.getInt(3) - 4);
    }
}
