package org.entrepot.core.listener;

import java.nio.ByteBuffer;
import org.entrepot.core.loop.OwnedBy;

/**
 * Whether bytes that come in pieces are UTF-8: shortest forms, no surrogates, nothing above U+10FFFF (RFC 3629 section
 * 4).
 */
@OwnedBy("who reads the bytes")
final class Utf8Check {
    private static final long NOT_ASCII = 0x8080_8080_8080_8080L;
    private static final int FIRST_LOW = 0x80;
    private static final int FIRST_HIGH = 0xbf;

    /** Bytes of a character that are still to come, and between what the next of them must be. */
    private int missing;

    private int low = FIRST_LOW;
    private int high = FIRST_HIGH;

    /** Whether all of a buffer is UTF-8, with no character cut off. */
    static boolean isUtf8(ByteBuffer bytes) {
        Utf8Check check = new Utf8Check();
        return check.goesOn(bytes, bytes.position(), bytes.remaining()) == bytes.remaining() && check.isComplete();
    }

    /** With how many of these bytes the text may go on. Where not with all, there is nothing to ask any more. */
    int goesOn(ByteBuffer bytes, int index, int length) {
        int at = index;
        int end = index + length;
        while (at < end) {
            if (missing == 0 && end - at >= Long.BYTES && (bytes.getLong(at) & NOT_ASCII) == 0) {
                at += Long.BYTES;
            } else if (!goesOn(bytes.get(at++) & 0xff)) {
                return at - 1 - index;
            }
        }
        return length;
    }

    /** Whether the text may end here. */
    boolean isComplete() {
        return missing == 0;
    }

    private boolean goesOn(int next) {
        if (missing > 0) {
            boolean fits = next >= low && next <= high;
            missing--;
            low = FIRST_LOW;
            high = FIRST_HIGH;
            return fits;
        }
        if (next < 0x80) {
            return true;
        }
        if (next < 0xc2 || next > 0xf4) {
            return false;
        }
        missing = next < 0xe0 ? 1 : next < 0xf0 ? 2 : 3;
        switch (next) {
            case 0xe0 -> low = 0xa0;
            case 0xed -> high = 0x9f;
            case 0xf0 -> low = 0x90;
            case 0xf4 -> high = 0x8f;
            default -> {}
        }
        return true;
    }
}
