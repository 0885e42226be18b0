package org.entrepot.storage.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StoreReport;
import org.entrepot.spi.storage.StoreReport.Finding;
import org.entrepot.spi.storage.StoreReport.Severity;
import org.entrepot.spi.storage.StoreReport.StoredFile;
import org.entrepot.spi.storage.StoreReport.StoredLog;
import org.jspecify.annotations.Nullable;

/** Reads everything in a store and changes nothing. Used once, by one thread. */
final class Inspection implements AutoCloseable {
    private final Disk disk;
    private final DryDisk dry;
    private final List<String> names;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<Long, TableCheck.Result> tables = new TreeMap<>();
    private final SegmentCensus census = new SegmentCensus();
    private final Offline offline = new Offline();
    private OptionalLong store = OptionalLong.empty();
    private boolean identityIsWhole;
    private Recovery.@Nullable Found found;

    private Inspection(Disk disk) throws IOException {
        this.disk = disk;
        this.dry = new DryDisk(disk);
        this.names = disk.list().stream().sorted().toList();
    }

    /**
     * Looks at all files.
     *
     * @throws StorageException when they are of a later release
     */
    static Inspection of(Disk disk) throws IOException, StorageException {
        Inspection inspection = new Inspection(disk);
        boolean done = false;
        try {
            inspection.readAll();
            done = true;
            return inspection;
        } finally {
            if (!done) {
                inspection.close();
            }
        }
    }

    private void readAll() throws IOException, StorageException {
        readIdentity();
        if (store.isPresent()) {
            for (String name : names) {
                if (Table.number(name) >= 0) {
                    tables.put(Table.number(name), TableCheck.of(disk, Table.number(name), store.getAsLong()));
                }
            }
            found = offline.read(dry, store.getAsLong(), census);
        }
        tables.forEach((number, table) -> {
            if (!dry.deleted().contains(Table.name(number))) {
                findings.addAll(table.findings());
            }
        });
        findings.addAll(census.findings());
        for (String name : names) {
            if (isSetAside(name)) {
                add(Severity.DAMAGE, name, "was found damaged at a start and is kept for who wants to look at it");
            } else if (isUnfinished(name) || dry.deleted().contains(name)) {
                add(Severity.NORMAL, name, "is left over and of no use; a start deletes it");
            }
        }
    }

    private void readIdentity() throws IOException, StorageException {
        try {
            if (names.contains(StoreIdentity.NAME)) {
                store = OptionalLong.of(StoreIdentity.read(disk).store());
                identityIsWhole = true;
                return;
            }
            add(Severity.DAMAGE, StoreIdentity.NAME, "is missing: no broker starts with the other files");
        } catch (DamagedException damaged) {
            add(Severity.DAMAGE, StoreIdentity.NAME, damaged.getMessage() + ": no broker starts with it");
        }
        store = StoreIdentity.ofOtherFiles(disk);
    }

    private void add(Severity severity, String file, String text) {
        findings.add(new Finding(severity, file, text));
    }

    static boolean isSetAside(String name) {
        return name.startsWith(SegmentFiles.SET_ASIDE);
    }

    static boolean isUnfinished(String name) {
        return TableWriter.isUnfinished(name);
    }

    // For who mends it.

    /** Which store it is, as far as that can be told. */
    OptionalLong store() {
        return store;
    }

    boolean identityIsWhole() {
        return identityIsWhole;
    }

    List<String> names() {
        return names;
    }

    Map<Long, TableCheck.Result> tables() {
        return tables;
    }

    SegmentCensus census() {
        return census;
    }

    /** What a start would find; null where nobody knows which store it is. */
    Recovery.@Nullable Found found() {
        return found;
    }

    /** Files that a start would delete. */
    boolean isOver(String name) {
        return dry.deleted().contains(name);
    }

    /** What is damaged or missing. */
    List<Finding> damage() {
        return findings.stream()
                .filter(finding -> finding.severity() == Severity.DAMAGE)
                .toList();
    }

    // For who wants to know.

    /** Tells what a log holds, and reports on all. */
    StoreReport report(long log, LogReplay replay) throws IOException {
        List<StoredLog> logs = new ArrayList<>();
        Recovery.Found all = found;
        if (all != null) {
            FileLog replayed = all.logs().get(log);
            for (FileLog each : all.logs().values()) {
                logs.add(logOf(each));
            }
            if (replayed != null) {
                offline.replay(replayed, replay);
            }
        }
        List<StoredFile> files = new ArrayList<>();
        for (String name : names) {
            files.add(fileOf(name));
        }
        String identity = store.isPresent()
                ? new StoreIdentity(store.getAsLong()).toString() + (identityIsWhole ? "" : " (as other files say)")
                : "unknown";
        return new StoreReport(identity, files, logs, findings);
    }

    private static StoredLog logOf(FileLog log) {
        LogContents contents = log.contents();
        Ranges live = contents.live();
        boolean isEmpty = live.size() == 0;
        SinceCheckpoint since = contents.since();
        String checkpoint = since.hasCheckpoint()
                ? Segment.name(Place.segment(since.place())) + " at " + Place.offset(since.place())
                : "";
        return new StoredLog(
                log.id(),
                contents.liveCount(),
                contents.liveBytes(),
                isEmpty ? -1 : live.from(0),
                isEmpty ? -1 : live.to(live.size() - 1),
                checkpoint);
    }

    private StoredFile fileOf(String name) throws IOException {
        long bytes;
        try (DiskFile file = disk.open(name)) {
            bytes = file.size();
        }
        long number = Segment.number(name);
        if (number >= 0) {
            SegmentCensus.Count count = census.of(number);
            String batches = count.firstBatch == 0 ? "" : "batches " + count.firstBatch + " to " + count.lastBatch;
            return new StoredFile(name, "journal", bytes, liveBytes(number), count.records, batches);
        }
        number = Table.number(name);
        if (number >= 0) {
            TableCheck.Result table = tables.get(number);
            return tableOf(name, number, bytes, table == null ? 0 : table.records());
        }
        return new StoredFile(name, kind(name), bytes, 0, 0, "");
    }

    private StoredFile tableOf(String name, long number, long bytes, long records) {
        Recovery.Found all = found;
        Table table = all == null ? null : all.tables().get(number);
        return table == null
                ? new StoredFile(name, "table", bytes, 0, records, "")
                : new StoredFile(
                        name,
                        "table",
                        bytes,
                        table.liveBytes(),
                        records,
                        "in place of what came before " + Segment.name(table.firstSegment()));
    }

    private long liveBytes(long number) {
        Recovery.Found all = found;
        if (all != null) {
            for (Segment segment : all.segments()) {
                if (segment.number() == number) {
                    return segment.liveBytes();
                }
            }
        }
        return 0;
    }

    private static String kind(String name) {
        return switch (name) {
            case StoreIdentity.NAME -> "identity";
            case SegmentFiles.SPARE -> "spare";
            case SegmentFiles.RESERVE -> "reserve";
            case NioDisk.LOCK -> "lock";
            default -> isUnfinished(name) ? "unfinished" : isSetAside(name) ? "damaged" : "other";
        };
    }

    @Override
    public void close() throws IOException {
        offline.close();
    }
}
