package org.entrepot.core.queue;

/**
 * Which entries are being brought into memory, one stretch at a time, and for whom. Part of a {@link QueueMachine}.
 *
 * <p>Those who take entries and those who only read them have their turns one after the other, so that neither is kept
 * waiting by the other's long backlog.
 */
final class Loading {
    private final QueueEffects effects;
    private boolean underWay;
    private long from;
    private boolean isForReader;
    /** Where a reader waits for its turn. */
    private long readerNext = ReadySet.NONE;
    /** Up to where entries were loaded for consumers last, and the position whose delivery is the time for further ones. */
    private long loadedTo;

    private long readAheadAt = ReadySet.NONE;
    /** What was loaded for a reader last, and for nobody who has asked since. */
    private long readerLast = ReadySet.NONE;

    Loading(QueueEffects effects) {
        this.effects = effects;
    }

    /** Whether entries were asked for that have not come yet. */
    boolean isUnderWay() {
        return underWay;
    }

    /** Those who take entries need the one at this position. */
    void load(long position) {
        if (!underWay) {
            begin(position, false);
        }
    }

    /** A reader needs the entry at this position; it asks again when something was loaded. */
    void loadForReader(long position) {
        readerLast = readerLast == position ? ReadySet.NONE : readerLast;
        if (underWay) {
            readerNext = isForReader ? readerNext : position;
        } else {
            begin(position, true);
        }
    }

    private void begin(long position, boolean forReader) {
        underWay = true;
        from = position;
        isForReader = forReader;
        readerNext = forReader ? ReadySet.NONE : readerNext;
        effects.load(position);
    }

    /** The position that was asked for. */
    long from() {
        return from;
    }

    /** Entries of these positions were loaded; gives whether they were for those who take them. */
    boolean loaded(long first, long last) {
        underWay = false;
        if (isForReader) {
            readerLast = from;
            return false;
        }
        if (last >= first) {
            loadedTo = last;
            readAheadAt = first + (last - first) / 2;
        }
        if (readerNext != ReadySet.NONE) {
            begin(readerNext, true);
        }
        return true;
    }

    /** Entries of these positions cannot be loaded. */
    void lost(long first, long last) {
        if (underWay && from >= first && from <= last) {
            underWay = false;
            readerLast = isForReader ? from : readerLast;
        }
    }

    /** Whether this entry was loaded for readers that asked for it, who have to do without it where it did not come. */
    boolean wasForReader(long position) {
        return position == readerLast;
    }

    /** Whether half of what was loaded last is handed out, once; then it is time for what follows {@link #loadedTo}. */
    boolean isTimeToReadAhead(long handedOut) {
        boolean time = handedOut >= readAheadAt;
        readAheadAt = time ? ReadySet.NONE : readAheadAt;
        return time;
    }

    long loadedTo() {
        return loadedTo;
    }
}
