package org.entrepot.storage.file;

import java.util.BitSet;

/**
 * Neighbouring entries of one log in one table. Owned as the log. Which of them are gone is kept as a floor and as bits above
 * it, so that what is consumed in order costs nothing.
 */
final class Run {
    private final Table table;
    private final TableRun in;
    private long floor;
    private final BitSet gone = new BitSet();
    private long live;
    private final long entries;

    Run(Table table, TableRun in) {
        this.table = table;
        this.in = in;
        this.floor = in.first();
        this.live = in.last() - in.first() + 1;
        for (int i = 0; i < in.gaps().size(); i += 2) {
            removeGap(in.gaps().get(i), in.gaps().get(i + 1));
        }
        this.entries = Math.max(1, live);
    }

    private void removeGap(long from, long to) {
        gone.set(index(from), index(to) + 1);
        live -= to - from + 1;
    }

    Table table() {
        return table;
    }

    TableRun in() {
        return in;
    }

    long first() {
        return in.first();
    }

    long last() {
        return in.last();
    }

    long live() {
        return live;
    }

    /** Bytes of what is live, as far as its number tells. */
    long liveBytes() {
        return (long) ((double) in.bytes() * live / entries);
    }

    boolean isLive(long position) {
        return position >= floor && position <= last() && !gone.get(index(position));
    }

    /** The least live position that is at least this one, or -1. */
    long next(long from) {
        long start = Math.max(from, floor);
        if (start > last()) {
            return -1;
        }
        long next = in.first() + gone.nextClearBit(index(start));
        return next > last() ? -1 : next;
    }

    /** The last of the live positions that follow each other from this live one on. */
    long stretch(long from) {
        int end = gone.nextSetBit(index(from));
        return end < 0 ? last() : Math.min(last(), in.first() + end - 1);
    }

    /** These positions, as far as they are of this run, are gone; how many of them were live. */
    long remove(long from, long to) {
        long start = Math.max(from, floor);
        long end = Math.min(to, last());
        long removed = 0;
        for (long position = next(start); position >= 0 && position <= end; position = next(position + 1)) {
            if (position == floor) {
                floor++;
            } else {
                gone.set(index(position));
            }
            removed++;
        }
        long next = next(floor);
        floor = next < 0 ? last() + 1 : next;
        live -= removed;
        return removed;
    }

    private int index(long position) {
        return (int) (position - in.first());
    }
}
