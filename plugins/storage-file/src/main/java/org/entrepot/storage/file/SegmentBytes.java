package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.jspecify.annotations.Nullable;

/** A segment's bytes, all of them, and where batches are in them. Used by one thread, which releases it. */
final class SegmentBytes implements AutoCloseable {
    private static final int WORD = 8;

    private final long store;
    private final long number;
    private final ByteBuf bytes;
    private final Checksums checksums;
    private final RecordCheck check;

    private SegmentBytes(long store, long number, ByteBuf bytes, Checksums checksums) {
        this.store = store;
        this.number = number;
        this.bytes = bytes;
        this.checksums = checksums;
        this.check = new RecordCheck(checksums);
    }

    static SegmentBytes read(Disk disk, long store, long number, Checksums checksums) throws IOException {
        try (DiskFile file = disk.open(Segment.name(number))) {
            return read(file, store, number, checksums);
        }
    }

    static SegmentBytes read(DiskFile file, long store, long number, Checksums checksums) throws IOException {
        int size = Math.toIntExact(file.size());
        ByteBuf bytes = Unpooled.directBuffer(Math.max(size, 1));
        boolean read = false;
        try {
            ByteBuffer target = bytes.nioBuffer(0, size);
            while (target.hasRemaining()) {
                if (file.read(target, target.position()) < 0) {
                    break;
                }
            }
            bytes.writerIndex(target.position());
            read = true;
            return new SegmentBytes(store, number, bytes, checksums);
        } finally {
            if (!read) {
                bytes.release();
            }
        }
    }

    ByteBuf buffer() {
        return bytes;
    }

    int size() {
        return bytes.writerIndex();
    }

    /** The head of the batch at an index, or null where none of this segment begins there. */
    Batch.@Nullable Head head(int at) {
        return Batch.head(bytes, at, store, number, checksums);
    }

    /** The next index at which a batch of the segment begins, or -1. */
    int nextHead(int from) {
        for (int at = from; at + Batch.HEAD <= bytes.writerIndex(); at += WORD) {
            if (Batch.mayBegin(bytes, at) && head(at) != null) {
                return at;
            }
        }
        return -1;
    }

    /** The next index behind this one at which a batch begins, or -1. */
    int nextHeadAfter(int at) {
        return nextHead(at + WORD);
    }

    /** Whether all records of a batch are what was written. */
    boolean isWhole(int at, Batch.Head head) {
        int start = at + Batch.HEAD;
        if (head.length() < 0 || head.length() > bytes.writerIndex() - start) {
            return false;
        }
        int end = start + head.length();
        int records = 0;
        try {
            while (start < end) {
                start += check.length(bytes, start, end, number);
                records++;
            }
        } catch (DamagedException damaged) {
            return false;
        }
        return records == head.records();
    }

    /** The number of the first batch whose head is there; -1 where there is none. */
    long firstHead() {
        int at = nextHead(0);
        Batch.Head head = at < 0 ? null : head(at);
        return head == null ? -1 : head.number();
    }

    /** The number of the first batch, as far as it can be told; -1 where there is none. */
    long firstBatch() {
        // Where the very first batch is broken, it is the one before the next that is there.
        return head(0) != null ? firstHead() : Math.max(-1, firstHead() - 1);
    }

    /** Up to which batch everything was synced, as batches from an index on say that do not come before this one. */
    long synced(int from, long expected) {
        long synced = -1;
        for (int at = nextHead(from); at >= 0; at = nextHeadAfter(at)) {
            Batch.Head head = head(at);
            if (head != null && head.number() >= expected) {
                synced = Math.max(synced, head.synced());
            }
        }
        return synced;
    }

    /** The greatest number that a record of a truncation names. */
    long truncation() {
        long oldest = 0;
        for (int at = nextHead(0); at >= 0; at = nextHeadAfter(at)) {
            Batch.Head head = head(at);
            if (head != null) {
                oldest = Math.max(oldest, truncation(at, head));
            }
        }
        return oldest;
    }

    private long truncation(int at, Batch.Head head) {
        long oldest = 0;
        int end = (int) Math.min(bytes.writerIndex(), (long) at + Batch.HEAD + Math.max(0, head.length()));
        try {
            for (int start = at + Batch.HEAD; start < end; ) {
                int length = check.length(bytes, start, end, number);
                if (Records.kind(bytes, start) == Records.TRUNCATED) {
                    oldest = Math.max(oldest, Varints.read(Records.content(bytes, start, length)));
                }
                start += length;
            }
        } catch (DamagedException damaged) {
            // What comes before the damage counts.
            return oldest;
        }
        return oldest;
    }

    @Override
    public void close() {
        bytes.release();
    }
}
