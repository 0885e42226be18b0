package org.entrepot.core.queue;

import java.util.Arrays;

/**
 * Instants at which entries with a time to live of their own expire: a binary heap of primitives, earliest first. Part of
 * a queue's state. May name entries that are gone or delivered meanwhile; who takes one out checks.
 */
final class Deadlines {
    static final long NONE = Long.MAX_VALUE;

    private long[] instants = new long[0];
    private long[] positions = new long[0];
    private int size;

    /** The earliest instant, or {@link #NONE}. */
    long first() {
        return size == 0 ? NONE : instants[0];
    }

    void add(long instant, long position) {
        if (size == instants.length) {
            int length = Math.max(16, size * 2);
            instants = Arrays.copyOf(instants, length);
            positions = Arrays.copyOf(positions, length);
        }
        int at = size++;
        while (at > 0 && instants[(at - 1) >>> 1] > instant) {
            int parent = (at - 1) >>> 1;
            instants[at] = instants[parent];
            positions[at] = positions[parent];
            at = parent;
        }
        instants[at] = instant;
        positions[at] = position;
    }

    /** Takes the earliest out; gives its position. */
    long poll() {
        assert size > 0;
        long position = positions[0];
        size--;
        long instant = instants[size];
        long last = positions[size];
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && instants[child + 1] < instants[child]) {
                child++;
            }
            if (instants[child] >= instant) {
                break;
            }
            instants[at] = instants[child];
            positions[at] = positions[child];
            at = child;
        }
        instants[at] = instant;
        positions[at] = last;
        return position;
    }

    int size() {
        return size;
    }
}
