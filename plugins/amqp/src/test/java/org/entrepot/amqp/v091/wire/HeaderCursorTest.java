package org.entrepot.amqp.v091.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.junit.jupiter.api.Test;

class HeaderCursorTest {
    /** Every property, in order. */
    private static final String FULL = """
            fffc `text` `gz` [ `h` 'b' 07 `v` 'V' ] 02 09 `cor` `reply` `5000` `mid` 0000000065000000 `type` `guest` `app` `cl`
            """;

    private final HeaderCursor header = new HeaderCursor();

    @Test
    void findsWhatTheBrokerNeedsAmongAllProperties() {
        ByteBuf buffer = parse(5, FULL);

        assertThat(header.bodySize()).isEqualTo(5);
        assertThat(header.persistent()).isTrue();
        assertThat(header.priority()).isEqualTo(9);
        assertThat(header.ttlMillis()).isEqualTo(5000);
        assertThat(text(buffer, header.userIdIndex(), header.userIdLength())).isEqualTo("guest");
        assertThat(text(buffer, header.replyToIndex(), header.replyToLength())).isEqualTo("reply");
        assertThat(header.hasCopies()).isFalse();
        assertThat(header.copies()).isEmpty();
        assertThat(header.blindCopies()).isEmpty();
    }

    @Test
    void findsNothingWhereNothingIsSet() {
        parse(0, "0000");

        assertThat(header.bodySize()).isZero();
        assertThat(header.persistent()).isFalse();
        assertThat(header.priority()).isEqualTo(Envelope.NO_PRIORITY);
        assertThat(header.ttlMillis()).isEqualTo(Envelope.NO_TTL);
        assertThat(header.userIdIndex()).isEqualTo(HeaderCursor.ABSENT);
        assertThat(header.replyToIndex()).isEqualTo(HeaderCursor.ABSENT);
        assertThat(header.hasCopies()).isFalse();
        assertThat(header.headerLength()).isEqualTo(2);
    }

    @Test
    void forgetsTheHeaderBefore() {
        parse(9, "2800 [ `CC` 'A' [ 'S' ['a'] ] `BCC` 'A' [ 'S' ['b'] ] ] 05");
        assertThat(header.hasCopies()).isTrue();
        parse(0, "0000");

        assertThat(header.hasCopies()).isFalse();
        assertThat(header.copies()).isEmpty();
        assertThat(header.headerLength()).isEqualTo(2);
        assertThat(header.priority()).isEqualTo(Envelope.NO_PRIORITY);
    }

    @Test
    void onlyDeliveryModeTwoIsPersistent() {
        for (int mode = 0; mode < 256; mode++) {
            parse(0, "1000" + String.format("%02x", mode));

            assertThat(header.persistent()).isEqualTo(mode == 2);
        }
    }

    @Test
    void copiesTheHeaderAsItCame() {
        parse(5, FULL);

        assertThat(copied()).isEqualTo(Wire.bytes(FULL));
    }

    @Test
    void givesTheKeysOfCcAndBccThatAreLongStrings() {
        parse(
                5,
                "2000 [ `CC` 'A' [ 'S' ['a'] 'b' 01 'A' [ 'S' ['no'] ] 'S' ['b'] ] `BCC` 'A' [ 'S' ['cc'] ] `z` 'b' 01 ]");

        assertThat(header.hasCopies()).isTrue();
        assertThat(header.copies()).containsExactly(RoutingKey.of("a"), RoutingKey.of("b"));
        assertThat(header.blindCopies()).containsExactly(RoutingKey.of("cc"));
    }

    @Test
    void leavesEveryBccOutOfTheCopy() {
        parse(5, "b000 `t` [ `BCC` 'A' [ 'S' ['cc'] ] `a` 'b' 01 `BCC` 'A' [ 'S' ['dd'] ] `z` 'V' ] 02");

        assertThat(header.blindCopies()).containsExactly(RoutingKey.of("cc"));
        assertThat(copied()).isEqualTo(Wire.bytes("b000 `t` [ `a` 'b' 01 `z` 'V' ] 02"));
    }

    @Test
    void leavesAnEmptyTableWhereBccWasAlone() {
        parse(5, "2000 [ `BCC` 'A' [ 'S' ['cc'] ] ]");

        assertThat(copied()).isEqualTo(Wire.bytes("2000 []"));
    }

    @Test
    void takesOnlyTheExactNamesForCopies() {
        parse(5, "2000 [ `cc` 'V' `bcc` 'V' `CCC` 'V' `BCCX` 'V' `t` 'F' [ `CC` 'V' `BCC` 'V' ] ]");

        assertThat(header.hasCopies()).isFalse();
    }

    @Test
    void refusesCopiesOfAnotherType() {
        parse(5, "2000 [ `CC` 'S' ['ab'] ]");
        assertSoft(header::copies, "invalid message: {unacceptable_type_in_header,\"CC\",longstr}");

        parse(5, "2000 [ `BCC` 'u' 0001 ]");
        assertSoft(header::blindCopies, "invalid message: {unacceptable_type_in_header,\"BCC\",unsignedshort}");
    }

    @Test
    void readsExpirationsAsRabbitMqDoes() {
        assertThat(expiration("0")).isZero();
        assertThat(expiration("+7")).isEqualTo(7);
        assertThat(expiration("-0")).isZero();
        assertThat(expiration("60000")).isEqualTo(60000);
        assertThat(expiration("00000000000000000000000000000012")).isEqualTo(12);
        assertThat(expiration("315360000000")).isEqualTo(315_360_000_000L);
    }

    @Test
    void refusesExpirationsInTheWordsOfRabbitMq() {
        assertBadExpiration("", "no_integer");
        assertBadExpiration("abc", "no_integer");
        assertBadExpiration("-", "no_integer");
        assertBadExpiration(" 5", "no_integer");
        assertBadExpiration("5x", "{leftover_string,\"x\"}");
        assertBadExpiration("1.5", "{leftover_string,\".5\"}");
        assertBadExpiration("5\"\\\n", "{leftover_string,\"\\\"\\\\\\n\"}");
        assertBadExpiration("5\u0001\u0002", "{leftover_string,[1,2]}");
        assertBadExpiration("-1", "{value_negative,-1}");
        assertBadExpiration("-99999999999999999999", "{value_negative,-99999999999999999999}");
        assertBadExpiration("315360000001", "{value_too_large,315360000001}");
        assertBadExpiration("99999999999999999999", "{value_too_large,99999999999999999999}");
        assertBadExpiration("-1x", "{leftover_string,\"x\"}");
    }

    @Test
    void refusesOtherClassesAndWeights() {
        assertHard(
                "0032 0000 0000000000000000 0000",
                ReplyCode.UNEXPECTED_FRAME,
                "expected content header for class 60, got one for class 50 instead");
        assertHard(
                "003c 0001 0000000000000000 0000",
                ReplyCode.UNEXPECTED_FRAME,
                "expected content header for class 60, got non content header frame instead");
    }

    @Test
    void refusesBodiesThatAreTooLargeWhenTheyAreAnnounced() {
        assertHard(
                "003c 0000 0000000020000001 0000",
                ReplyCode.FRAME_ERROR,
                "content body size 536870913 exceeds maximum allowed size 536870912");
        assertHard("003c 0000 ffffffffffffffff 0000", ReplyCode.FRAME_ERROR, "content body size 18446744073709551615 ");
        parse(1 << 29, "0000");
        assertThat(header.bodySize()).isEqualTo(1 << 29);
    }

    @Test
    void refusesFlagsWithoutMeaning() {
        assertHard("003c 0000 0000000000000000 0001 0000", ReplyCode.INTERNAL_ERROR, "unknown property flags 1");
        assertHard("003c 0000 0000000000000000 0002", ReplyCode.INTERNAL_ERROR, "unknown property flags 10");
    }

    @Test
    void refusesEveryHeaderThatIsCutShortOrTooLong() {
        byte[] whole = payload(5, FULL);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertHard(cut, ReplyCode.FRAME_ERROR, "malformed content header");
        }
        assertHard(Arrays.copyOf(whole, whole.length + 1), ReplyCode.FRAME_ERROR, "malformed content header");
    }

    @Test
    void refusesHeadersThatAreNoTable() {
        assertHard(payload(0, "2000 00000003 01'k' 'Z'"), ReplyCode.INTERNAL_ERROR, "unknown field type 'Z'");
        assertHard(payload(0, "2000 00000003 01'k' 'b'"), ReplyCode.FRAME_ERROR, "malformed field table");
        assertHard(payload(0, "2000 ffffffff 01'k' 'b'"), ReplyCode.FRAME_ERROR, "malformed content header");
        byte[] bomb = Bombs.nested('A', FieldTable.DEPTH_MAX + 1);
        assertHard(
                Wire.join(payload(0, "2000" + String.format("%08x", bomb.length)), bomb),
                ReplyCode.FRAME_ERROR,
                "nested more than 32 deep");
    }

    private long expiration(String text) {
        byte[] latin1 = text.getBytes(StandardCharsets.ISO_8859_1);
        parse(0, "0100" + String.format("%02x", latin1.length) + Wire.hex(latin1));
        return header.ttlMillis();
    }

    private void assertBadExpiration(String text, String reason) {
        assertSoft(() -> expiration(text), "invalid expiration '" + text + "': " + reason);
    }

    private static void assertSoft(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String text) {
        WireException refusal = catchThrowableOfType(WireException.class, call);
        assertThat(refusal).as("refusal").isNotNull();
        assertThat(refusal.code()).isEqualTo(ReplyCode.PRECONDITION_FAILED);
        assertThat(refusal.code().closesConnection()).isFalse();
        assertThat(refusal.text()).isEqualTo(text);
        assertThat(refusal.method()).isEqualTo(Methods.BASIC_PUBLISH);
    }

    private void assertHard(String payload, ReplyCode code, String text) {
        assertHard(Wire.bytes(payload), code, text);
    }

    private void assertHard(byte[] payload, ReplyCode code, String text) {
        // Bytes behind that must not be touched.
        ByteBuf buffer = Unpooled.wrappedBuffer(payload, new byte[64]);
        WireException refusal =
                catchThrowableOfType(WireException.class, () -> header.parse(buffer, 0, payload.length));
        assertThat(refusal).as("refusal of %s", Wire.hex(payload)).isNotNull();
        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal.code().closesConnection()).isTrue();
        assertThat(refusal.text()).contains(text);
    }

    private ByteBuf parse(long bodySize, String properties) {
        byte[] payload = payload(bodySize, properties);
        ByteBuf buffer = Unpooled.wrappedBuffer(new byte[3], payload, new byte[3]);
        header.parse(buffer, 3, payload.length);
        return buffer;
    }

    private static byte[] payload(long bodySize, String properties) {
        return Wire.join(Wire.bytes("003c 0000" + String.format("%016x", bodySize)), Wire.bytes(properties));
    }

    private byte[] copied() {
        byte[] target = new byte[header.headerLength() + 4];
        header.copyHeader(target, 2);
        assertThat(target).startsWith(0, 0).endsWith(0, 0);
        return Arrays.copyOfRange(target, 2, target.length - 2);
    }

    private static String text(ByteBuf buffer, int index, int length) {
        return buffer.toString(index, length, StandardCharsets.UTF_8);
    }
}
