package org.entrepot.core.queue;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Instants at which entries with a time to live of their own expire, each entry once: a binary heap of primitives, earliest
 * first, and of one instant in the order of their positions. Part of a queue's state. May name entries that are gone or
 * delivered meanwhile; who looks at the first checks.
 */
final class Deadlines {
    static final long NONE = Long.MAX_VALUE;

    private static final int LENGTH_FIRST = 16;

    private long[] instants = new long[0];
    private long[] positions = new long[0];
    private int size;
    /** The same positions. */
    private final PositionSet known = new PositionSet();

    /** The earliest instant, or {@link #NONE}. */
    long first() {
        return size == 0 ? NONE : instants[0];
    }

    /** The position that {@link #first} is about. */
    long firstPosition() {
        assert size > 0;
        return positions[0];
    }

    /** Adds an entry that is not in it yet. */
    void add(long instant, long position) {
        if (!known.add(position)) {
            return;
        }
        if (size == instants.length) {
            int length = Math.max(LENGTH_FIRST, Math.multiplyExact(size, 2));
            instants = Arrays.copyOf(instants, length);
            positions = Arrays.copyOf(positions, length);
        }
        up(size++, instant, position);
    }

    /** Takes the earliest out. */
    void removeFirst() {
        assert size > 0;
        known.remove(positions[0]);
        size--;
        down(0, instants[size], positions[size]);
    }

    int size() {
        return size;
    }

    /** Takes one entry. */
    @FunctionalInterface
    interface Visitor {
        void due(long instant, long position);
    }

    /** Shows all entries, in no order. */
    void each(Visitor visitor) {
        for (int i = 0; i < size; i++) {
            visitor.due(instants[i], positions[i]);
        }
    }

    /** Forgets all entries but these. */
    void retain(LongPredicate wanted) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (wanted.test(positions[i])) {
                instants[kept] = instants[i];
                positions[kept] = positions[i];
                kept++;
            } else {
                known.remove(positions[i]);
            }
        }
        size = kept;
        int length = Math.max(LENGTH_FIRST, size * 2);
        if (length < instants.length / 2) {
            instants = Arrays.copyOf(instants, length);
            positions = Arrays.copyOf(positions, length);
        }
        for (int i = (size >>> 1) - 1; i >= 0; i--) {
            down(i, instants[i], positions[i]);
        }
    }

    private void up(int from, long instant, long position) {
        int at = from;
        while (at > 0 && isBefore(instant, position, (at - 1) >>> 1)) {
            int parent = (at - 1) >>> 1;
            instants[at] = instants[parent];
            positions[at] = positions[parent];
            at = parent;
        }
        instants[at] = instant;
        positions[at] = position;
    }

    private void down(int from, long instant, long position) {
        int at = from;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && isBefore(instants[child + 1], positions[child + 1], child)) {
                child++;
            }
            if (isBefore(instant, position, child)) {
                break;
            }
            instants[at] = instants[child];
            positions[at] = positions[child];
            at = child;
        }
        instants[at] = instant;
        positions[at] = position;
    }

    private boolean isBefore(long instant, long position, int slot) {
        return instant < instants[slot] || (instant == instants[slot] && position < positions[slot]);
    }
}
