package org.entrepot.storage.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StoreReport.Finding;

/**
 * Mends a store. Used once, by one thread.
 *
 * <p>A file that is replaced is never missing meanwhile: it gets a second name in the attic, and the new one, complete and
 * synced, takes its name. A repair that is cut short can be begun anew.
 */
final class Repair {
    private final Disk disk;
    private final Attic attic;
    private final boolean dryRun;
    private final List<String> done = new ArrayList<>();

    Repair(Disk disk, Path store, Instant now, boolean dryRun) {
        this.disk = disk;
        this.attic = new Attic(store, now);
        this.dryRun = dryRun;
    }

    /** Does what is to be done, or says it; in lines for people. */
    List<String> run() throws IOException, StorageException {
        try (Inspection inspection = Inspection.of(disk)) {
            moveLeftovers(inspection);
            if (!mendIdentity(inspection)) {
                return ended();
            }
            for (Map.Entry<Long, TableCheck.Result> table : inspection.tables().entrySet()) {
                if (!table.getValue().isSound() && !inspection.isOver(Table.name(table.getKey()))) {
                    mendTable(table.getKey(), inspection.store().getAsLong());
                }
            }
        }
        // What the journal lacks may depend on what tables tell by now.
        try (Inspection inspection = Inspection.of(disk)) {
            mendJournal(inspection);
        }
        return ended();
    }

    private List<String> ended() throws IOException, StorageException {
        if (dryRun || done.isEmpty()) {
            return done;
        }
        disk.sync();
        attic.account(done);
        done.add("what was taken out, and this account of it, is in " + attic.folder());
        try (Inspection inspection = Inspection.of(disk)) {
            for (Finding left : inspection.damage()) {
                throw new StorageException("the store could not be mended altogether: " + left.file() + " "
                        + left.text() + "; what was taken out is in " + attic.folder());
            }
        }
        return done;
    }

    private void moveLeftovers(Inspection inspection) throws IOException {
        for (String name : inspection.names()) {
            if (Inspection.isSetAside(name) || Inspection.isUnfinished(name)) {
                done.add(name + " is moved out of the way");
                if (!dryRun) {
                    attic.move(name);
                }
            }
        }
    }

    /** Whether there is a store to mend. */
    private boolean mendIdentity(Inspection inspection) throws IOException {
        if (inspection.identityIsWhole()) {
            return true;
        }
        boolean isThere = inspection.names().contains(StoreIdentity.NAME);
        if (inspection.store().isEmpty()) {
            if (isThere) {
                done.add(StoreIdentity.NAME + " is moved out of the way; a start makes a new store");
                if (!dryRun) {
                    attic.move(StoreIdentity.NAME);
                }
            }
            return false;
        }
        StoreIdentity identity = new StoreIdentity(inspection.store().getAsLong());
        done.add(StoreIdentity.NAME + " is written anew: " + identity + ", as the other files say");
        if (!dryRun) {
            if (isThere) {
                attic.keep(StoreIdentity.NAME);
            }
            StoreIdentity.make(disk, identity.store());
        }
        return true;
    }

    private void mendTable(long number, long store) throws IOException {
        if (dryRun) {
            done.add(Table.name(number) + " is written anew, with the entries in it that can be read");
            return;
        }
        TableRewriter.rewrite(disk, number, store, (writer, result) -> {
            if (result.entries() == 0) {
                attic.move(Table.name(number));
                done.add(Table.name(number) + " is moved out of the way: no entry in it can be read");
                return;
            }
            attic.keep(Table.name(number));
            writer.install().table().release();
            done.add(Table.name(number) + " is written anew, with the " + result.entries()
                    + " entries in it that can be read" + without(result.dropped()));
        });
    }

    private static String without(long dropped) {
        return dropped == 0 ? "" : "; " + dropped + " more refer to a message that cannot";
    }

    private void mendJournal(Inspection inspection) throws IOException, StorageException {
        Recovery.Found found = inspection.found();
        if (found == null) {
            return;
        }
        Set<Long> wanted = new TreeSet<>();
        for (Segment segment : found.segments()) {
            if (inspection.census().of(segment.number()).damaged) {
                wanted.add(segment.number());
                done.add(segment + " is written anew, with the records in it that can be read");
            }
        }
        List<SegmentRewriter.Extra> extras = extras(inspection, found);
        boolean gap = !inspection.census().missing().isEmpty();
        if (wanted.isEmpty() && extras.isEmpty() && !gap) {
            return;
        }
        long first = found.segments().isEmpty()
                ? firstSegment(found)
                : found.segments().get(0).number();
        if (!extras.isEmpty() && wanted.isEmpty()) {
            wanted.add(first);
        }
        if (!dryRun) {
            writeSegments(inspection.store().getAsLong(), wanted, extras, first);
        }
    }

    /** Records of the engine's own that the journal needs in place of some that are lost. */
    private List<SegmentRewriter.Extra> extras(Inspection inspection, Recovery.Found found) {
        List<SegmentRewriter.Extra> extras = new ArrayList<>();
        for (SegmentCensus.Missing missing : inspection.census().missing()) {
            String names = missing.firstSegment() == missing.lastSegment()
                    ? Segment.name(missing.firstSegment()) + " is"
                    : Segment.name(missing.firstSegment()) + " to " + Segment.name(missing.lastSegment()) + " are";
            if (missing.next() == 0) {
                extras.add(new SegmentRewriter.Extra(Records.TRUNCATED, missing.lastSegment() + 1));
                done.add("the journal begins behind what is missing: " + names + " given up");
            } else {
                done.add(names + " replaced by something empty: what is behind counts, what was in there is given up");
            }
        }
        for (FileLog log : found.logs().values()) {
            LogContents contents = log.contents();
            if (contents.isKept() && contents.hasRuns() && !contents.hasCheckpoint()) {
                extras.add(new SegmentRewriter.Extra(Records.KEPT, log.id()));
                done.add("all entries of log " + log.id()
                        + " in tables are kept, for what says which of them are settled" + " is lost");
            }
        }
        return extras;
    }

    private static long firstSegment(Recovery.Found found) {
        long first = 1;
        for (Table table : found.tables().values()) {
            first = Math.max(first, table.firstSegment());
        }
        return first;
    }

    private void writeSegments(long store, Set<Long> wanted, List<SegmentRewriter.Extra> extras, long first)
            throws IOException, StorageException {
        List<Long> written;
        try (SegmentRewriter rewriter = new SegmentRewriter(disk, store, wanted, extras);
                Offline offline = new Offline()) {
            offline.read(new DryDisk(disk), store, rewriter);
            rewriter.finish(first);
            written = rewriter.written();
            if (rewriter.dropped() > 0) {
                done.add(rewriter.dropped() + " entries are given up because the message they refer to cannot be read");
            }
        } catch (UncheckedIOException failed) {
            throw new IOException("the journal could not be written anew: " + failed.getMessage(), failed);
        }
        disk.sync();
        List<String> names = disk.list();
        for (long segment : written) {
            if (names.contains(Segment.name(segment))) {
                attic.keep(Segment.name(segment));
            }
        }
        for (long segment : written) {
            disk.rename(SegmentRewriter.unfinished(segment), Segment.name(segment));
        }
    }
}
