package org.entrepot.core.queue;

/**
 * By when a consumer must have settled what it holds, in the order in which it got it: a ring of primitives. Part of a
 * queue's state.
 *
 * <p>What was settled meanwhile stays in it for a while: it is skipped when it comes to the head, and swept out when the
 * ring is full, so that the ring is never longer than a few times what the consumer holds.
 */
final class LeaseDeadlines {
    static final long NONE = Long.MAX_VALUE;

    private static final int LENGTH_FIRST = 16;

    private final Leases leases;
    private final Holder holder;
    private long[] positions = new long[0];
    private long[] instants = new long[0];
    private int head;
    private int size;

    /** Deadlines of what one holder holds. */
    LeaseDeadlines(Leases leases, Holder holder) {
        this.leases = leases;
        this.holder = holder;
    }

    /** The holder got an entry, and its deadline is not before that of what it got earlier. */
    void add(long position, long instant) {
        if (size == positions.length) {
            sweep();
        }
        int slot = slot(size);
        positions[slot] = position;
        instants[slot] = instant;
        size++;
    }

    /** The earliest instant at which something that is still held is due, or {@link #NONE}. */
    long firstInstant() {
        while (size > 0 && !isCurrent(head)) {
            head = slot(1);
            size--;
        }
        return size == 0 ? NONE : instants[head];
    }

    void clear() {
        positions = new long[0];
        instants = new long[0];
        head = 0;
        size = 0;
    }

    /** Slots that it takes. */
    int length() {
        return positions.length;
    }

    /** Whether it is still held, and was not returned and got once more since. */
    private boolean isCurrent(int slot) {
        return leases.holder(positions[slot]) == holder && leases.deadline(positions[slot]) == instants[slot];
    }

    private void sweep() {
        int current = 0;
        for (int i = 0; i < size; i++) {
            if (isCurrent(slot(i))) {
                current++;
            }
        }
        int length = Math.max(LENGTH_FIRST, 2 * Integer.highestOneBit(Math.max(1, 2 * current)));
        long[] sweptPositions = new long[length];
        long[] sweptInstants = new long[length];
        int swept = 0;
        for (int i = 0; i < size; i++) {
            int slot = slot(i);
            if (isCurrent(slot)) {
                sweptPositions[swept] = positions[slot];
                sweptInstants[swept] = instants[slot];
                swept++;
            }
        }
        positions = sweptPositions;
        instants = sweptInstants;
        head = 0;
        size = swept;
    }

    private int slot(int i) {
        return (head + i) & (positions.length - 1);
    }
}
