package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.entrepot.spi.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what is in a store: which tables and segments count, and what the journal says. Used once, by the thread that
 * starts the engine.
 *
 * <p>Where the journal's chain of batches breaks, either a write was cut short, which no confirm ever covered and which is cut
 * off; or something that was synced is damaged, which a later batch's mark proves: then what can be read is kept. See
 * docs/adr/0015.
 */
final class Recovery {
    private static final Logger log = LoggerFactory.getLogger(Recovery.class);
    private static final int WORD = 8;

    private final Disk disk;
    private final long store;
    private final LongFunction<FileLog> newLog;
    private final Map<Long, FileLog> logs = new TreeMap<>();
    private final Map<Long, Table> tables = new TreeMap<>();
    private final List<Segment> segments = new ArrayList<>();
    private final List<String> alarms = new ArrayList<>();
    private final Checksums checksums;
    private final RecordCheck check;
    private long firstSegment;
    private long lastTable;
    /** The number of the batch that must come next; 0 before the first. */
    private long expected;

    private long truncatedBelow;

    Recovery(Disk disk, long store, Checksums checksums, LongFunction<FileLog> newLog) {
        this.disk = disk;
        this.store = store;
        this.checksums = checksums;
        this.check = new RecordCheck(checksums);
        this.newLog = newLog;
    }

    /**
     * What there is.
     *
     * @param nextBatch the number of the next batch
     * @param lastTable the greatest number of a table there ever was
     */
    record Found(
            Map<Long, FileLog> logs,
            Map<Long, Table> tables,
            List<Segment> segments,
            long nextBatch,
            long lastTable,
            List<String> alarms) {}

    Found run() throws IOException, StorageException {
        openTables();
        List<Long> numbers = segmentNumbers();
        for (int i = 0; i < numbers.size(); i++) {
            if (!scan(numbers, i)) {
                break;
            }
        }
        dropWhatIsOver();
        disk.sync();
        return new Found(logs, tables, segments, Math.max(1, expected), lastTable, alarms);
    }

    // Tables.

    private void openTables() throws IOException, StorageException {
        Set<Long> replaced = new HashSet<>();
        for (String name : disk.list()) {
            long number = Table.number(name);
            if (TableWriter.isUnfinished(name)) {
                disk.delete(name);
            } else if (number >= 0) {
                open(number, replaced);
            }
        }
        for (long number : replaced) {
            Table old = tables.remove(number);
            if (old != null) {
                old.release();
                disk.delete(Table.name(number));
            }
        }
        for (Table table : tables.values()) {
            for (TableRun run : table.runs()) {
                if (run.lasting()) {
                    logOf(run.log()).contents().foundRun(new Run(table, run));
                }
            }
        }
    }

    private void open(long number, Set<Long> replaced) throws IOException, StorageException {
        try {
            Table.Opened opened = Table.open(disk, number, store, checksums);
            tables.put(number, opened.table());
            firstSegment = Math.max(firstSegment, opened.table().firstSegment());
            lastTable = Math.max(lastTable, number);
            for (int i = 0; i < opened.replaced().size(); i++) {
                long old = opened.replaced().get(i);
                replaced.add(old);
                lastTable = Math.max(lastTable, old);
            }
        } catch (DamagedException damaged) {
            throw new StorageException(
                    Table.name(number) + " is damaged: " + damaged.getMessage()
                            + "; nothing was changed. Put back a whole copy of it; who moves it away gives up the"
                            + " messages in it",
                    damaged);
        }
    }

    // The journal.

    /** The segments that count, without a gap. */
    private List<Long> segmentNumbers() throws IOException, StorageException {
        List<Long> numbers = new ArrayList<>();
        for (String name : disk.list()) {
            long number = Segment.number(name);
            if (number >= firstSegment) {
                numbers.add(number);
            } else if (number >= 0) {
                // Replaced by a table; its deletion had not lasted.
                disk.delete(name);
            }
        }
        numbers.sort(null);
        int start = 0;
        for (int i = 1; i < numbers.size(); i++) {
            if (numbers.get(i) != numbers.get(i - 1) + 1) {
                start = i;
            }
        }
        if (start > 0 || (!numbers.isEmpty() && firstSegment > 0 && numbers.get(0) > firstSegment)) {
            dropBeforeGap(numbers, start);
        }
        return numbers.subList(start, numbers.size());
    }

    /** Segments before a gap are left from a deletion that had not lasted, or one is missing. */
    private void dropBeforeGap(List<Long> numbers, int start) throws IOException, StorageException {
        long first = numbers.get(start);
        long oldest = 0;
        for (long number : numbers.subList(start, numbers.size())) {
            oldest = Math.max(oldest, truncation(number));
        }
        if (oldest < first) {
            throw new StorageException("the journal has a gap: " + Segment.name(first - 1) + " is missing before "
                    + Segment.name(first) + "; nothing was changed. Put the file back");
        }
        for (long number : numbers.subList(0, start)) {
            disk.delete(Segment.name(number));
        }
    }

    /** The greatest number that a truncation in a segment names. */
    private long truncation(long number) throws IOException {
        long oldest = 0;
        try (DiskFile file = disk.open(Segment.name(number))) {
            ByteBuf bytes = readAll(file);
            try {
                for (int at = 0; at >= 0; ) {
                    Batch.Head head = head(bytes, at, number);
                    if (head == null) {
                        at = nextHead(bytes, at + WORD, number);
                        continue;
                    }
                    oldest = Math.max(oldest, truncation(bytes, at, head, number));
                    at = nextHead(bytes, Batch.align(at + Batch.HEAD + head.length()), number);
                }
            } finally {
                bytes.release();
            }
        }
        return oldest;
    }

    private long truncation(ByteBuf bytes, int at, Batch.Head head, long number) {
        long oldest = 0;
        int end = at + Batch.HEAD + head.length();
        try {
            for (int start = at + Batch.HEAD; start < end; ) {
                int length = check.length(bytes, start, Math.min(end, bytes.writerIndex()), number);
                if (Records.kind(bytes, start) == Records.TRUNCATED) {
                    oldest = Math.max(oldest, Varints.read(content(bytes, start, length)));
                }
                start += length;
            }
        } catch (DamagedException damaged) {
            log.debug("Damage in {} at {}", Segment.name(number), at, damaged);
        }
        return oldest;
    }

    /** Reads a segment; whether the next one is to be read. */
    private boolean scan(List<Long> numbers, int index) throws IOException, StorageException {
        long number = numbers.get(index);
        DiskFile file = disk.open(Segment.name(number));
        ByteBuf bytes = readAll(file);
        try {
            Segment segment = new Segment(number, bytes.writerIndex());
            segment.file(file);
            segments.add(segment);
            int at = 0;
            while (true) {
                at = follow(segment, bytes, at);
                boolean isFirst = expected == 0;
                if (isFirst) {
                    expectFirst(bytes, numbers, index);
                }
                if (continuesIn(numbers, index + 1)) {
                    break;
                }
                long synced = syncedBeyond(numbers, index, bytes, at);
                if (synced < expected || expected == 0) {
                    cut(segment, file, bytes, at, numbers, index + 1);
                    return false;
                }
                if (isFirst && bytes.writerIndex() == 0) {
                    // An earlier start has cut it to nothing.
                    expected++;
                    break;
                }
                int next = salvage(segment, bytes, at);
                if (next < 0) {
                    break;
                }
                at = next;
            }
            segment.end(at);
            file.sync();
            return true;
        } finally {
            bytes.release();
        }
    }

    /** Applies batches as long as each is whole and the next in turn; gives where that ends. */
    private int follow(Segment segment, ByteBuf bytes, int from) throws StorageException {
        int at = from;
        while (true) {
            int start = Batch.align(at);
            Batch.Head head = next(segment, bytes, start);
            if (head == null) {
                start = Batch.alignToPage(at);
                head = next(segment, bytes, start);
            }
            if (head == null || !isWhole(segment, bytes, start, head)) {
                return at;
            }
            apply(segment, bytes, start, head);
            at = start + Batch.HEAD + head.length();
            expected = head.number() + 1;
        }
    }

    private Batch.@Nullable Head next(Segment segment, ByteBuf bytes, int at) {
        Batch.Head head = head(bytes, at, segment.number());
        return head != null && (expected == 0 || head.number() == expected) ? head : null;
    }

    private Batch.@Nullable Head head(ByteBuf bytes, int at, long segment) {
        return Batch.head(bytes, at, store, segment, checksums);
    }

    private boolean isWhole(Segment segment, ByteBuf bytes, int at, Batch.Head head) {
        int start = at + Batch.HEAD;
        if (head.length() < 0 || head.length() > bytes.writerIndex() - start) {
            return false;
        }
        int end = start + head.length();
        int records = 0;
        try {
            while (start < end) {
                start += check.length(bytes, start, end, segment.number());
                records++;
            }
        } catch (DamagedException damaged) {
            return false;
        }
        return records == head.records();
    }

    private boolean continuesIn(List<Long> numbers, int index) throws IOException {
        if (index >= numbers.size()) {
            return false;
        }
        try (DiskFile file = disk.open(Segment.name(numbers.get(index)))) {
            if (file.size() < Batch.HEAD) {
                // Made, and never written to: what counts is the one after it.
                return file.size() == 0 && continuesIn(numbers, index + 1);
            }
            Batch.Head head = head(Table.read(file, 0, Batch.HEAD), 0, numbers.get(index));
            return head != null && (expected == 0 || head.number() == expected);
        } catch (DamagedException shorter) {
            return false;
        }
    }

    /**
     * Where there is no whole batch yet, the first is the one that begins the segment; where its head is broken too, the one
     * before the next that is there, in whatever segment.
     */
    private void expectFirst(ByteBuf bytes, List<Long> numbers, int index) throws IOException {
        long number = numbers.get(index);
        int first = nextHead(bytes, 0, number);
        Batch.Head head = first < 0 ? null : head(bytes, first, number);
        for (int i = index + 1; head == null && i < numbers.size(); i++) {
            first = -1;
            head = firstHead(numbers.get(i));
        }
        if (head != null) {
            expected = first == 0 ? head.number() : head.number() - 1;
        }
    }

    private Batch.@Nullable Head firstHead(long number) throws IOException {
        try (DiskFile file = disk.open(Segment.name(number))) {
            ByteBuf bytes = readAll(file);
            try {
                int first = nextHead(bytes, 0, number);
                return first < 0 ? null : head(bytes, first, number);
            } finally {
                bytes.release();
            }
        }
    }

    /** Up to which batch everything was synced, as batches say that come after a break. */
    private long syncedBeyond(List<Long> numbers, int index, ByteBuf bytes, int at) throws IOException {
        long synced = synced(bytes, Batch.align(at), numbers.get(index));
        for (long number : numbers.subList(index + 1, numbers.size())) {
            try (DiskFile file = disk.open(Segment.name(number))) {
                ByteBuf later = readAll(file);
                synced = Math.max(synced, synced(later, 0, number));
                later.release();
            }
        }
        return synced;
    }

    private long synced(ByteBuf bytes, int from, long number) {
        long synced = -1;
        for (int at = nextHead(bytes, from, number); at >= 0; at = nextHead(bytes, at + WORD, number)) {
            Batch.Head head = head(bytes, at, number);
            if (head != null && head.number() >= expected) {
                synced = Math.max(synced, head.synced());
            }
        }
        return synced;
    }

    /** The next index at which a batch of the segment begins, or -1. */
    private int nextHead(ByteBuf bytes, int from, long number) {
        for (int at = from; at + Batch.HEAD <= bytes.writerIndex(); at += WORD) {
            if (Batch.mayBegin(bytes, at) && head(bytes, at, number) != null) {
                return at;
            }
        }
        return -1;
    }

    /** Something that was synced is damaged: keeps what can be read; gives where the chain goes on, or -1. */
    private int salvage(Segment segment, ByteBuf bytes, int at) throws StorageException {
        // Where its head is whole, only records of the batch are damaged; else it began at one of two places.
        int page = Batch.alignToPage(at);
        int begun = next(segment, bytes, page) != null ? page : Batch.align(at);
        int next = nextHead(bytes, begun + WORD, segment.number());
        int end = next < 0 ? bytes.writerIndex() : next;
        int kept = salvageRecords(segment, bytes, begun + Batch.HEAD, end);
        if (kept == 0 && begun != page) {
            kept = salvageRecords(segment, bytes, page + Batch.HEAD, end);
        }
        String text =
                Segment.name(segment.number()) + " is damaged at " + begun + ", where it had been written safely; "
                        + kept + " records of the batch could be read, others are lost";
        alarms.add(text);
        segment.damaged();
        if (next < 0) {
            expected++;
            return -1;
        }
        Batch.Head head = head(bytes, next, segment.number());
        expected = head == null ? expected + 1 : head.number();
        return next;
    }

    private int salvageRecords(Segment segment, ByteBuf bytes, int from, int to) throws StorageException {
        int kept = 0;
        int start = from;
        while (start < to) {
            try {
                int length = check.length(bytes, start, to, segment.number());
                apply(segment, bytes, start, length);
                kept++;
                start += length;
            } catch (DamagedException damaged) {
                // The next record begins where this one says, if that part of it is right.
                long length = start + Records.HEAD > to ? -1 : Records.length(bytes, start);
                if (length < Records.HEAD || start + length >= to) {
                    return kept;
                }
                start += (int) length;
            }
        }
        return kept;
    }

    /** The journal ends here: what comes after was never promised to anybody. */
    private void cut(Segment segment, DiskFile file, ByteBuf bytes, int at, List<Long> numbers, int next)
            throws IOException {
        int size = bytes.writerIndex();
        for (int i = numbers.size() - 1; i >= next; i--) {
            // The last first, and each for good before the next: a crash meanwhile must not leave a gap.
            log.info("{}, behind the end of the journal, is deleted", Segment.name(numbers.get(i)));
            disk.delete(Segment.name(numbers.get(i)));
            disk.sync();
        }
        if (size > at) {
            if (nextHead(bytes, Batch.align(at), segment.number()) >= 0) {
                log.info("{} ends at {}: what was written behind that was never completed and is cut", segment, at);
            }
            file.resize(at);
        }
        file.sync();
        segment.end(at);
    }

    // Records.

    private void apply(Segment segment, ByteBuf bytes, int at, Batch.Head head) throws StorageException {
        int end = at + Batch.HEAD + head.length();
        for (int start = at + Batch.HEAD; start < end; start += Records.length(bytes, start)) {
            apply(segment, bytes, start, Records.length(bytes, start));
        }
    }

    private void apply(Segment segment, ByteBuf bytes, int start, int length) throws StorageException {
        ByteBuf content = content(bytes, start, length);
        long place = Place.of(segment.number(), start);
        byte kind = Records.kind(bytes, start);
        try {
            switch (kind) {
                case Records.ENTRY, Records.REFERENCE -> entry(segment, kind, content, place, length);
                case Records.FACT -> logOf(Varints.read(content)).contents().foundFact(place, length);
                case Records.CHECKPOINT ->
                    logOf(Varints.read(content))
                            .contents()
                            .foundCheckpoint(place, length, CheckpointCodec.read(content));
                case Records.RELEASE -> {
                    FileLog of = logOf(Varints.read(content));
                    long from = Varints.read(content);
                    of.contents().foundRelease(from, from + Varints.read(content));
                }
                case Records.DELETED -> {
                    FileLog gone = logs.remove(Varints.read(content));
                    if (gone != null) {
                        gone.contents().forgetRuns();
                    }
                }
                case Records.TRUNCATED -> truncatedBelow = Math.max(truncatedBelow, Varints.read(content));
                default ->
                    throw new StorageException("the journal has a record of kind " + kind
                            + ", which this release does not know; it was written by a later one");
            }
        } catch (DamagedException damaged) {
            throw new StorageException(
                    segment + " has a record at " + start + " that is whole but makes no sense: "
                            + damaged.getMessage(),
                    damaged);
        }
    }

    private void entry(Segment segment, byte kind, ByteBuf content, long place, int length) throws DamagedException {
        EntryCodec.Head head = EntryCodec.read(content);
        if (kind == Records.REFERENCE) {
            segment.share((int) Varints.read(content));
        }
        if (head.lasting()) {
            logOf(head.log()).contents().found(head.position(), place, length);
        }
    }

    private FileLog logOf(long id) {
        return logs.computeIfAbsent(id, newLog::apply);
    }

    private static ByteBuf content(ByteBuf bytes, int start, int length) {
        return bytes.slice(start + Records.HEAD, length - Records.HEAD);
    }

    /** Takes out what later records have made worthless. */
    private void dropWhatIsOver() throws IOException {
        for (FileLog found : logs.values()) {
            if (!found.contents().hasCheckpoint()) {
                // Every log with entries in tables had a checkpoint in the journal: this one was deleted.
                found.contents().forgetRuns();
            }
        }
        logs.values()
                .removeIf(found ->
                        found.contents().tail() == 0 && !found.contents().hasRecords());
        while (!segments.isEmpty() && segments.get(0).number() < truncatedBelow) {
            Segment old = segments.remove(0);
            old.release();
            disk.delete(old.name());
        }
    }

    private static ByteBuf readAll(DiskFile file) throws IOException {
        int size = Math.toIntExact(file.size());
        ByteBuf bytes = Unpooled.directBuffer(Math.max(size, 1));
        ByteBuffer target = bytes.nioBuffer(0, size);
        while (target.hasRemaining()) {
            if (file.read(target, target.position()) < 0) {
                break;
            }
        }
        return bytes.writerIndex(target.position());
    }
}
