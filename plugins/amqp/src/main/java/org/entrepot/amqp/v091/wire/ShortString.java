package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Short strings: one byte of length, then as many bytes, usually UTF-8. */
public final class ShortString {

    /** Most bytes that a short string has. */
    public static final int BYTES_MAX = 255;

    private static final byte[] EMPTY = {0};

    private ShortString() {}

    /**
     * The text as it stands on the wire, length byte first, to be written again and again.
     *
     * @throws IllegalArgumentException when it has more than 255 bytes of UTF-8
     */
    public static byte[] encode(String text) {
        if (text.isEmpty()) {
            return EMPTY;
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a short string holds " + BYTES_MAX + " bytes, not " + utf8.length + ": '" + cut(text) + "'...");
        }
        byte[] encoded = new byte[1 + utf8.length];
        encoded[0] = (byte) utf8.length;
        System.arraycopy(utf8, 0, encoded, 1, utf8.length);
        return encoded;
    }

    /** The longest beginning of {@code text} that has at most 255 bytes of UTF-8 and ends with a whole character. */
    public static String cut(String text) {
        if (text.length() * 3L <= BYTES_MAX) {
            return text;
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return utf8.length <= BYTES_MAX
                ? text
                : new String(utf8, 0, wholeCharacters(utf8, BYTES_MAX), StandardCharsets.UTF_8);
    }

    /** Appends the text with its length byte. Throws like {@link #encode}. */
    static void write(ByteBuf out, String text) {
        out.writeBytes(encode(text));
    }

    /** How many of the first {@code limit} bytes of {@code utf8}, which has more, are whole characters. */
    private static int wholeCharacters(byte[] utf8, int limit) {
        int end = limit;
        while (end > 0 && (utf8[end] & 0xC0) == 0x80) {
            end--;
        }
        return end;
    }
}
