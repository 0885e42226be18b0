package org.entrepot.core.listener;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Utf8CheckTest {

    @Test
    void agreesWithTheJdkOnAllTwoBytesAndWhatTheyBegin() {
        for (int first = 0; first < 256; first++) {
            for (int second = 0; second < 256; second++) {
                for (byte[] tail : new byte[][] {{}, {(byte) 0x80}, {(byte) 0xbf, (byte) 0x80}, {'a', 'b'}}) {
                    byte[] bytes = new byte[2 + tail.length];
                    bytes[0] = (byte) first;
                    bytes[1] = (byte) second;
                    System.arraycopy(tail, 0, bytes, 2, tail.length);
                    agreesWithTheJdk(bytes);
                }
            }
        }
    }

    @Test
    void agreesWithTheJdkOnTextWithOneByteChanged() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] text =
                "Plain for a while, then ü, ߿, €, \ud7ff, \ue000, 😀 and \udbff\udfff; and plain again".getBytes(UTF_8);
        for (int i = 0; i < 20_000; i++) {
            byte[] changed = text.clone();
            changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            assertThat(Utf8Check.isUtf8(ByteBuffer.wrap(changed)))
                    .as("seed %d: %s", seed, new String(changed, ISO_8859_1))
                    .isEqualTo(isUtf8(changed));
        }
    }

    @Test
    void textIsTheSameInPieces() {
        byte[] text = "ü€😀 plain plain plain ü€😀".getBytes(UTF_8);
        ByteBuffer buffer = ByteBuffer.wrap(text);
        for (int cut = 0; cut <= text.length; cut++) {
            Utf8Check check = new Utf8Check();
            assertThat(check.goesOn(buffer, 0, cut)).isEqualTo(cut);
            assertThat(check.isComplete()).isEqualTo(isUtf8(Arrays.copyOf(text, cut)));
            assertThat(check.goesOn(buffer, cut, text.length - cut)).isEqualTo(text.length - cut);
            assertThat(check.isComplete()).isTrue();
        }
    }

    private static void agreesWithTheJdk(byte[] bytes) {
        if (Utf8Check.isUtf8(ByteBuffer.wrap(bytes)) != isUtf8(bytes)) {
            throw new AssertionError("told wrong of " + new String(bytes, ISO_8859_1));
        }
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
