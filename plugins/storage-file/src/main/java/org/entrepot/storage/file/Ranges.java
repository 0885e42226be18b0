package org.entrepot.storage.file;

import java.util.Arrays;

/** Ranges of positions in the order in which they were added, neighbours joined. Used by one thread. */
final class Ranges {
    private long[] bounds = new long[4];
    private int size;

    /** Adds the positions from one up to and including the other. */
    void add(long from, long to) {
        if (size > 0 && bounds[size - 1] == from - 1) {
            bounds[size - 1] = to;
            return;
        }
        if (size == bounds.length) {
            bounds = Arrays.copyOf(bounds, size * 2);
        }
        bounds[size] = from;
        bounds[size + 1] = to;
        size += 2;
    }

    int size() {
        return size / 2;
    }

    long from(int range) {
        return bounds[range * 2];
    }

    long to(int range) {
        return bounds[range * 2 + 1];
    }

    void clear() {
        bounds = new long[4];
        size = 0;
    }

    /** The first range that does not end before a position; where ranges were added in rising order. */
    int firstReaching(long position) {
        int low = 0;
        int high = size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (to(middle) < position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether a position is in a range; where ranges were added in rising order. */
    boolean contains(long position) {
        int range = firstReaching(position);
        return range < size() && from(range) <= position;
    }
}
