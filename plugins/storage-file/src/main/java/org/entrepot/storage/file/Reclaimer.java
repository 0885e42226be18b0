package org.entrepot.storage.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.entrepot.spi.storage.Disk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that gives space back: deletes segments and tables nobody needs, and moves what is still needed out of those that
 * hold little of it. Owned by its thread.
 *
 * <p>Nothing is deleted before everything is synced that was appended when it was found to be of no use.
 */
final class Reclaimer implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Reclaimer.class);
    private static final long TICK_MILLIS = 500;
    /** Time between looks for checkpoints that were asked for, and how long they are looked for so often. */
    private static final long CHECKPOINT_TICK_MILLIS = 10;

    private static final long CHECKPOINT_SOON_NANOS = 1_000_000_000L;
    /** A log that has not answered is asked once more. */
    private static final long ASK_AGAIN_NANOS = 20_000_000_000L;
    /** Live bytes of tables that are merged into one. */
    private static final long MERGED_BYTES_MAX = 256L << 20;

    private final EngineParts parts;
    private final Journal journal;
    private final JournalWriter writer;
    private final Disk disk;
    private final SegmentFiles files;
    private final FileSettings settings;
    private final long store;
    private final ConcurrentHashMap<Long, FileLog> logs;
    private final Map<Long, Table> tables;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Object signal = new Object();
    private final Pace pace;
    private long lastTable;
    private final Owners owners = new Owners();
    /** Logs that were asked for a checkpoint, by what they needed of the journal then; and when one was asked last. */
    private final Map<Long, Long> asked = new HashMap<>();

    private long askedNanos;

    Reclaimer(
            EngineParts parts,
            JournalWriter writer,
            Disk disk,
            SegmentFiles files,
            FileSettings settings,
            long store,
            ConcurrentHashMap<Long, FileLog> logs,
            Map<Long, Table> tables,
            long lastTable) {
        this.parts = parts;
        this.journal = parts.journal();
        this.writer = writer;
        this.disk = disk;
        this.files = files;
        this.settings = settings;
        this.store = store;
        this.logs = logs;
        this.tables = new ConcurrentHashMap<>(tables);
        this.lastTable = lastTable;
        this.pace = new Pace(settings.moveBytesPerSecond());
    }

    void start(Threads threads) {
        threads.start("store-reclaimer", this);
    }

    void close() throws InterruptedException {
        owners.close();
        synchronized (signal) {
            signal.notifyAll();
        }
        ended.await();
        for (Table table : tables.values()) {
            try {
                table.release();
            } catch (IOException ignored) {
                // A file that was only read.
            }
        }
    }

    /**
     * What the store takes.
     *
     * @param bytes in files
     * @param live of these, those of entries that are in their logs
     */
    record Space(long bytes, long live) {
        /** Whether the files take more than twice what is live and two segments. */
        boolean isWasted(long segmentBytes) {
            return bytes > 2 * live + 2 * segmentBytes;
        }
    }

    Space space() {
        long total = 0;
        long live = 0;
        for (Table table : tables.values()) {
            total += table.bytes();
            live += table.liveBytes();
        }
        synchronized (journal) {
            for (Segment segment : journal.segments()) {
                total += segment.size();
                live += segment.liveBytes();
            }
        }
        return new Space(total, live);
    }

    @Override
    public void run() {
        try {
            while (!owners.isClosing()) {
                boolean more = step();
                synchronized (signal) {
                    if (!more && !owners.isClosing()) {
                        signal.wait(waitsForCheckpoints() ? CHECKPOINT_TICK_MILLIS : TICK_MILLIS);
                    }
                }
            }
        } catch (InterruptedException interrupted) {
            log.warn("The store's reclaimer was interrupted and gives no space back any more", interrupted);
        } finally {
            ended.countDown();
        }
    }

    /** Does one thing; whether there is more to do at once. */
    private boolean step() throws InterruptedException {
        try {
            files.prepare();
            return writer.failure() == null
                    && (deleteEmptyTables() || shortenJournal() || (!owners.isClosing() && mergeTables()));
        } catch (IOException failed) {
            if (NoRoom.isWhy(failed)) {
                log.debug("There is no room to move entries: {}", failed.toString());
            } else {
                log.warn("The store could not give space back and will try again: {}", failed.toString());
            }
        } catch (DamagedException damaged) {
            parts.listener().alarm("the store cannot move entries, for it finds them damaged: " + damaged.getMessage());
        } catch (Owners.StoppedException stopped) {
            log.debug("Space is not given back for now: {}", stopped.getMessage());
        } catch (RuntimeException | AssertionError fault) {
            log.error("A fault in the store's reclaimer: this is a defect, please report it with this trace", fault);
        }
        return false;
    }

    private boolean deleteEmptyTables() throws IOException, InterruptedException {
        Set<Table> empty = new HashSet<>();
        for (Table table : tables.values()) {
            if (table.liveEntries() == 0) {
                empty.add(table);
            }
        }
        return !empty.isEmpty() && delete(empty);
    }

    /** Deletes tables, once everything is synced that was appended when they were found to be of no use. */
    private boolean delete(Set<Table> gone) throws IOException, InterruptedException {
        // A table says which segments are gone. It may be the only one who does: when a crash came before the journal
        // did.
        journal.engine(Records.TRUNCATED, journal.segments().get(0).number(), true);
        if (!writer.syncUnlessFull()) {
            return false;
        }
        for (Table table : gone) {
            tables.remove(table.number());
            table.release();
            if (table.isDamaged()) {
                disk.rename(table.toString(), SegmentFiles.SET_ASIDE + table);
            } else {
                disk.delete(table.toString());
            }
        }
        disk.sync();
        return true;
    }

    private boolean shortenJournal()
            throws IOException, InterruptedException, DamagedException, Owners.StoppedException {
        List<Segment> segments = journal.segmentsBefore();
        int dead = 0;
        long bytes = 0;
        long live = 0;
        synchronized (journal) {
            boolean leading = true;
            for (Segment segment : segments) {
                leading &= segment.liveEntries() == 0;
                dead += leading ? 1 : 0;
                bytes += segment.size();
                live += segment.liveBytes();
            }
        }
        if (dead > 0) {
            return truncate(segments.subList(0, dead));
        }
        if (segments.isEmpty()) {
            return false;
        }
        boolean wasteful = space().isWasted(settings.segmentBytes()) && bytes > live;
        if (bytes <= settings.journalBytes() && !wasteful) {
            return false;
        }
        return move(oldest(segments, wasteful ? 1 : settings.journalBytes() / 2));
    }

    /** The oldest segments, of about so many bytes. */
    private static List<Segment> oldest(List<Segment> segments, long bytes) {
        long sum = 0;
        int count = 0;
        while (count < segments.size() && sum < bytes) {
            sum += segments.get(count++).size();
        }
        return new ArrayList<>(segments.subList(0, count));
    }

    private boolean move(List<Segment> segments)
            throws IOException, InterruptedException, DamagedException, Owners.StoppedException {
        long last = segments.get(segments.size() - 1).number();
        if (!haveCheckpoints(last)) {
            return false;
        }
        boolean moved = write(last + 1, Set.of(), mover -> mover.segments(segments, new Reading(parts)));
        return moved && truncate(segments);
    }

    private boolean mergeTables() throws IOException, InterruptedException, DamagedException, Owners.StoppedException {
        if (!space().isWasted(settings.segmentBytes())) {
            return false;
        }
        List<Table> sparse = new ArrayList<>();
        for (Table table : tables.values()) {
            if (table.liveBytes() * 2 < table.bytes()) {
                sparse.add(table);
            }
        }
        sparse.sort(Comparator.comparingLong(Table::liveBytes));
        Set<Table> chosen = new HashSet<>();
        long live = 0;
        for (Table table : sparse) {
            live += table.liveBytes();
            if (live <= MERGED_BYTES_MAX || chosen.isEmpty()) {
                chosen.add(table);
            }
        }
        long firstSegment = chosen.stream().mapToLong(Table::firstSegment).max().orElse(0);
        return !chosen.isEmpty() && write(firstSegment, chosen, mover -> mover.tables(chosen)) && delete(chosen);
    }

    /** Fills a table. */
    @FunctionalInterface
    private interface Filling {
        void fill(Mover mover) throws IOException, DamagedException, Owners.StoppedException;
    }

    /** Writes a table, and tells the logs that it is there; false where the engine has failed. */
    private boolean write(long firstSegment, Set<Table> replaced, Filling filling)
            throws IOException, InterruptedException, DamagedException, Owners.StoppedException {
        pace.begin();
        List<FileLog> sorted = new ArrayList<>(logs.values());
        sorted.sort(Comparator.comparingLong(FileLog::id));
        try (TableWriter table = new TableWriter(disk, ++lastTable, store)) {
            Mover mover = new Mover(sorted, owners, table, pace, parts.checksums());
            filling.fill(mover);
            if (mover.entries() == 0) {
                return true;
            }
            LongList numbers = new LongList();
            replaced.stream().mapToLong(Table::number).sorted().forEach(numbers::add);
            table.finish(firstSegment, numbers);
            if (!writer.syncUnlessFull()) {
                return false;
            }
            Table installed = table.install().table();
            parts.meters().compacted(installed.bytes());
            // Until every log has said what it needs of it, the table must not look empty.
            installed.added(1);
            tables.put(installed.number(), installed);
            Map<Long, List<TableRun>> runs = Mover.runsByLog(installed);
            for (FileLog moved : mover.movedLogs()) {
                List<TableRun> to = runs.getOrDefault(moved.id(), List.of());
                owners.ask(moved, () -> {
                    moved.contents().moved(installed, to, replaced.isEmpty() ? firstSegment - 1 : 0, replaced);
                    return true;
                });
            }
            installed.removed(1);
            return true;
        }
    }

    /** Deletes the oldest segments, of which nothing is live. */
    private boolean truncate(List<Segment> segments) throws IOException, InterruptedException, Owners.StoppedException {
        long last = segments.get(segments.size() - 1).number();
        if (!haveCheckpoints(last)) {
            return false;
        }
        // The journal is durable in its order: with this record the checkpoints are.
        journal.engine(Records.TRUNCATED, last + 1, true);
        if (!writer.syncUnlessFull()) {
            return false;
        }
        for (Segment segment : journal.truncate(last + 1)) {
            boolean closed = segment.release();
            if (segment.isDamaged()) {
                disk.rename(segment.name(), SegmentFiles.SET_ASIDE + segment.name());
            } else if (closed) {
                files.recycle(segment);
            } else {
                disk.delete(segment.name());
            }
        }
        disk.sync();
        return true;
    }

    /**
     * Whether no log needs anything of segments up to this one but its entries. Those that do are asked for a checkpoint: the
     * reclaimer does not wait for them, but looks again.
     */
    private boolean haveCheckpoints(long last) {
        long now = System.nanoTime();
        if (now - askedNanos > ASK_AGAIN_NANOS) {
            asked.clear();
        }
        boolean all = true;
        for (FileLog each : logs.values()) {
            long anchor = each.contents().anchor();
            if (anchor != 0 && anchor <= last) {
                all = false;
                Long before = asked.put(each.id(), anchor);
                if (before == null || before != anchor) {
                    askedNanos = now;
                    askForCheckpoint(each);
                }
            }
        }
        if (all) {
            asked.clear();
        }
        return all;
    }

    private boolean waitsForCheckpoints() {
        return !asked.isEmpty() && System.nanoTime() - askedNanos < CHECKPOINT_SOON_NANOS;
    }

    private void askForCheckpoint(FileLog from) {
        if (from.isOpen()) {
            from.onOwner(from::wantCheckpoint);
        } else {
            parts.listener().checkpointWanted(from.id());
        }
    }
}
