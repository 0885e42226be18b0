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
    /** Whether there is never a range. */
    private final boolean scattered;

    /** A set of which most goes in the order in which it came. */
    ReadySet() {
        this(false);
    }

    /**
     * An empty set.
     *
     * @param scattered whether a few may stay for ever while the rest comes and goes, as in a table: a range would have
     *     more and more holes
     */
    ReadySet(boolean scattered) {
        this.scattered = scattered;
    }

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
        } else if (from == to && !scattered) {
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

    /** Adds positions, both included, that are all greater than those in it. */
    void addAll(long first, long last) {
        long length = last - first + 1;
        long gap = first - to;
        if (scattered) {
            for (long position = first; position <= last; position++) {
                others.add(position);
            }
        } else if (from == to) {
            from = first;
            to = last + 1;
        } else if (gap <= length) {
            for (long position = to; position < first; position++) {
                if (!others.remove(position)) {
                    holes.add(position);
                }
            }
            to = last + 1;
        } else if (length > to - from) {
            for (long position = from; position < to; position++) {
                if (!holes.remove(position)) {
                    others.add(position);
                }
            }
            from = first;
            to = last + 1;
        } else {
            for (long position = first; position <= last; position++) {
                others.add(position);
            }
        }
    }

    /** Takes out what is ready of these positions, both included; gives how many those were. */
    long removeAll(long first, long last) {
        long removed = 0;
        for (long other = others.next(first); other <= last && other != NONE; other = others.next(other + 1)) {
            others.remove(other);
            removed++;
        }
        long low = Math.max(first, from);
        long high = Math.min(last, to - 1);
        if (low > high) {
            return removed;
        }
        if (low > from && high < to - 1) {
            for (long position = low; position <= high; position++) {
                removed += holes.add(position) ? 1 : 0;
            }
            return removed;
        }
        removed += high - low + 1;
        for (long hole = holes.next(low); hole <= high; hole = holes.next(hole + 1)) {
            holes.remove(hole);
            removed--;
        }
        if (low > from) {
            to = low;
            dropHolesAtEnd();
        } else {
            from = high + 1;
            skipHoles();
        }
        return removed;
    }

    /** The least ready position that is at least {@code start}, or {@link #NONE}. */
    long next(long start) {
        long inRange = Math.max(start, from);
        while (inRange < to && holes.contains(inRange)) {
            inRange++;
        }
        return Math.min(inRange < to ? inRange : NONE, others.next(start));
    }

    /** The least position above a ready one that is not ready. */
    long endOfRun(long ready) {
        long end = ready;
        while (true) {
            if (end >= from && end < to && !holes.contains(end)) {
                end = Math.min(to, holes.next(end));
            } else if (others.contains(end)) {
                end++;
            } else {
                return end;
            }
        }
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

    private void dropHolesAtEnd() {
        while (from < to && holes.remove(to - 1)) {
            to--;
        }
    }
}
