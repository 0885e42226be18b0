package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.storage.DiskFile;
import org.jspecify.annotations.Nullable;

/**
 * Reads entries back: from places of the journal, or from a run of a table. Used by one thread, which may wait for the disk.
 *
 * <p>Neighbours are read with one call: what is read is kept until something beyond it is asked for.
 */
final class Reading {
    private static final int WINDOW = 1 << 18;
    private static final int HEAD_READ = 1 << 12;

    private final Journal journal;
    private final Map<String, MessageFormat> formats;
    private final RecordCheck check;
    private @Nullable DiskFile windowFile;
    private long windowAt;
    private @Nullable ByteBuf window;

    Reading(EngineParts parts) {
        this.journal = parts.journal();
        this.formats = parts.formats();
        this.check = new RecordCheck(parts.checksums());
    }

    /**
     * An entry that was read.
     *
     * @param bodyBytes of its message
     * @param message null where only the head was wanted
     */
    record Entry(
            EntryCodec.Head head, int bodyBytes, @Nullable Message message) {}

    /** What a read brought. */
    sealed interface Result {}

    /**
     * Entries by rising positions.
     *
     * @param damaged positions whose entries are there and cannot be read
     */
    record Entries(List<Entry> entries, LongList damaged) implements Result {}

    /** The files have changed meanwhile: where the entries are is to be looked up once more. */
    record Moved() implements Result {}

    /** The disk does not give them; it may be asked again. */
    record Unreadable(IOException why) implements Result {}

    /** Reads entries of these positions from these places of the journal. */
    Result journal(LongList positions, LongList places, LongList lengths, boolean withMessages) {
        List<Entry> entries = new ArrayList<>(positions.size());
        LongList damaged = new LongList();
        Segment held = null;
        try {
            for (int i = 0; i < positions.size(); i++) {
                long number = Place.segment(places.get(i));
                if (held == null || held.number() != number) {
                    release(held);
                    held = journal.acquire(number);
                    if (held == null) {
                        return new Moved();
                    }
                }
                try {
                    entries.add(entry(held, Place.offset(places.get(i)), (int) lengths.get(i), withMessages));
                } catch (DamagedException failed) {
                    held.damaged();
                    damaged.add(positions.get(i));
                }
            }
            return new Entries(entries, damaged);
        } catch (IOException failed) {
            return new Unreadable(failed);
        } finally {
            release(held);
            forget();
        }
    }

    /** The content of a record of the journal, behind its kind; null when the segment is gone. */
    @Nullable ByteBuf content(long place, int length) throws IOException, DamagedException {
        Segment segment = journal.acquire(Place.segment(place));
        if (segment == null) {
            return null;
        }
        try {
            return record(fileOf(segment), Place.offset(place), length, segment.number())
                    .skipBytes(Records.HEAD);
        } finally {
            release(segment);
            forget();
        }
    }

    /** Reads a run's entries from a position on, about so many bytes and at least one. */
    Result run(Run from, long position, long bytes, boolean withMessages) {
        Table table = from.table();
        if (!table.acquire()) {
            return new Moved();
        }
        try {
            return table(table, from.in(), position, bytes, withMessages);
        } catch (IOException failed) {
            return new Unreadable(failed);
        } finally {
            try {
                table.release();
            } catch (IOException ignored) {
                // A file that was only read.
            }
        }
    }

    private Result table(Table table, TableRun run, long position, long bytes, boolean withMessages)
            throws IOException {
        List<Entry> entries = new ArrayList<>();
        LongList damaged = new LongList();
        long size = 0;
        int blocks = run.positions().size();
        for (int block = run.block(position); block < blocks && (size < bytes || entries.isEmpty()); block++) {
            long at = run.offsets().get(block);
            int length = (int) (run.offsets().get(block + 1) - at);
            try {
                ByteBuf read = table.read(at, length);
                size += records(table, read, position, entries, withMessages);
            } catch (DamagedException failed) {
                table.damaged();
                long next = block + 1 < blocks ? run.positions().get(block + 1) : run.last() + 1;
                long from = Math.max(position, run.positions().get(block));
                long known = entries.isEmpty()
                        ? from
                        : Math.max(from, entries.get(entries.size() - 1).head().position() + 1);
                for (long lost = known; lost < next; lost++) {
                    damaged.add(lost);
                }
            }
        }
        return new Entries(entries, damaged);
    }

    private long records(Table table, ByteBuf block, long from, List<Entry> entries, boolean withMessages)
            throws IOException, DamagedException {
        long size = 0;
        int end = block.writerIndex();
        for (int start = 0; start < end; ) {
            int length = check.length(block, start, end, table.number());
            byte kind = Records.kind(block, start);
            ByteBuf content = block.slice(start + Records.HEAD, length - Records.HEAD);
            EntryCodec.Head head = EntryCodec.read(content);
            if (head.position() >= from) {
                entries.add(rest(head, kind, content, withMessages, table));
                size += length;
            }
            start += length;
        }
        return size;
    }

    private Entry rest(EntryCodec.Head head, byte kind, ByteBuf content, boolean withMessages, Table table)
            throws IOException, DamagedException {
        if (kind == Records.REFERENCE) {
            long at = Varints.read(content);
            int bodyBytes = (int) Varints.read(content);
            return new Entry(head, bodyBytes, withMessages ? shared(table, at) : null);
        }
        return rest(head, content, withMessages);
    }

    private Entry rest(EntryCodec.Head head, ByteBuf content, boolean withMessages)
            throws IOException, DamagedException {
        if (withMessages) {
            Message message = EntryCodec.readMessage(content, formats);
            return new Entry(head, message.body().length(), message);
        }
        return new Entry(head, EntryCodec.bodyBytes(content), null);
    }

    private Message shared(Table table, long at) throws IOException, DamagedException {
        int length = Records.length(table.read(at, Records.HEAD), 0);
        ByteBuf read = table.read(at, length);
        check.length(read, 0, length, table.number());
        return EntryCodec.readMessage(read.skipBytes(Records.HEAD), formats);
    }

    private Entry entry(Segment segment, int offset, int length, boolean withMessages)
            throws IOException, DamagedException {
        ByteBuf read = record(fileOf(segment), offset, length, segment.number());
        byte kind = Records.kind(read, read.readerIndex());
        read.skipBytes(Records.HEAD);
        EntryCodec.Head head = EntryCodec.read(read);
        if (kind != Records.REFERENCE) {
            return rest(head, read, withMessages);
        }
        int at = (int) Varints.read(read);
        int bodyBytes = (int) Varints.read(read);
        return new Entry(head, bodyBytes, withMessages ? EntryCodec.readMessage(message(segment, at), formats) : null);
    }

    /** The message, encoded, of the record at this offset of a segment. */
    ByteBuf message(Segment segment, int offset) throws IOException, DamagedException {
        DiskFile file = fileOf(segment);
        int length = Records.length(Table.read(file, offset, Records.HEAD), 0);
        if (length < Records.HEAD) {
            throw new DamagedException("a record of " + length + " bytes");
        }
        ByteBuf read = record(file, offset, length, segment.number());
        read.skipBytes(Records.HEAD);
        EntryCodec.read(read);
        return read;
    }

    private static DiskFile fileOf(Segment segment) throws IOException {
        DiskFile file = segment.file();
        if (file == null) {
            throw new IOException(segment + " is not written yet");
        }
        return file;
    }

    /** A record, from its very beginning. */
    ByteBuf record(DiskFile file, int offset, int length, long seed) throws IOException, DamagedException {
        ByteBuf read = bytes(file, offset, length);
        check.length(read, read.readerIndex(), read.writerIndex(), seed);
        return read;
    }

    private ByteBuf bytes(DiskFile file, long at, int length) throws IOException, DamagedException {
        ByteBuf held = window;
        if (length > WINDOW) {
            return Table.read(file, at, length);
        }
        if (held == null || windowFile != file || at < windowAt || at + length > windowAt + held.writerIndex()) {
            int ahead = held != null && windowFile == file && at >= windowAt ? WINDOW : Math.max(length, HEAD_READ);
            held = Table.read(file, at, (int) Math.max(length, Math.min(ahead, file.size() - at)));
            window = held;
            windowFile = file;
            windowAt = at;
        }
        return held.slice((int) (at - windowAt), length);
    }

    private void forget() {
        window = null;
        windowFile = null;
    }

    private static void release(@Nullable Segment segment) {
        if (segment != null) {
            try {
                segment.release();
            } catch (IOException ignored) {
                // A file that was only read.
            }
        }
    }
}
