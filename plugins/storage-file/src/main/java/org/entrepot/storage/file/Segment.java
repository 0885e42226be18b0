package org.entrepot.storage.file;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.entrepot.spi.storage.DiskFile;
import org.jspecify.annotations.Nullable;

/**
 * One file of the journal. What it counts is guarded by the journal; its file is opened by the journal's writer and read by
 * anybody who {@linkplain #acquire holds} it.
 */
final class Segment {
    private static final NumberedFiles FILES = new NumberedFiles("journal");

    private final long number;
    /** Bytes it may take; more than usual for a record that is longer. */
    private final int size;
    /** Entries in it that are in their logs, and the bytes of their records. */
    private long liveEntries;

    private long liveBytes;
    /** Where messages are that later records refer to. */
    private final Set<Integer> shared = new HashSet<>(0);
    /** Where the next batch may begin. */
    private int end;

    private int pins;
    private volatile boolean damaged;
    private volatile @Nullable DiskFile file;
    private int holders = 1;

    Segment(long number, int size) {
        this.number = number;
        this.size = size;
    }

    static String name(long number) {
        return FILES.name(number);
    }

    /** The number of the segment that a file is, or -1 when it is none. */
    static long number(String name) {
        return FILES.number(name);
    }

    long number() {
        return number;
    }

    int size() {
        return size;
    }

    String name() {
        return name(number);
    }

    int end() {
        return end;
    }

    void end(int offset) {
        end = offset;
    }

    void added(int bytes) {
        liveEntries++;
        liveBytes += bytes;
    }

    void removed(long entries, long bytes) {
        liveEntries -= entries;
        liveBytes -= bytes;
        assert liveEntries >= 0 && liveBytes >= 0 : this + " has " + liveEntries + " entries, " + liveBytes + " bytes";
    }

    long liveEntries() {
        return liveEntries;
    }

    long liveBytes() {
        return liveBytes;
    }

    /** A later record refers to the message in the record at this offset. */
    void share(int offset) {
        shared.add(offset);
    }

    boolean isShared(int offset) {
        return shared.contains(offset);
    }

    /** A log has something here that it does not know of yet: the segment is to stay. */
    void pin() {
        pins++;
    }

    void unpin() {
        pins--;
        assert pins >= 0 : this + " is held " + pins + " times";
    }

    boolean isPinned() {
        return pins > 0;
    }

    /** What was synced in it cannot be read: the file is to be kept for who wants to look at it. */
    void damaged() {
        damaged = true;
    }

    boolean isDamaged() {
        return damaged;
    }

    boolean hasShared() {
        return !shared.isEmpty();
    }

    void file(DiskFile opened) {
        file = opened;
    }

    @Nullable DiskFile file() {
        return file;
    }

    /** Keeps the file open until {@link #release}; false when it is closed. */
    synchronized boolean acquire() {
        if (holders == 0) {
            return false;
        }
        holders++;
        return true;
    }

    /** Lets go; the last who does closes the file, and learns it. */
    boolean release() throws IOException {
        synchronized (this) {
            if (--holders > 0) {
                return false;
            }
        }
        DiskFile open = file;
        if (open != null) {
            open.close();
        }
        return true;
    }

    @Override
    public String toString() {
        return name();
    }
}
