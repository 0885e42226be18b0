package org.entrepot.stomp.wire;

import java.nio.charset.StandardCharsets;

/**
 * How names and values of headers carry a backslash, a colon, a line feed and a carriage return. As RabbitMQ has it, all
 * versions of STOMP are read and written alike, though 1.0 knows no escapes.
 */
public final class Escapes {
    private static final byte BACKSLASH = '\\';

    private Escapes() {}

    /** Whether a backslash may be followed by this. */
    static boolean isEscape(byte letter) {
        return letter == 'n' || letter == 'c' || letter == 'r' || letter == BACKSLASH;
    }

    /** The text of bytes whose escapes are well formed. */
    public static String decode(byte[] array, int from, int to) {
        int at = from;
        while (at < to && array[at] != BACKSLASH) {
            at++;
        }
        if (at == to) {
            return new String(array, from, to - from, StandardCharsets.UTF_8);
        }
        byte[] plain = new byte[to - from];
        int length = at - from;
        System.arraycopy(array, from, plain, 0, length);
        while (at < to) {
            byte b = array[at++];
            plain[length++] = b == BACKSLASH && at < to ? meaning(array[at++]) : b;
        }
        return new String(plain, 0, length, StandardCharsets.UTF_8);
    }

    private static byte meaning(byte letter) {
        return switch (letter) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 'c' -> ':';
            default -> letter;
        };
    }

    /** The letter that stands for this byte after a backslash; 0 for a byte that stands for itself. */
    static byte letter(byte plain) {
        return switch (plain) {
            case '\n' -> 'n';
            case '\r' -> 'r';
            case ':' -> 'c';
            case BACKSLASH -> BACKSLASH;
            default -> 0;
        };
    }

    /** The bytes of a text as they stand in a header. */
    public static byte[] encode(String text) {
        byte[] plain = text.getBytes(StandardCharsets.UTF_8);
        int escapes = 0;
        for (byte b : plain) {
            if (letter(b) != 0) {
                escapes++;
            }
        }
        if (escapes == 0) {
            return plain;
        }
        byte[] encoded = new byte[plain.length + escapes];
        int length = 0;
        for (byte b : plain) {
            byte letter = letter(b);
            if (letter != 0) {
                encoded[length++] = BACKSLASH;
                encoded[length++] = letter;
            } else {
                encoded[length++] = b;
            }
        }
        return encoded;
    }
}
