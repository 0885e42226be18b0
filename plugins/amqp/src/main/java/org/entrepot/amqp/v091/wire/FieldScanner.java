package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/**
 * Walks the fields of a table without making anything of them, and checks on the way that they are well formed and within
 * the limits. Owned by whoever walks, for one table at a time; reused.
 *
 * <p>It does not recurse: a table that nests costs as much stack as one that does not. Every element is charged, also one
 * without bytes of its own.
 */
final class FieldScanner {
    private static final int[] NONE = {};

    /** Ends of the tables and arrays that are open within the value being skipped. Many connections never see one. */
    private int[] ends = NONE;

    /** Bit i is set where {@code ends[i]} is the end of a table. */
    private int tables;

    private int elements;
    private int method = Methods.NONE;

    /** Begins a table; errors will name {@code method}. */
    void begin(int method) {
        this.method = method;
        this.elements = 0;
    }

    /** Checks a whole table, whose fields end at {@code end}. */
    void table(ByteBuf buffer, int index, int end) {
        int at = index;
        while (at < end) {
            at = value(buffer, key(buffer, at, end), end);
        }
    }

    /** Skips a key, which may have any bytes; where its type letter is. */
    int key(ByteBuf buffer, int at, int end) {
        charge();
        int next = at + 1 + buffer.getUnsignedByte(at);
        if (next >= end) {
            throw malformed();
        }
        return next;
    }

    /** Skips a value from its type letter on, with all that is nested in it; where the next field begins. */
    int value(ByteBuf buffer, int letterIndex, int end) {
        int open = 0;
        int limit = end;
        int at = letterIndex;
        while (true) {
            int letter = buffer.getByte(at++);
            int size = fixedSize(letter);
            if (size < 0) {
                size = 4 + length(buffer, at, limit);
            }
            if (size > limit - at) {
                throw malformed();
            }
            if (letter == 'F' || letter == 'A') {
                if (open == FieldTable.DEPTH_MAX - 1) {
                    throw new WireException(
                            ReplyCode.FRAME_ERROR,
                            "field table nested more than " + FieldTable.DEPTH_MAX + " deep",
                            method);
                }
                if (ends == NONE) {
                    ends = new int[FieldTable.DEPTH_MAX];
                }
                ends[open] = at + size;
                tables = letter == 'F' ? tables | 1 << open : tables & ~(1 << open);
                open++;
                at += 4;
            } else {
                at += size;
            }
            while (open > 0 && at == ends[open - 1]) {
                open--;
            }
            if (open == 0) {
                return at;
            }
            limit = ends[open - 1];
            if ((tables & 1 << (open - 1)) != 0) {
                at = key(buffer, at, limit);
            } else {
                charge();
            }
        }
    }

    /** Bytes after the letter of a value whose size its type says; -1 where a length follows. */
    private int fixedSize(int letter) {
        return switch (letter) {
            case 'V' -> 0;
            case 't', 'b', 'B' -> 1;
            case 's', 'u' -> 2;
            case 'I', 'i', 'f' -> 4;
            case 'D' -> 5;
            case 'l', 'L', 'd', 'T' -> 8;
            case 'S', 'x', 'A', 'F' -> -1;
            default ->
                throw new WireException(ReplyCode.INTERNAL_ERROR, "unknown field type " + letter(letter), method);
        };
    }

    private int length(ByteBuf buffer, int at, int limit) {
        if (4 > limit - at) {
            throw malformed();
        }
        int length = buffer.getInt(at);
        if (length < 0 || length > limit - at - 4) {
            throw malformed();
        }
        return length;
    }

    private void charge() {
        if (++elements > FieldTable.ELEMENTS_MAX) {
            throw new WireException(
                    ReplyCode.FRAME_ERROR,
                    "field table has more than " + FieldTable.ELEMENTS_MAX + " elements",
                    method);
        }
    }

    WireException malformed() {
        return new WireException(ReplyCode.FRAME_ERROR, "malformed field table", method);
    }

    private static String letter(int letter) {
        return letter > ' ' && letter < 0x7F ? "'" + (char) letter + "'" : Integer.toString(letter & 0xFF);
    }
}
