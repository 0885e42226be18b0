package org.entrepot.core.queue;

/**
 * The positions of one priority that are ready to be delivered, least first. Part of a queue's state.
 *
 * <p>What comes in one after the other and goes out in the same order, which is nearly everything, is one range and costs
 * nothing per entry. Only what leaves that order (returned, or taken from the middle) is kept by position.
 */
final class ReadySet {
    static final long NONE = PositionSet.NONE;

    /** The range {@code [from, to)}, all ready but for {@link #holes}. */
    private long from;

    private long to;
    private final PositionSet holes = new PositionSet();
    /** Ready positions outside the range. */
    private final PositionSet others = new PositionSet();

    boolean isEmpty() {
        return from == to && others.isEmpty();
    }

    boolean contains(long position) {
        return (position >= from && position < to) ? !holes.contains(position) : others.contains(position);
    }

    void add(long position) {
        assert !contains(position) : position + " is ready already";
        if (position >= from && position < to) {
            holes.remove(position);
        } else if (position == to && from < to) {
            to++;
        } else if (from == to) {
            from = position;
            to = position + 1;
        } else {
            others.add(position);
        }
    }

    /** Whether the position was ready. */
    boolean remove(long position) {
        if (position < from || position >= to) {
            return others.remove(position);
        }
        if (holes.contains(position)) {
            return false;
        }
        if (position == from) {
            from++;
            skipHoles();
        } else {
            holes.add(position);
        }
        return true;
    }

    /** The least ready position, or {@link #NONE}. */
    long first() {
        long inRange = from < to ? from : NONE;
        return others.isEmpty() ? inRange : Math.min(inRange, others.first());
    }

    private void skipHoles() {
        while (from < to && holes.remove(from)) {
            from++;
        }
    }
}
