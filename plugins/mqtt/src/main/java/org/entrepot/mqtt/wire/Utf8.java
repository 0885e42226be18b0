package org.entrepot.mqtt.wire;

import io.netty.buffer.ByteBuf;

/** What MQTT allows in strings (specification 1.5.4). Stateless. */
public final class Utf8 {
    private static final byte DELETE = 0x7F;

    /** What U+0080 to U+00BF begin with, and the second byte, signed, of the first that is no control character. */
    private static final byte C1_LEAD = (byte) 0xC2;

    private static final byte C1_END = (byte) 0xA0;

    private Utf8() {}

    /** Whether these bytes are well-formed UTF-8 (no surrogates, no overlong forms) without U+0000. */
    public static boolean isValid(ByteBuf buffer, int index, int length) {
        int end = index + length;
        int i = index;
        while (i < end) {
            int b = buffer.getByte(i);
            if (b > 0) {
                i++;
                continue;
            }
            int size = sequence(buffer, i, end, b);
            if (size == 0) {
                return false;
            }
            i += size;
        }
        return true;
    }

    /** Whether well-formed bytes have a control character, which names are better without (specification 1.5.4). */
    public static boolean hasControl(ByteBuf buffer, int index, int length) {
        int end = index + length;
        for (int i = index; i < end; i++) {
            int b = buffer.getByte(i);
            if ((b >= 0 && b < 0x20) || b == DELETE || (b == C1_LEAD && buffer.getByte(i + 1) < C1_END)) {
                return true;
            }
        }
        return false;
    }

    /** The length of a sequence of several bytes; 0 where it is not well formed. */
    private static int sequence(ByteBuf buffer, int at, int end, int signed) {
        int first = signed & 0xFF;
        if (first < 0xC2 || first > 0xF4) {
            return 0;
        }
        int size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if (at + size > end) {
            return 0;
        }
        int second = buffer.getUnsignedByte(at + 1);
        int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > most) {
            return 0;
        }
        for (int i = 2; i < size; i++) {
            if ((buffer.getByte(at + i) & 0xC0) != 0x80) {
                return 0;
            }
        }
        return size;
    }
}
