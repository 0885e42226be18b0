package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
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

    private final Disk disk;
    private final long store;
    private final LongFunction<FileLog> newLog;
    private final RecoveryWatch watch;
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

    Recovery(Disk disk, long store, Checksums checksums, LongFunction<FileLog> newLog, RecoveryWatch watch) {
        this.disk = disk;
        this.store = store;
        this.checksums = checksums;
        this.check = new RecordCheck(checksums);
        this.newLog = newLog;
        this.watch = watch;
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
        mustBeginWhereItWasCut(numbers);
        dropWhatIsOver();
        disk.sync();
        return new Found(logs, tables, segments, Math.max(1, expected), lastTable, alarms);
    }

    /** A start must not go on; whoever only looks does, and takes nothing for worthless from here on. */
    private void refuse(String file, String why, @Nullable Throwable cause) throws StorageException {
        watch.refused(file, why, cause);
        alarms.add(why);
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
            refuse(Table.name(number), Table.name(number) + " is damaged: " + damaged.getMessage(), damaged);
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
        if (numbers.isEmpty() && firstSegment > 0) {
            // The journal's newest segment, which says what of the tables counts, is never deleted.
            refuse(Segment.name(firstSegment), missing(firstSegment) + " and all behind it", null);
        }
        int start = 0;
        for (int i = 1; i < numbers.size(); i++) {
            if (numbers.get(i) != numbers.get(i - 1) + 1) {
                start = i;
            }
        }
        return start == 0 ? numbers : withoutGap(numbers, start);
    }

    /** Segments before a gap are left from a deletion that had not lasted, or one is missing. */
    private List<Long> withoutGap(List<Long> numbers, int start) throws IOException, StorageException {
        long first = numbers.get(start);
        long oldest = 0;
        for (long number : numbers.subList(start, numbers.size())) {
            try (SegmentBytes bytes = SegmentBytes.read(disk, store, number, checksums)) {
                oldest = Math.max(oldest, bytes.truncation());
            }
        }
        if (oldest < first) {
            refuse(Segment.name(first - 1), missing(first - 1) + " before " + Segment.name(first), null);
            return numbers;
        }
        for (long number : numbers.subList(0, start)) {
            disk.delete(Segment.name(number));
        }
        return numbers.subList(start, numbers.size());
    }

    private static String missing(long number) {
        return "the journal has a gap: " + Segment.name(number) + " is missing";
    }

    /** Segments are deleted from the oldest on, and each deletion is written down before it is done. */
    private void mustBeginWhereItWasCut(List<Long> numbers) throws StorageException {
        long begin = Math.max(1, Math.max(firstSegment, truncatedBelow));
        if (!numbers.isEmpty() && numbers.get(0) > begin) {
            long first = numbers.get(0);
            refuse(Segment.name(first - 1), missing(first - 1) + " before " + Segment.name(first), null);
            watch.missing(begin, first - 1, 0);
        }
    }

    /** Reads a segment; whether the next one is to be read. */
    private boolean scan(List<Long> numbers, int index) throws IOException, StorageException {
        long number = numbers.get(index);
        DiskFile file = disk.open(Segment.name(number));
        try (SegmentBytes bytes = SegmentBytes.read(file, store, number, checksums)) {
            Segment segment = new Segment(number, bytes.size());
            segment.file(file);
            segments.add(segment);
            int at = 0;
            while (true) {
                at = follow(segment, bytes, at);
                boolean isFirst = expected == 0;
                if (isFirst) {
                    expectFirst(bytes, numbers, index);
                }
                if (endsBeforeGap(numbers, index, bytes, at)
                        || continuesIn(numbers, index + 1)
                        || breaksInNext(numbers, index, bytes, at)) {
                    break;
                }
                long synced = syncedBeyond(numbers, index, bytes, at);
                if (synced < expected || expected == 0) {
                    cut(segment, file, bytes, at, numbers, index + 1);
                    watch.ended(segment, expected);
                    return false;
                }
                if (isFirst && bytes.size() == 0) {
                    // An earlier start has cut it to nothing.
                    expected++;
                    break;
                }
                int next = salvage(segment, bytes, at);
                if (next < 0) {
                    // How many batches are lost is seen by the next one that is there.
                    expected = Math.max(expected, firstBatch(numbers, index + 1));
                    break;
                }
                at = next;
            }
            segment.end(at);
            file.sync();
            watch.ended(segment, expected);
            passGap(numbers, index);
            return true;
        }
    }

    /** Whether this segment has ended, and it is the beginning of the next one that cannot be read. */
    private boolean breaksInNext(List<Long> numbers, int index, SegmentBytes bytes, int at) throws IOException {
        if (index + 1 >= numbers.size() || bytes.nextHead(Batch.align(at)) >= 0) {
            return false;
        }
        try (SegmentBytes next = SegmentBytes.read(disk, store, numbers.get(index + 1), checksums)) {
            return next.head(0) == null && next.firstBatch() >= expected;
        }
    }

    private boolean endsBeforeGap(List<Long> numbers, int index, SegmentBytes bytes, int at) {
        return isBeforeGap(numbers, index) && bytes.nextHead(Batch.align(at)) < 0;
    }

    private static boolean isBeforeGap(List<Long> numbers, int index) {
        return index + 1 < numbers.size() && numbers.get(index + 1) != numbers.get(index) + 1;
    }

    /** Goes on behind segments that are missing, where whoever watches wants that. */
    private void passGap(List<Long> numbers, int index) throws IOException {
        if (isBeforeGap(numbers, index)) {
            watch.missing(numbers.get(index) + 1, numbers.get(index + 1) - 1, expected);
            expected = firstBatch(numbers, index + 1);
        }
    }

    /** The number of the first batch that is there from a segment on; 0 where there is none. */
    private long firstBatch(List<Long> numbers, int from) throws IOException {
        for (long number : numbers.subList(from, numbers.size())) {
            try (SegmentBytes bytes = SegmentBytes.read(disk, store, number, checksums)) {
                long first = bytes.firstBatch();
                if (first >= 0) {
                    return first;
                }
            }
        }
        return 0;
    }

    /** Applies batches as long as each is whole and the next in turn; gives where that ends. */
    private int follow(Segment segment, SegmentBytes bytes, int from) throws StorageException {
        int at = from;
        while (true) {
            int start = Batch.align(at);
            Batch.Head head = next(bytes, start);
            if (head == null) {
                start = Batch.alignToPage(at);
                head = next(bytes, start);
            }
            if (head == null || !bytes.isWhole(start, head)) {
                return at;
            }
            watch.batch(segment, head.number());
            apply(segment, bytes.buffer(), start, head);
            at = start + Batch.HEAD + head.length();
            expected = head.number() + 1;
        }
    }

    private Batch.@Nullable Head next(SegmentBytes bytes, int at) {
        Batch.Head head = bytes.head(at);
        return head != null && (expected == 0 || head.number() == expected) ? head : null;
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
            Batch.Head head = Batch.head(Table.read(file, 0, Batch.HEAD), 0, store, numbers.get(index), checksums);
            return head != null && (expected == 0 || head.number() == expected);
        } catch (DamagedException shorter) {
            return false;
        }
    }

    /**
     * Where there is no whole batch yet, the first is the one that begins the segment; where its head is broken too, the one
     * before the next that is there, in whatever segment.
     */
    private void expectFirst(SegmentBytes bytes, List<Long> numbers, int index) throws IOException {
        long first = bytes.firstBatch();
        for (int i = index + 1; first < 0 && i < numbers.size(); i++) {
            try (SegmentBytes later = SegmentBytes.read(disk, store, numbers.get(i), checksums)) {
                first = Math.max(-1, later.firstHead() - 1);
            }
        }
        expected = Math.max(0, first);
    }

    /** Up to which batch everything was synced, as batches say that come after a break. */
    private long syncedBeyond(List<Long> numbers, int index, SegmentBytes bytes, int at) throws IOException {
        long synced = bytes.synced(Batch.align(at), expected);
        for (long number : numbers.subList(index + 1, numbers.size())) {
            try (SegmentBytes later = SegmentBytes.read(disk, store, number, checksums)) {
                synced = Math.max(synced, later.synced(0, expected));
            }
        }
        return synced;
    }

    /** Something that was synced is damaged: keeps what can be read; gives where the chain goes on, or -1. */
    private int salvage(Segment segment, SegmentBytes bytes, int at) throws StorageException {
        // Where its head is whole, only records of the batch are damaged; else it began at one of two places.
        int page = Batch.alignToPage(at);
        int begun = next(bytes, page) != null ? page : Batch.align(at);
        int next = bytes.nextHeadAfter(begun);
        int end = next < 0 ? bytes.size() : next;
        watch.batch(segment, expected);
        int kept = salvageRecords(segment, bytes.buffer(), begun + Batch.HEAD, end);
        if (kept == 0 && begun != page) {
            kept = salvageRecords(segment, bytes.buffer(), page + Batch.HEAD, end);
        }
        String text =
                Segment.name(segment.number()) + " is damaged at " + begun + ", where it had been written safely; "
                        + kept + " records of the batch could be read, others are lost";
        alarms.add(text);
        watch.damaged(segment, text);
        segment.damaged();
        if (next < 0) {
            expected++;
            return -1;
        }
        Batch.Head head = bytes.head(next);
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
    private void cut(Segment segment, DiskFile file, SegmentBytes bytes, int at, List<Long> numbers, int next)
            throws IOException {
        for (int i = numbers.size() - 1; i >= next; i--) {
            // The last first, and each for good before the next: a crash meanwhile must not leave a gap.
            log.info("{}, behind the end of the journal, is deleted", Segment.name(numbers.get(i)));
            disk.delete(Segment.name(numbers.get(i)));
            disk.sync();
        }
        if (bytes.size() > at) {
            if (bytes.nextHead(Batch.align(at)) >= 0) {
                log.info("{} ends at {}: what was written behind that was never completed and is cut", segment, at);
                watch.torn(segment, at);
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
        ByteBuf content = Records.content(bytes, start, length);
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
                case Records.KEPT -> logOf(Varints.read(content)).contents().foundKept(place);
                default ->
                    throw new StorageException("the journal has a record of kind " + kind
                            + ", which this release does not know; it was written by a later one");
            }
            watch.record(segment, bytes, start, length);
        } catch (DamagedException damaged) {
            refuse(
                    segment.name(),
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

    /**
     * Every log with entries in tables had a checkpoint in the journal, so this one was deleted: unless the checkpoint is what
     * was damaged. In doubt everything is kept.
     */
    private void dropOrKeepRuns(LogContents contents) {
        if (alarms.isEmpty()) {
            contents.forgetRuns();
        } else if (contents.hasRuns()) {
            contents.foundKept(Place.of(segments.isEmpty() ? 1 : segments.get(0).number(), 0));
        }
    }

    /** Takes out what later records have made worthless. */
    private void dropWhatIsOver() throws IOException {
        for (FileLog found : logs.values()) {
            if (!found.contents().hasCheckpoint() && !found.contents().isKept()) {
                dropOrKeepRuns(found.contents());
            }
        }
        logs.values()
                .removeIf(found -> found.contents().tail() == 0
                        && !found.contents().hasRecords()
                        && !found.contents().isKept());
        while (!segments.isEmpty() && segments.get(0).number() < truncatedBelow) {
            Segment old = segments.remove(0);
            old.release();
            disk.delete(old.name());
        }
    }
}
