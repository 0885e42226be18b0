package org.entrepot.stomp.wire;

import java.util.Arrays;

/** Lines of headers being put together, in one array that is used again and again. Owned by its connection's loop. */
public final class LineBuffer {
    private static final int CAPACITY_MIN = 256;

    /** A larger array is given back. */
    private static final int CAPACITY_KEPT = 4096;

    private byte[] array = new byte[CAPACITY_MIN];
    private int length;

    /** Begins anew. */
    public void clear() {
        length = 0;
        if (array.length > CAPACITY_KEPT) {
            array = new byte[CAPACITY_MIN];
        }
    }

    public int length() {
        return length;
    }

    /** Copies all that was put together. */
    public void copyTo(byte[] target) {
        System.arraycopy(array, 0, target, 0, length);
    }

    /** A copy of all that was put together. */
    public byte[] toArray() {
        return Arrays.copyOf(array, length);
    }

    void bytes(byte[] source, int from, int to) {
        int bytes = to - from;
        ensure(bytes);
        System.arraycopy(source, from, array, length, bytes);
        length += bytes;
    }

    void escapingColons(byte[] source, int from, int to) {
        ensure(2 * (to - from));
        for (int i = from; i < to; i++) {
            if (source[i] == ':') {
                array[length++] = '\\';
                array[length++] = 'c';
            } else {
                array[length++] = source[i];
            }
        }
    }

    void colon() {
        one((byte) ':');
    }

    void endLine() {
        one((byte) '\n');
    }

    private void one(byte b) {
        ensure(1);
        array[length++] = b;
    }

    /** Appends a line with a header's name and a value that is escaped. */
    public void line(String name, String value) {
        byte[] nameBytes = Escapes.encode(name);
        byte[] valueBytes = Escapes.encode(value);
        bytes(nameBytes, 0, nameBytes.length);
        colon();
        bytes(valueBytes, 0, valueBytes.length);
        endLine();
    }

    private void ensure(int more) {
        if (array.length - length < more) {
            array = Arrays.copyOf(array, Math.max(2 * array.length, Math.addExact(length, more)));
        }
    }
}
