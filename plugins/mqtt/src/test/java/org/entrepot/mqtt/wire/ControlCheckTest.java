package org.entrepot.mqtt.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which packets a client may send, type by type. */
class ControlCheckTest {
    private static final int NONE = -1;

    /** A packet type's check. */
    private interface Check {
        void check(int head, io.netty.buffer.ByteBuf buffer, int index, int length);
    }

    /** The reason code of the refusal, or none. */
    private static int reason(Check check, String pattern) {
        Wire.Packet packet = Wire.packet(pattern);
        Throwable refusal =
                catchThrowable(() -> check.check(packet.head(), packet.buffer(), packet.index(), packet.length()));
        if (refusal == null) {
            return NONE;
        }
        assertThat(refusal).isInstanceOf(PacketException.class);
        return ((PacketException) refusal).reason();
    }

    /** Whatever is cut off a packet that is fine, the rest is refused or fine, never a fault of ours. */
    private static void cutAnywhere(Check check, String pattern) {
        Wire.Packet packet = Wire.packet(pattern);
        for (int length = 0; length < packet.length(); length++) {
            int end = length;
            byte[] cut = new byte[packet.index() + length];
            packet.buffer().getBytes(0, cut);
            Throwable refusal =
                    catchThrowable(() -> check.check(packet.head(), Unpooled.wrappedBuffer(cut), packet.index(), end));
            assertThat(refusal == null || refusal instanceof PacketException)
                    .as("cut to %d: %s", length, refusal)
                    .isTrue();
        }
    }

    @Nested
    class Connect {
        private static final String ALL_5 =
                "10 [ `MQTT` 05 f6 003c [ 11 0000000a 21 0001 27 00000100 22 0005 19 01 17 00"
                        + " 26 `k` `v` 26 `k` `w` 15 `SCRAM` 16 0002 00ff ] `client`"
                        + " [ 18 00000005 01 01 02 0000000a 03 `t` 08 `r` 09 0001 ff 26 `k` `v` ] `will/topic` 0003 00ff00"
                        + " `user` 0002 00ff ]";

        private int reason(String pattern) {
            return ControlCheckTest.reason(ControlCheck::connect, pattern);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "10 [ `MQIsdp` 03 02 0000 `c` ]",
                    "10 [ `MQTT` 04 02 0000 `` ]",
                    "10 [ `MQTT` 04 00 ffff `c` ]",
                    "10 [ `MQTT` 04 c6 000a `c` `will` `bye` `user` `password` ]",
                    "10 [ `MQTT` 04 2e 000a `c` `will` `` ]",
                    "10 [ `MQTT` 04 36 000a `c` `will` `` ]",
                    "10 [ `MQTT` 84 02 0000 `c` ]",
                    "10 [ `MQTT` 05 02 0000 [] `` ]",
                    "10 [ `MQTT` 05 42 0000 [] `c` `password` ]",
                    ALL_5
                })
        void aWellFormedOneIsFine(String pattern) {
            assertThat(reason(pattern)).isEqualTo(NONE);
        }

        @Test
        void theLevelIsGivenAndTheBridgesMarkTakenOff() {
            Wire.Packet bridge = Wire.packet("10 [ `MQTT` 84 02 0000 `c` ]");
            int level = ControlCheck.connect(bridge.head(), bridge.buffer(), bridge.index(), bridge.length());

            assertThat(level).isEqualTo(4);
            assertThat(bridge.buffer().getByte(8)).isEqualTo((byte) 4);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "10 [ `MQTT` 03 02 0000 `c` ]",
                    "10 [ `MQTT` 06 02 0000 `c` ]",
                    "10 [ `MQTT` 00 02 0000 `c` ]",
                    "10 [ `MQTT` 02 02 0000 `c` ]",
                    "10 [ `MQTT` 7f 02 0000 `c` ]",
                    "10 [ `MQIsdp` 04 02 0000 `c` ]",
                    "10 [ `MQIsdp` 05 02 0000 [] `c` ]"
                })
        void aLevelThatIsNotSpokenIsSaidSo(String pattern) {
            Wire.Packet packet = Wire.packet(pattern);

            assertThatThrownBy(
                            () -> ControlCheck.connect(packet.head(), packet.buffer(), packet.index(), packet.length()))
                    .isInstanceOf(ControlCheck.UnknownLevelException.class);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    // flags: reserved, will QoS 3, will QoS or retain without a will, a password without a user
                    "10 [ `MQTT` 04 03 0000 `c` ]",
                    "10 [ `MQTT` 05 03 0000 [] `c` ]",
                    "10 [ `MQTT` 04 1e 0000 `c` `w` `` ]",
                    "10 [ `MQTT` 04 0a 0000 `c` ]",
                    "10 [ `MQTT` 04 22 0000 `c` ]",
                    "10 [ `MQTT` 05 22 0000 [] `c` ]",
                    "10 [ `MQTT` 04 42 0000 `c` `password` ]",
                    "11 [ `MQTT` 04 02 0000 `c` ]",
                    "10 [ `MQTT` 04 02 0000 `c` 00 ]",
                    "10 [ `MQTT` 04 02 0000 ]",
                    "10 [ `MQTT` 04 02 00 ]",
                    "10 [ `MQTT` ]",
                    "10 []",
                    "10 [ `MQTT` 04 82 0000 `c` ]",
                    "10 [ `MQTT` 04 c2 0000 `c` `user` ]",
                    "10 [ `MQTT` 04 06 0000 `c` `w` ]",
                    "10 [ `MQTT` 04 02 0000 0002 c328 ]",
                    "10 [ `MQTT` 04 02 0000 0001 00 ]",
                    "10 [ `MQTT` 04 82 0000 `c` 0003 eda080 ]",
                    "10 [ `MQTT` 04 06 0000 `c` 0001 ff `` ]",
                    "10 [ `MQTT` 05 02 0000 05 `c` ]",
                    "10 [ `MQTT` 05 02 0000 80808080 00 `c` ]",
                    "10 [ `MQTT` 05 02 0000 [ 11 000000 ] `c` ]",
                    "10 [ `MQTT` 05 02 0000 [ 00 ] `c` ]",
                    "10 [ `MQTT` 05 02 0000 [ 7f ] `c` ]"
                })
        void whatIsMalformedIsRefused(String pattern) {
            assertThat(reason(pattern)).isEqualTo(Reason.MALFORMED_PACKET);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "21 0000",
                    "27 00000000",
                    "17 02",
                    "19 02",
                    "16 0001 00",
                    "11 00000001 11 00000001",
                    "21 0001 21 0001",
                    "27 00000001 27 00000001",
                    "22 0001 22 0001",
                    "17 01 17 01",
                    "19 01 19 01",
                    "15 `a` 15 `a`",
                    "15 `a` 16 `a` 16 `a`",
                    "01 01",
                    "02 00000001",
                    "03 `a`",
                    "08 `a`",
                    "09 `a`",
                    "0b 01",
                    "12 `a`",
                    "13 0001",
                    "18 00000001",
                    "1a `a`",
                    "1c `a`",
                    "1f `a`",
                    "23 0001",
                    "24 01",
                    "25 01",
                    "28 01",
                    "29 01",
                    "2a 01"
                })
        void aPropertyThatIsWrongOrTwiceOrAnotherPacketsIsAnError(String property) {
            assertThat(reason("10 [ `MQTT` 05 02 0000 [ " + property + " ] `c` ]"))
                    .isEqualTo(Reason.PROTOCOL_ERROR);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "01 02",
                    "18 00000001 18 00000001",
                    "01 01 01 01",
                    "02 00000001 02 00000001",
                    "03 `a` 03 `a`",
                    "08 `a` 08 `a`",
                    "09 `a` 09 `a`",
                    "11 00000001",
                    "0b 01",
                    "23 0001"
                })
        void theSameOfTheWill(String property) {
            assertThat(reason("10 [ `MQTT` 05 06 0000 [] `c` [ " + property + " ] `w` `` ]"))
                    .isEqualTo(Reason.PROTOCOL_ERROR);
        }

        @ParameterizedTest
        @ValueSource(strings = {"``", "`a/+`", "`#`"})
        void aWillIsPublishedToATopicName(String topic) {
            assertThat(reason("10 [ `MQTT` 04 06 0000 `c` " + topic + " `` ]")).isEqualTo(Reason.TOPIC_NAME_INVALID);
            assertThat(reason("10 [ `MQTT` 05 06 0000 [] `c` [] " + topic + " `` ]"))
                    .isEqualTo(Reason.TOPIC_NAME_INVALID);
        }

        @Test
        void cutAnywhereItIsRefused() {
            Wire.Packet packet = Wire.packet(ALL_5);
            for (int length = 0; length < packet.length(); length++) {
                byte[] cut = new byte[packet.index() + length];
                packet.buffer().getBytes(0, cut);
                int end = length;
                assertThatThrownBy(() ->
                                ControlCheck.connect(packet.head(), Unpooled.wrappedBuffer(cut), packet.index(), end))
                        .isInstanceOf(PacketException.class);
            }
        }
    }

    @Nested
    class Subscribe {
        private int reason(String pattern, int level) {
            return ControlCheckTest.reason(
                    (head, buffer, index, length) -> ControlCheck.subscribe(head, buffer, index, length, level),
                    pattern);
        }

        @Test
        void wellFormedOnesAreFine() {
            assertThat(reason("82 [ 0001 `a/b` 00 `c` 01 `#` 02 ]", 4)).isEqualTo(NONE);
            assertThat(reason("82 [ ffff [ 0b ffffff7f 26 `k` `v` ] `a/b` 2e `c` 1d ]", 5))
                    .isEqualTo(NONE);
            // A filter is judged by itself, and refused in the SUBACK.
            assertThat(reason("82 [ 0001 `` 00 `a+` 00 ]", 4)).isEqualTo(NONE);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "80 [ 0001 [] `a` 00 ]",
                    "8a [ 0001 [] `a` 00 ]",
                    "82 [ 0000 [] `a` 00 ]",
                    "82 [ 0001 [] `a` 03 ]",
                    "82 [ 0001 [] `a` 30 ]",
                    "82 [ 0001 [] `a` 40 ]",
                    "82 [ 0001 [] `a` 80 ]",
                    "82 [ 0001 [] `a` ]",
                    "82 [ 0001 [] 0001 ff 00 ]",
                    "82 [ 0001 [] 0005 'a' ]",
                    "82 [ 0001 [ 0b ] `a` 00 ]",
                    "82 [ 0001 [ 0b 80808080 01 ] `a` 00 ]",
                    "82 [ 0001 ]",
                    "82 [ 00 ]",
                    "82 []"
                })
        void whatIsMalformedIsRefused(String pattern) {
            assertThat(reason(pattern, 5)).isEqualTo(Reason.MALFORMED_PACKET);
        }

        @ParameterizedTest
        @ValueSource(strings = {"04", "08", "10", "20", "40", "80", "03"})
        void beforeMqtt5AllBitsButTheQosAreReserved(String options) {
            assertThat(reason("82 [ 0001 `a` " + options + " ]", 4)).isEqualTo(Reason.MALFORMED_PACKET);
        }

        @Test
        void noFilterAtAllIsAnError() {
            assertThat(reason("82 [ 0001 ]", 4)).isEqualTo(Reason.PROTOCOL_ERROR);
            assertThat(reason("82 [ 0001 [] ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
        }

        @ParameterizedTest
        @ValueSource(strings = {"0b 00", "0b 01 0b 02", "01 01", "11 00000001", "1f `a`", "21 0001", "23 0001"})
        void aPropertyThatIsWrongOrTwiceOrAnotherPacketsIsAnError(String property) {
            assertThat(reason("82 [ 0001 [ " + property + " ] `a` 00 ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
        }

        @Test
        void cutAnywhereItIsNoFault() {
            cutAnywhere(
                    (head, buffer, index, length) -> ControlCheck.subscribe(head, buffer, index, length, 5),
                    "82 [ ffff [ 0b ffffff7f 26 `k` `v` ] `a/b` 2e `c` 1d ]");
        }
    }

    @Nested
    class Unsubscribe {
        private int reason(String pattern, int level) {
            return ControlCheckTest.reason(
                    (head, buffer, index, length) -> ControlCheck.unsubscribe(head, buffer, index, length, level),
                    pattern);
        }

        @Test
        void wellFormedOnesAreFine() {
            assertThat(reason("a2 [ 0001 `a/b` `c` ]", 4)).isEqualTo(NONE);
            assertThat(reason("a2 [ 0001 [ 26 `k` `v` 26 `k` `v` ] `a/b` ]", 5)).isEqualTo(NONE);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "a0 [ 0001 [] `a` ]",
                    "a2 [ 0000 [] `a` ]",
                    "a2 [ 0001 [] `a` 00 ]",
                    "a2 [ 0001 [] 0001 ff ]",
                    "a2 [ 0001 [] 0001 00 ]",
                    "a2 [ 0001 ]",
                    "a2 []"
                })
        void whatIsMalformedIsRefused(String pattern) {
            assertThat(reason(pattern, 5)).isEqualTo(Reason.MALFORMED_PACKET);
        }

        @Test
        void noFilterAndForeignPropertiesAreErrors() {
            assertThat(reason("a2 [ 0001 ]", 4)).isEqualTo(Reason.PROTOCOL_ERROR);
            assertThat(reason("a2 [ 0001 [] ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
            assertThat(reason("a2 [ 0001 [ 0b 01 ] `a` ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
        }
    }

    @Nested
    class Disconnect {
        private int reason(String pattern, int level) {
            return ControlCheckTest.reason(
                    (head, buffer, index, length) -> ControlCheck.disconnect(head, buffer, index, length, level),
                    pattern);
        }

        @Test
        void wellFormedOnesAreFine() {
            assertThat(reason("e0 []", 4)).isEqualTo(NONE);
            assertThat(reason("e0 []", 5)).isEqualTo(NONE);
            assertThat(reason("e0 [ 04 ]", 5)).isEqualTo(NONE);
            assertThat(reason("e0 [ 00 [] ]", 5)).isEqualTo(NONE);
            assertThat(reason("e0 [ 93 [ 11 00000005 1f `why` 26 `k` `v` 26 `k` `v` ] ]", 5))
                    .isEqualTo(NONE);
        }

        @Test
        void whatIsWrongIsRefused() {
            assertThat(reason("e1 []", 4)).isEqualTo(Reason.MALFORMED_PACKET);
            assertThat(reason("e0 [ 00 ]", 4)).isEqualTo(Reason.MALFORMED_PACKET);
            assertThat(reason("e0 [ 00 [] 00 ]", 5)).isEqualTo(Reason.MALFORMED_PACKET);
            assertThat(reason("e0 [ 00 05 ]", 5)).isEqualTo(Reason.MALFORMED_PACKET);
            assertThat(reason("e0 [ 00 [ 1c `x` ] ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
            assertThat(reason("e0 [ 00 [ 11 00000005 11 00000005 ] ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
        }

        @ParameterizedTest
        @ValueSource(strings = {"01", "02", "8e", "8b", "8d", "9c", "9d", "ff", "10"})
        void aClientHasNotAllReasons(String code) {
            assertThat(reason("e0 [ " + code + " ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
        }
    }

    @Nested
    class Auth {
        private int reason(String pattern, int level) {
            return ControlCheckTest.reason(
                    (head, buffer, index, length) -> ControlCheck.auth(head, buffer, index, length, level), pattern);
        }

        @Test
        void wellFormedOnesAreFine() {
            assertThat(reason("f0 []", 5)).isEqualTo(NONE);
            assertThat(reason("f0 [ 18 [ 15 `SCRAM` 16 0002 00ff 1f `x` 26 `k` `v` ] ]", 5))
                    .isEqualTo(NONE);
            assertThat(reason("f0 [ 19 [ 15 `SCRAM` ] ]", 5)).isEqualTo(NONE);
        }

        @Test
        void whatIsWrongIsRefused() {
            assertThat(reason("f0 []", 4)).isEqualTo(Reason.PROTOCOL_ERROR);
            assertThat(reason("f2 []", 5)).isEqualTo(Reason.MALFORMED_PACKET);
            assertThat(reason("f0 [ 17 ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
            assertThat(reason("f0 [ 18 [ 16 0000 ] ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
            assertThat(reason("f0 [ 18 [ 11 00000000 ] ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
            assertThat(reason("f0 [ 18 [] 00 ]", 5)).isEqualTo(Reason.MALFORMED_PACKET);
        }
    }

    @Nested
    class Answer {
        private int reason(String pattern, int level) {
            return ControlCheckTest.reason(
                    (head, buffer, index, length) -> ControlCheck.answer(head, buffer, index, length, level), pattern);
        }

        @Test
        void wellFormedOnesAreFineAndTheirReasonIsGiven() {
            for (String head : new String[] {"40", "50", "62", "70"}) {
                assertThat(reason(head + " [ 0001 ]", 4)).isEqualTo(NONE);
                assertThat(reason(head + " [ 0001 ]", 5)).isEqualTo(NONE);
                assertThat(reason(head + " [ 0001 00 ]", 5)).isEqualTo(NONE);
                assertThat(reason(head + " [ ffff 00 [ 1f `why` 26 `k` `v` 26 `k` `v` ] ]", 5))
                        .isEqualTo(NONE);
            }
            Wire.Packet packet = Wire.packet("40 [ 0001 97 ]");
            assertThat(ControlCheck.answer(packet.head(), packet.buffer(), packet.index(), packet.length(), 5))
                    .isEqualTo(Reason.QUOTA_EXCEEDED);
        }

        @Test
        void whatIsMalformedIsRefused() {
            for (String head : new String[] {"41", "52", "60", "64", "72"}) {
                assertThat(reason(head + " [ 0001 ]", 4)).as(head).isEqualTo(Reason.MALFORMED_PACKET);
            }
            for (String head : new String[] {"40", "50", "62", "70"}) {
                assertThat(reason(head + " [ 0000 ]", 4)).isEqualTo(Reason.MALFORMED_PACKET);
                assertThat(reason(head + " [ 00 ]", 4)).isEqualTo(Reason.MALFORMED_PACKET);
                assertThat(reason(head + " []", 4)).isEqualTo(Reason.MALFORMED_PACKET);
                assertThat(reason(head + " [ 0001 00 ]", 4)).isEqualTo(Reason.MALFORMED_PACKET);
                assertThat(reason(head + " [ 0001 00 [] 00 ]", 5)).isEqualTo(Reason.MALFORMED_PACKET);
                assertThat(reason(head + " [ 0001 00 05 ]", 5)).isEqualTo(Reason.MALFORMED_PACKET);
            }
        }

        @Test
        void eachHasItsReasons() {
            int[] ofFirst = {0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99};
            int[] ofSecond = {0x00, 0x92};
            for (int reason = 0; reason < 256; reason++) {
                int expected = reason;
                boolean first = java.util.Arrays.stream(ofFirst).anyMatch(each -> each == expected);
                boolean second = java.util.Arrays.stream(ofSecond).anyMatch(each -> each == expected);
                String hex = String.format("%02x", reason);
                assertThat(reason("40 [ 0001 " + hex + " ]", 5)).isEqualTo(first ? NONE : Reason.PROTOCOL_ERROR);
                assertThat(reason("50 [ 0001 " + hex + " ]", 5)).isEqualTo(first ? NONE : Reason.PROTOCOL_ERROR);
                assertThat(reason("62 [ 0001 " + hex + " ]", 5)).isEqualTo(second ? NONE : Reason.PROTOCOL_ERROR);
                assertThat(reason("70 [ 0001 " + hex + " ]", 5)).isEqualTo(second ? NONE : Reason.PROTOCOL_ERROR);
            }
        }

        @Test
        void foreignPropertiesAreErrors() {
            assertThat(reason("40 [ 0001 00 [ 11 00000001 ] ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
            assertThat(reason("62 [ 0001 00 [ 1f `a` 1f `b` ] ]", 5)).isEqualTo(Reason.PROTOCOL_ERROR);
        }
    }

    @Test
    void aPingIsEmpty() {
        Check check = (head, buffer, index, length) -> ControlCheck.ping(head, length);
        assertThat(reason(check, "c0 []")).isEqualTo(NONE);
        assertThat(reason(check, "c1 []")).isEqualTo(Reason.MALFORMED_PACKET);
        assertThat(reason(check, "c0 [ 00 ]")).isEqualTo(Reason.MALFORMED_PACKET);
    }
}
