package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.jspecify.annotations.Nullable;

/**
 * Writes segments anew from what a recovery could read of them, and puts some with nothing in them where others are missing:
 * each batch under its number, so that the chain is whole again. Used by the recovery's thread.
 *
 * <p>The files are complete and synced when the recovery has ended, and have names that nobody looks for yet.
 */
final class SegmentRewriter implements RecoveryWatch, AutoCloseable {
    private static final String UNFINISHED = ".unfinished";

    private final Disk disk;
    private final long store;
    private final Set<Long> wanted;
    private final List<Extra> extras;
    private final List<Long> written = new ArrayList<>();
    private @Nullable Writing writing;
    private SegmentCensus.@Nullable Missing gap;
    private long dropped;

    /** A record of the engine's own that is to be added. Immutable. */
    record Extra(byte kind, long number) {}

    /**
     * What is to be done.
     *
     * @param disk where the new files are made
     * @param wanted the segments to write anew
     * @param extras records to add to the first of them
     */
    SegmentRewriter(Disk disk, long store, Set<Long> wanted, List<Extra> extras) {
        this.disk = disk;
        this.store = store;
        this.wanted = Set.copyOf(wanted);
        this.extras = new ArrayList<>(extras);
    }

    static String unfinished(long segment) {
        return Segment.name(segment) + UNFINISHED;
    }

    /** The segments for which there is a new file. */
    List<Long> written() {
        return written;
    }

    /** Entries that are not in the new files because the message they refer to cannot be read. */
    long dropped() {
        return dropped;
    }

    /** Writes what is left to be written: into this segment where there was no batch at all. */
    void finish(long segment) throws IOException {
        if (!extras.isEmpty()) {
            Writing last = new Writing(segment);
            last.batch(1);
            last.end(0);
        }
    }

    @Override
    public void refused(String file, String why, @Nullable Throwable cause) {
        // It is what is being mended.
    }

    @Override
    public void missing(long firstSegment, long lastSegment, long next) {
        if (next > 0) {
            gap = new SegmentCensus.Missing(firstSegment, lastSegment, next);
        }
    }

    @Override
    public void batch(Segment segment, long number) {
        try {
            bridge(number);
            if (wanted.contains(segment.number())) {
                Writing current = writing;
                if (current == null) {
                    current = new Writing(segment.number());
                    writing = current;
                }
                current.batch(number);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Puts batches with nothing in them in place of those that are missing: before this one. */
    private void bridge(long number) throws IOException {
        SegmentCensus.Missing missing = gap;
        gap = null;
        if (missing != null) {
            Writing bridge = new Writing(missing.firstSegment());
            bridge.next = missing.next();
            bridge.end(number);
            for (long segment = missing.firstSegment() + 1; segment <= missing.lastSegment(); segment++) {
                new Writing(segment).end(0);
            }
        }
    }

    @Override
    public void record(Segment segment, ByteBuf bytes, int start, int length) {
        Writing current = writing;
        if (current != null) {
            try {
                current.record(bytes, start, length);
            } catch (DamagedException senseless) {
                throw new IllegalStateException("a record that was read a moment ago", senseless);
            }
        }
    }

    @Override
    public void ended(Segment segment, long next) {
        Writing current = writing;
        writing = null;
        try {
            if (current != null) {
                current.end(next);
            } else if (wanted.contains(segment.number())) {
                new Writing(segment.number()).end(0);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() throws IOException {
        Writing current = writing;
        if (current != null) {
            current.file.close();
        }
    }

    /** A segment that is written. */
    private final class Writing {
        private static final int FLUSHED = 1 << 20;

        private final Segment segment;
        private final DiskFile file;
        private final ByteBuf out = Unpooled.buffer(FLUSHED);
        private final ByteBuf buffer = Unpooled.buffer(FLUSHED);
        /** Where messages were that later records may refer to, and where they are. */
        private final LongList before = new LongList();

        private final LongList after = new LongList();
        private long flushed;
        private @Nullable Batch open;
        /** The next batch's number; 0 before the first. */
        private long next;

        Writing(long number) throws IOException {
            segment = new Segment(number, Integer.MAX_VALUE);
            disk.delete(unfinished(number));
            file = disk.create(unfinished(number));
        }

        void batch(long number) throws IOException {
            Batch same = open;
            if (same != null && same.number() >= number) {
                // What was taken for one that is lost is this one.
                return;
            }
            seal();
            fill(number);
            begin(number);
            for (Extra extra : extras) {
                ByteBuf content = Unpooled.buffer(Varints.BYTES_MAX);
                Varints.write(content, extra.number());
                add(extra.kind(), content);
            }
            extras.clear();
        }

        /** Batches with nothing in them, for those of which nothing is left. */
        private void fill(long number) throws IOException {
            while (next > 0 && next < number) {
                begin(next);
                seal();
            }
            next = number;
        }

        private void begin(long number) {
            int offset = Batch.align(Math.toIntExact(flushed + out.writerIndex()));
            open = new Batch(buffer.clear(), segment, offset, number);
        }

        private void seal() throws IOException {
            Batch batch = open;
            open = null;
            if (batch != null) {
                batch.seal(store, batch.number() - 1);
                out.writeZero(batch.offset() - Math.toIntExact(flushed + out.writerIndex()));
                out.writeBytes(buffer);
                next = batch.number() + 1;
                if (out.writerIndex() >= FLUSHED) {
                    flush();
                }
            }
        }

        private void flush() throws IOException {
            ByteBuffer bytes = out.nioBuffer();
            while (bytes.hasRemaining()) {
                flushed += file.write(bytes, flushed);
            }
            out.clear();
        }

        void record(ByteBuf bytes, int start, int length) throws DamagedException {
            byte kind = Records.kind(bytes, start);
            ByteBuf content = Records.content(bytes, start, length);
            if (kind != Records.REFERENCE) {
                int at = add(kind, content);
                if (kind == Records.ENTRY) {
                    before.add(start);
                    after.add(at);
                }
                return;
            }
            EntryCodec.read(content);
            int headLength = content.readerIndex();
            int message = before.indexOf(Varints.read(content));
            int bodyBytes = (int) Varints.read(content);
            if (message < 0) {
                dropped++;
                return;
            }
            ByteBuf reference = Unpooled.buffer(headLength + 2 * Varints.BYTES_MAX);
            reference.writeBytes(content, 0, headLength);
            EntryCodec.writeReference(reference, after.get(message), bodyBytes);
            add(kind, reference);
        }

        /** Adds a record; gives its offset. */
        private int add(byte kind, ByteBuf content) {
            Batch batch = open;
            if (batch == null) {
                throw new IllegalStateException("a record outside of any batch");
            }
            int start = Records.begin(buffer, kind);
            buffer.writeBytes(content, 0, content.writerIndex());
            Records.end(buffer, start);
            batch.added(start, false);
            return batch.offset() + start;
        }

        /** Ends the file, after batches up to this one. */
        void end(long number) throws IOException {
            seal();
            fill(Math.max(next, number));
            flush();
            file.sync();
            file.close();
            written.add(segment.number());
        }
    }
}
