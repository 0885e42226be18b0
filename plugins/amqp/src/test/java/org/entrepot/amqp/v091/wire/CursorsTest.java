package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.entrepot.spi.message.Bytes;
import org.junit.jupiter.api.Test;

class CursorsTest {
    private final PublishCursor publish = new PublishCursor();
    private final AckCursor ack = new AckCursor();

    @Test
    void findsExchangeAndKeyOfAPublish() {
        ByteBuf buffer = parsePublish("1234 `ex` `a.key` 02");

        assertThat(text(buffer, publish.exchangeIndex(), publish.exchangeLength()))
                .isEqualTo("ex");
        assertThat(text(buffer, publish.keyIndex(), publish.keyLength())).isEqualTo("a.key");
        assertThat(publish.mandatory()).isFalse();
        assertThat(publish.immediate()).isTrue();
    }

    @Test
    void findsEmptyAndLongestNamesOfAPublish() {
        parsePublish("0000 `` `` 00");
        assertThat(publish.exchangeLength()).isZero();
        assertThat(publish.keyLength()).isZero();
        assertThat(publish.mandatory()).isFalse();

        String longest = "n".repeat(255);
        ByteBuf buffer = parsePublish("0000 `" + longest + "` `" + longest + "` 01");
        assertThat(text(buffer, publish.exchangeIndex(), publish.exchangeLength()))
                .isEqualTo(longest);
        assertThat(text(buffer, publish.keyIndex(), publish.keyLength())).isEqualTo(longest);
        assertThat(publish.mandatory()).isTrue();
        assertThat(publish.immediate()).isFalse();
    }

    @Test
    void agreesWithTheReaderOfMethods() {
        byte[] frame =
                Wire.frame(1, new Method.BasicPublish(Bytes.utf8("x"), Bytes.wrap(new byte[] {-1}), true, false));
        ByteBuf buffer = Unpooled.wrappedBuffer(frame);
        publish.parse(buffer, 11, frame.length - 12);

        assertThat(MethodCodecTest.read(frame))
                .isEqualTo(new Method.BasicPublish(
                        Bytes.copyOf(buffer, publish.exchangeIndex(), publish.exchangeLength()),
                        Bytes.copyOf(buffer, publish.keyIndex(), publish.keyLength()),
                        publish.mandatory(),
                        publish.immediate()));
    }

    @Test
    void refusesEveryPublishThatIsCutShortOrTooLong() {
        byte[] whole = Wire.bytes("0000 `ex` `key` 00");
        for (int length = 0; length <= whole.length + 3; length++) {
            if (length != whole.length) {
                ByteBuf buffer = Unpooled.wrappedBuffer(Arrays.copyOf(whole, length), new byte[300]);
                int announced = length;
                WireException refusal =
                        catchThrowableOfType(WireException.class, () -> publish.parse(buffer, 0, announced));

                assertThat(refusal).as("refusal of %d bytes", length).isNotNull();
                assertThat(refusal.code()).isEqualTo(ReplyCode.FRAME_ERROR);
                assertThat(refusal.text()).startsWith("cannot decode <<");
                assertThat(refusal.method()).isEqualTo(Methods.BASIC_PUBLISH);
            }
        }
    }

    @Test
    void readsAcknowledgements() {
        parseAck(Methods.BASIC_ACK, "0000000000000007 01");
        assertAck(7, true, false);
        parseAck(Methods.BASIC_ACK, "0000000000000000 fe");
        assertAck(0, false, false);
        parseAck(Methods.BASIC_NACK, "0000000000000001 01");
        assertAck(1, true, false);
        parseAck(Methods.BASIC_NACK, "0000000000000001 02");
        assertAck(1, false, true);
        parseAck(Methods.BASIC_REJECT, "ffffffffffffffff 01");
        assertAck(-1, false, true);
        parseAck(Methods.BASIC_REJECT, "0000000000000001 fe");
        assertAck(1, false, false);
    }

    @Test
    void refusesAcknowledgementsOfAnotherSize() {
        for (int length : new int[] {0, 8, 10}) {
            WireException refusal = catchThrowableOfType(
                    WireException.class,
                    () -> ack.parse(Methods.BASIC_NACK, Unpooled.wrappedBuffer(new byte[20]), 0, length));

            assertThat(refusal.code()).isEqualTo(ReplyCode.FRAME_ERROR);
            assertThat(refusal.method()).isEqualTo(Methods.BASIC_NACK);
        }
    }

    private ByteBuf parsePublish(String arguments) {
        byte[] bytes = Wire.bytes(arguments);
        ByteBuf buffer = Unpooled.wrappedBuffer(new byte[5], bytes, new byte[5]);
        publish.parse(buffer, 5, bytes.length);
        return buffer;
    }

    private void parseAck(int method, String arguments) {
        ack.parse(method, Wire.buffer("ff" + arguments + "ff"), 1, 9);
    }

    private void assertAck(long tag, boolean multiple, boolean requeue) {
        assertThat(ack.deliveryTag()).isEqualTo(tag);
        assertThat(ack.multiple()).isEqualTo(multiple);
        assertThat(ack.requeue()).isEqualTo(requeue);
    }

    private static String text(ByteBuf buffer, int index, int length) {
        return buffer.toString(index, length, StandardCharsets.UTF_8);
    }
}
