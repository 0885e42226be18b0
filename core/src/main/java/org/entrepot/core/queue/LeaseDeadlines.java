package org.entrepot.core.queue;

import java.util.Arrays;

/**
 * By when a consumer must have settled what it holds, in the order in which it got it: a ring of primitives. Part of a
 * queue's state. Entries settled meanwhile are still in it; who looks at the head checks.
 */
final class LeaseDeadlines {
    static final long NONE = Long.MAX_VALUE;

    private long[] positions = new long[0];
    private long[] instants = new long[0];
    private int head;
    private int size;

    void add(long position, long instant) {
        if (size == positions.length) {
            int length = Math.max(16, size * 2);
            long[] grownPositions = new long[length];
            long[] grownInstants = new long[length];
            for (int i = 0; i < size; i++) {
                grownPositions[i] = positions[slot(i)];
                grownInstants[i] = instants[slot(i)];
            }
            positions = grownPositions;
            instants = grownInstants;
            head = 0;
        }
        positions[slot(size)] = position;
        instants[slot(size)] = instant;
        size++;
    }

    boolean isEmpty() {
        return size == 0;
    }

    long firstPosition() {
        return positions[head];
    }

    /** The earliest instant, or {@link #NONE}. */
    long firstInstant() {
        return size == 0 ? NONE : instants[head];
    }

    void removeFirst() {
        head = slot(1);
        size--;
    }

    /** Whether the entry at the head was got once more later, so that its first deadline no longer counts. */
    boolean firstIsOutdated() {
        for (int i = 1; i < size; i++) {
            if (positions[slot(i)] == positions[head]) {
                return true;
            }
        }
        return false;
    }

    void clear() {
        positions = new long[0];
        instants = new long[0];
        head = 0;
        size = 0;
    }

    private int slot(int i) {
        return positions.length == 0 ? 0 : (head + i) & (positions.length - 1);
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.copyOf(positions, size));
    }
}
