package org.entrepot.storage.file;

import java.util.Arrays;

/** A list of numbers. Used by one thread. */
final class LongList {
    private long[] values = new long[8];
    private int size;

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    long get(int index) {
        return values[index];
    }

    int size() {
        return size;
    }

    /** Where a number is in a list whose numbers rise, or -1. */
    int indexOf(long value) {
        int at = Arrays.binarySearch(values, 0, size, value);
        return at < 0 ? -1 : at;
    }

    void clear() {
        values = new long[8];
        size = 0;
    }
}
