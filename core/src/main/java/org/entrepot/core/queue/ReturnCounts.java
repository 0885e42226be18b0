package org.entrepot.core.queue;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * How often entries that came back to their queue have failed, by position: an open-addressing hash table of primitives.
 * Part of a queue's state. An entry that was never returned is not in it.
 */
final class ReturnCounts {
    /** What {@link #get} answers for an entry that was never returned. */
    static final int NEVER = -1;

    private static final long FREE = -1;

    private static final int LENGTH_FIRST = 16;

    private long[] positions = newPositions(LENGTH_FIRST);
    private int[] counts = new int[LENGTH_FIRST];
    private int size;

    /** Failures of an entry that was returned, 0 or more; or {@link #NEVER}. */
    int get(long position) {
        if (size == 0) {
            return NEVER;
        }
        int slot = find(position);
        return positions[slot] == position ? counts[slot] : NEVER;
    }

    void put(long position, int failures) {
        if (size >= positions.length / 2) {
            grow();
        }
        int slot = find(position);
        if (positions[slot] != position) {
            positions[slot] = position;
            size++;
        }
        counts[slot] = failures;
    }

    void remove(long position) {
        if (size == 0) {
            return;
        }
        int slot = find(position);
        if (positions[slot] != position) {
            return;
        }
        size--;
        if (size == 0 && positions.length > LENGTH_FIRST) {
            positions = newPositions(LENGTH_FIRST);
            counts = new int[LENGTH_FIRST];
            return;
        }
        // Close the gap, so that what was placed behind it is still found.
        int gap = slot;
        int mask = positions.length - 1;
        for (int i = (gap + 1) & mask; positions[i] != FREE; i = (i + 1) & mask) {
            int home = home(positions[i]);
            if (((i - home) & mask) >= ((i - gap) & mask)) {
                positions[gap] = positions[i];
                counts[gap] = counts[i];
                gap = i;
            }
        }
        positions[gap] = FREE;
    }

    int size() {
        return size;
    }

    /** Forgets all entries but these. */
    void retain(LongPredicate wanted) {
        if (size == 0) {
            return;
        }
        long[] oldPositions = positions;
        int[] oldCounts = counts;
        positions = newPositions(LENGTH_FIRST);
        counts = new int[LENGTH_FIRST];
        size = 0;
        for (int i = 0; i < oldPositions.length; i++) {
            if (oldPositions[i] != FREE && wanted.test(oldPositions[i])) {
                put(oldPositions[i], oldCounts[i]);
            }
        }
    }

    /** Takes one entry. */
    @FunctionalInterface
    interface Visitor {
        void returned(long position, int failures);
    }

    /** Shows all entries, in no order. */
    void each(Visitor visitor) {
        for (int i = 0; size > 0 && i < positions.length; i++) {
            if (positions[i] != FREE) {
                visitor.returned(positions[i], counts[i]);
            }
        }
    }

    private int find(long position) {
        int slot = home(position);
        while (positions[slot] != FREE && positions[slot] != position) {
            slot = (slot + 1) & (positions.length - 1);
        }
        return slot;
    }

    private int home(long position) {
        return (int) ((position * 0x9E3779B97F4A7C15L) >>> 32) & (positions.length - 1);
    }

    private void grow() {
        long[] oldPositions = positions;
        int[] oldCounts = counts;
        positions = newPositions(oldPositions.length * 2);
        counts = new int[positions.length];
        size = 0;
        for (int i = 0; i < oldPositions.length; i++) {
            if (oldPositions[i] != FREE) {
                put(oldPositions[i], oldCounts[i]);
            }
        }
    }

    private static long[] newPositions(int length) {
        long[] fresh = new long[length];
        Arrays.fill(fresh, FREE);
        return fresh;
    }
}
