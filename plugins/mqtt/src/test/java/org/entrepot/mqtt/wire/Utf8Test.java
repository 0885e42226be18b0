package org.entrepot.mqtt.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Strings are what the JDK takes for UTF-8, without U+0000 (specification 1.5.4). */
class Utf8Test {
    private static boolean isValid(byte[] bytes) {
        byte[] padded = new byte[bytes.length + 4];
        System.arraycopy(bytes, 0, padded, 2, bytes.length);
        return Utf8.isValid(Unpooled.wrappedBuffer(padded), 2, bytes.length);
    }

    private static boolean reference(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString()
                            .indexOf(0)
                    < 0;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    @Test
    void allOfTwoBytesAreJudgedAsTheJdkDoes() {
        for (int value = 0; value < 1 << 16; value++) {
            byte[] bytes = {(byte) (value >> 8), (byte) value};
            assertThat(isValid(bytes)).as("%04x", value).isEqualTo(reference(bytes));
        }
    }

    @Test
    void allCodePointsAreValidButZero() {
        for (int point = 1; point <= Character.MAX_CODE_POINT; point++) {
            if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
                byte[] bytes = Character.toString(point).getBytes(StandardCharsets.UTF_8);
                assertThat(isValid(bytes)).as("U+%x", point).isTrue();
            }
        }
        assertThat(isValid(new byte[] {0})).isFalse();
    }

    @Test
    void randomBytesAreJudgedAsTheJdkDoes() {
        Random random = new Random(1);
        int[] interesting = {
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0,
            0xF1, 0xF3, 0xF4, 0xF5, 0xFF
        };
        for (int round = 0; round < 500_000; round++) {
            byte[] bytes = new byte[random.nextInt(9)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte)
                        (random.nextInt(8) == 0
                                ? random.nextInt(256)
                                : interesting[random.nextInt(interesting.length)]);
            }
            assertThat(isValid(bytes)).as("%s", Wire.hex(bytes)).isEqualTo(reference(bytes));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"eda080", "edbfbf", "c080", "c1bf", "e08080", "f0808080", "f4908080", "fe", "80", "c2", "e282"})
    void surrogatesOverlongFormsAndPiecesAreRefused(String hex) {
        assertThat(isValid(Wire.bytes(hex))).isFalse();
    }

    @Test
    void bytesBehindTheEndAreNotLookedAt() {
        assertThat(Utf8.isValid(Unpooled.wrappedBuffer(Wire.bytes("41 c3 a9")), 0, 2))
                .isFalse();
        assertThat(Utf8.isValid(Unpooled.wrappedBuffer(Wire.bytes("41 c3")), 0, 1))
                .isTrue();
    }
}
