package org.entrepot.core.queue;

import java.util.Arrays;

/** Runs of positions in the order in which they were added; those that touch become one. Part of a queue's state. */
final class PositionRuns {
    private static final int LENGTH_FIRST = 8;

    /** First and last of each. */
    private long[] ends = new long[0];

    private int size;

    /** Adds positions, both included. */
    void add(long from, long to) {
        if (size > 0 && ends[size - 1] + 1 == from) {
            ends[size - 1] = to;
            return;
        }
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, Math.max(LENGTH_FIRST, size * 2));
        }
        ends[size] = from;
        ends[size + 1] = to;
        size += 2;
    }

    void each(QueueState.Range visitor) {
        for (int i = 0; i < size; i += 2) {
            visitor.positions(ends[i], ends[i + 1]);
        }
    }
}
