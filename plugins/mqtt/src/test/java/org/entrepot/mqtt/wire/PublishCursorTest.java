package org.entrepot.mqtt.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A PUBLISH is read where it stands, or refused with the reason that the specification has for it (3.3). */
class PublishCursorTest {
    private static final String ALIAS = "23 0005";
    private static final String EXPIRY = "02 00000e10";
    private static final String FORMAT = "01 01";
    private static final String TYPE = "03 `text/plain`";
    private static final String RESPONSE = "08 `reply/to`";
    private static final String CORRELATION = "09 `\1\2`";
    private static final String USER = "26 `k` `v`";
    private static final String USER_AGAIN = "26 `k` `w`";

    private final PublishCursor cursor = new PublishCursor();
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;

    private void parse(String pattern, boolean version5) {
        Wire.Packet packet = Wire.packet(pattern);
        buffer = packet.buffer();
        cursor.parse(packet.head(), buffer, packet.index(), packet.length(), version5);
    }

    private int refusal(String pattern, boolean version5) {
        return catchThrowableOfType(PacketException.class, () -> parse(pattern, version5))
                .reason();
    }

    private String text(int index, int length) {
        return buffer.toString(index, length, StandardCharsets.UTF_8);
    }

    private String payload() {
        return text(cursor.payloadIndex(), cursor.payloadLength());
    }

    private String topic() {
        return text(cursor.topicIndex(), cursor.topicLength());
    }

    private String stored() {
        byte[] target = new byte[cursor.storedPropertiesLength() + 2];
        cursor.copyStoredProperties(target, 1);
        assertThat(target[0]).isZero();
        assertThat(target[target.length - 1]).isZero();
        return Wire.hex(target).substring(2, target.length * 2 - 2);
    }

    @Test
    void versionFourHasTopicIdentifierAndPayload() {
        parse("3d [ `a/b` 1234 'hello' ]", false);

        assertThat(topic()).isEqualTo("a/b");
        assertThat(cursor.qos()).isEqualTo(2);
        assertThat(cursor.duplicate()).isTrue();
        assertThat(cursor.retain()).isTrue();
        assertThat(cursor.packetId()).isEqualTo(0x1234);
        assertThat(payload()).isEqualTo("hello");
        assertThat(cursor.storedPropertiesLength()).isZero();
        assertThat(cursor.expirySeconds()).isEqualTo(PublishCursor.NO_EXPIRY);
    }

    @Test
    void qosZeroHasNoIdentifier() {
        parse("30 [ `a` '12' ]", false);

        assertThat(cursor.qos()).isZero();
        assertThat(cursor.packetId()).isZero();
        assertThat(cursor.duplicate()).isFalse();
        assertThat(cursor.retain()).isFalse();
        assertThat(payload()).isEqualTo("12");
    }

    @Test
    void aPayloadMayBeEmpty() {
        parse("32 [ `a` 0001 [] ]", true);

        assertThat(cursor.payloadLength()).isZero();
    }

    @Test
    void allPropertiesAreRead() {
        parse(
                "32 [ `a` 0001 [ "
                        + String.join(" ", FORMAT, EXPIRY, ALIAS, TYPE, RESPONSE, CORRELATION, USER, USER_AGAIN)
                        + "] 'payload' ]",
                true);

        assertThat(cursor.text()).isTrue();
        assertThat(cursor.expirySeconds()).isEqualTo(3_600);
        assertThat(cursor.alias()).isEqualTo(5);
        assertThat(text(cursor.responseTopicIndex(), cursor.responseTopicLength()))
                .isEqualTo("reply/to");
        assertThat(payload()).isEqualTo("payload");
        assertThat(stored())
                .isEqualTo(
                        Wire.hex(Wire.bytes(String.join(" ", FORMAT, TYPE, RESPONSE, CORRELATION, USER, USER_AGAIN))));
    }

    @Test
    void aliasAndExpiryAreLeftOutWhereverTheyStand() {
        List<String> others = List.of(FORMAT, TYPE, RESPONSE, CORRELATION, USER, USER_AGAIN);
        for (int alias = -1; alias <= others.size(); alias++) {
            for (int expiry = -1; expiry <= others.size() + 1; expiry++) {
                List<String> all = new ArrayList<>(others);
                if (alias >= 0) {
                    all.add(alias, ALIAS);
                }
                if (expiry >= 0) {
                    all.add(Math.min(expiry, all.size()), EXPIRY);
                }
                parse("30 [ `a` [ " + String.join(" ", all) + " ] 'p' ]", true);

                assertThat(stored()).as("%s", all).isEqualTo(Wire.hex(Wire.bytes(String.join(" ", others))));
                assertThat(cursor.alias()).isEqualTo(alias >= 0 ? 5 : 0);
                assertThat(cursor.expirySeconds()).isEqualTo(expiry >= 0 ? 3_600 : PublishCursor.NO_EXPIRY);
                assertThat(payload()).isEqualTo("p");
            }
        }
    }

    @Test
    void everyPairOfPropertiesMayStandTogetherInAnyOrder() {
        List<String> all = List.of(FORMAT, EXPIRY, ALIAS, TYPE, RESPONSE, CORRELATION, USER);
        for (String one : all) {
            for (String other : all) {
                if (!one.equals(other)) {
                    parse("30 [ `a` [ " + one + " " + other + " ] ]", true);
                    assertThat(cursor.payloadLength()).isZero();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FORMAT, EXPIRY, ALIAS, TYPE, RESPONSE, CORRELATION})
    void whatMayComeOnceMayNotComeTwice(String property) {
        assertThat(refusal("30 [ `a` [ " + property + " " + property + " ] ]", true))
                .isEqualTo(Reason.PROTOCOL_ERROR);
        assertThat(refusal("30 [ `a` [ " + property + USER + property + " ] ]", true))
                .isEqualTo(Reason.PROTOCOL_ERROR);
    }

    @Test
    void whatCameBeforeIsForgotten() {
        parse("3d [ `a` 0007 [ " + String.join(" ", FORMAT, EXPIRY, ALIAS, RESPONSE) + " ] 'p' ]", true);
        parse("30 [ `b` [] ]", true);

        assertThat(topic()).isEqualTo("b");
        assertThat(cursor.packetId()).isZero();
        assertThat(cursor.text()).isFalse();
        assertThat(cursor.alias()).isZero();
        assertThat(cursor.expirySeconds()).isEqualTo(PublishCursor.NO_EXPIRY);
        assertThat(cursor.responseTopicIndex()).isNegative();
        assertThat(cursor.storedPropertiesLength()).isZero();
    }

    @Test
    void anExpiryMayBeAsLongAsItCanBeSaid() {
        parse("30 [ `a` [ 02 ffffffff ] ]", true);
        assertThat(cursor.expirySeconds()).isEqualTo(0xFFFF_FFFFL);
        parse("30 [ `a` [ 02 00000000 ] ]", true);
        assertThat(cursor.expirySeconds()).isZero();
    }

    @Test
    void aTopicMayBeEmpty() {
        parse("30 [ `` [ 23 ffff ] ]", true);

        assertThat(cursor.topicLength()).isZero();
        assertThat(cursor.alias()).isEqualTo(0xFFFF);
    }

    @ParameterizedTest
    @CsvSource({"36 [ `a` 0001 ]", "37 [ `a` 0001 ]", "3e [ `a` 0001 ]", "38 [ `a` ]", "39 [ `a` ]"})
    void qosThreeAndDupAtQosZeroAreMalformed(String pattern) {
        assertThat(refusal(pattern, false)).isEqualTo(Reason.MALFORMED_PACKET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "32 [ `a` 0000 ]",
                "30 []",
                "30 [ 00 ]",
                "30 [ 0002 'a' ]",
                "32 [ `a` ]",
                "32 [ `a` 00 ]",
                "32 [ 0003 'ab' 0001 ]",
                "32 [ ffff 'ab' 0001 ]"
            })
    void identifierZeroAndWhatIsCutShortIsMalformed(String pattern) {
        assertThat(refusal(pattern, false)).isEqualTo(Reason.MALFORMED_PACKET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "80",
                "80808080 00",
                "05 01 01",
                "01 01",
                "03 02 0000",
                "02 23 00",
                "02 03 00",
                "04 03 0005 'x'",
                "03 08 0001",
                "02 09 00",
                "05 26 `a` 00",
                "07 26 `a` 0004 'x'",
                "04 03 0001 ff",
                "06 26 `a` 0001 ff",
                "06 26 `a` 0001 00",
                "04 08 0001 00",
                "02 7f 00",
                "01 00",
                "05 11 00000001",
                "03 21 0001",
                "02 80 00",
                "02 a6 00"
            })
    void whatIsNoPropertyOfAPublishIsMalformed(String properties) {
        assertThat(refusal("30 [ `a` " + properties + " ]", true)).isEqualTo(Reason.MALFORMED_PACKET);
    }

    @ParameterizedTest
    @CsvSource({"23 0000, 148", "01 02, 130", "01 ff, 130", "0b 01, 130"})
    void aWrongValueHasItsReason(String property, int reason) {
        assertThat(refusal("30 [ `a` [ " + property + " ] ]", true)).isEqualTo(reason);
    }

    @Test
    void correlationDataMayBeAnyBytes() {
        parse("30 [ `a` [ 09 0003 00ff80 ] ]", true);
        assertThat(stored()).isEqualTo("09000300ff80");
    }

    @Test
    void cutAnywhereItIsMalformedOrShorter() {
        byte[] whole = Wire.bytes("32 [ `a/b` 0001 [ "
                + String.join(" ", FORMAT, EXPIRY, ALIAS, TYPE, RESPONSE, CORRELATION, USER) + " ] 'payload' ]");
        int properties = whole.length - "payload".length();
        for (int end = 2; end < whole.length; end++) {
            ByteBuf cut = Unpooled.wrappedBuffer(whole, 0, end);
            int length = end - 2;
            PacketException refusal =
                    catchThrowableOfType(PacketException.class, () -> cursor.parse(0x32, cut, 2, length, true));
            if (end < properties) {
                assertThat(refusal).as("cut at %d", end).isNotNull();
                assertThat(refusal.reason()).isEqualTo(Reason.MALFORMED_PACKET);
            } else {
                assertThat(refusal).isNull();
                assertThat(cursor.payloadLength()).isEqualTo(end - properties);
            }
        }
    }

    @Test
    void longPropertiesAreReadAndStored() {
        String value = String.join("", Collections.nCopies(20_000, "x"));
        parse("30 [ `a` [ 26 `k` `" + value + "` " + ALIAS + " ] 'p' ]", true);

        assertThat(payload()).isEqualTo("p");
        assertThat(cursor.alias()).isEqualTo(5);
        assertThat(cursor.storedPropertiesLength()).isEqualTo(20_006);
    }
}
