package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.testkit.storage.PlainFormat;
import org.entrepot.testkit.storage.disk.CrashState;
import org.entrepot.testkit.storage.disk.CrashStates;
import org.entrepot.testkit.storage.disk.DiskOperation;
import org.entrepot.testkit.storage.disk.FaultyDisk;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a start makes of stores that crashes seldom leave. */
@Timeout(30)
final class FileStorageRestartTest {
    private static final int SEGMENT_BYTES = 2 * Batch.PAGE;

    private final Owner owner = new Owner();
    private final Told told = new Told();
    private final RecordingDisk disk = new RecordingDisk();

    @AfterEach
    void end() {
        owner.close();
    }

    private FileStorage start(Disk on) throws StorageException {
        FileStorage engine = new FileStorage(
                () -> on,
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, SEGMENT_BYTES, SEGMENT_BYTES, Integer.MAX_VALUE),
                new StoreMeters(new CompositeMeterRegistry()));
        engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), told));
        return engine;
    }

    /** The first batch may be missing where the second, in another segment, is whole. */
    @Test
    void whatCameAfterALostFirstBatchIsNotThereEither() throws Exception {
        FaultyDisk faulty = new FaultyDisk(disk);
        FileStorage engine = start(faulty);
        ModelLog first = new ModelLog(1, owner);
        ModelLog second = new ModelLog(2, owner, SEGMENT_BYTES - Batch.HEAD);
        first.open(engine);
        second.open(engine);
        faulty.holdSyncs();
        int before = disk.operationCount();
        first.fact(7);
        Waiting.until(() -> writes(before) > 0);
        second.append(true);
        // Zeros are written first where a segment is longer than usual.
        Waiting.until(() -> disk.list().contains(Segment.name(2)) && writes(before) > 2);
        CrashStates crashes = CrashStates.of(disk);
        faulty.letSyncs();
        first.close();
        second.close();
        engine.close();

        List<String> found = new ArrayList<>();
        crashes.forEach(crashes.lastPoint(), state -> found.add(stored(state)));
        assertThat(found).contains("", "1", "1 2").doesNotContain("2");
        assertThat(told.lines).isEmpty();
    }

    private long writes(int since) {
        return disk.operations().stream()
                .skip(since)
                .filter(done -> done instanceof DiskOperation.Write write
                        && write.bytes().length() != SEGMENT_BYTES)
                .count();
    }

    private String stored(CrashState state) {
        try {
            FileStorage engine = start(state.disk());
            List<String> ids = new ArrayList<>();
            for (long id : engine.stored()) {
                ids.add(Long.toString(id));
            }
            ids.sort(null);
            engine.close();
            return String.join(" ", ids);
        } catch (StorageException refused) {
            throw new AssertionError(state.toString(), refused);
        }
    }

    /** A start prepares a segment; what does not fit into it must not leave a gap in its place. */
    @Test
    void messagesLongerThanASegmentMayBeTheFirstAfterAStart() throws Exception {
        ModelLog log = new ModelLog(1, owner, 2 * SEGMENT_BYTES);
        for (int starts = 0; starts < 4; starts++) {
            FileStorage engine = start(disk);
            log.open(engine);
            log.append(true);
            log.checkAll();
            log.close();
            engine.close();
        }
        assertThat(log.size()).isEqualTo(4);
        assertThat(told.lines).isEmpty();
    }

    /**
     * A table says which segments it stands for, also when a crash came before the journal said so. When the table is not
     * needed any more, somebody else must have said it.
     */
    @Test
    void aTableThatAloneKnewWhichSegmentsAreGoneMayGo() throws Exception {
        FileStorage engine = start(disk);
        ModelLog stays = new ModelLog(1, owner);
        ModelLog goes = new ModelLog(2, owner);
        stays.open(engine);
        goes.open(engine);
        Table first = appendUntilATableHoldsOnly(1, stays);
        stays.release(first.runs().get(first.runs().size() - 1).last() + 1, Integer.MAX_VALUE);
        long second = appendUntilATableHoldsOnly(2, goes).number();
        stays.close();
        goes.close();
        engine.close();

        CrashStates crashes = CrashStates.of(disk);
        crashes.forEach(installed(second), state -> mustStartWithout(second, state));
        assertThat(told.lines).isEmpty();
    }

    /** Appends until there is a table of this log alone. */
    private Table appendUntilATableHoldsOnly(long id, ModelLog log) throws Exception {
        while (true) {
            for (DiskOperation done : disk.operations()) {
                Table table = open(table(done));
                if (table != null && table.runs().stream().allMatch(run -> run.log() == id)) {
                    return table;
                }
            }
            log.append(true);
            Waiting.until(log::isDurable);
        }
    }

    /** What a table says, where it is still there. */
    private @Nullable Table open(long number) throws Exception {
        if (number < 0 || !disk.list().contains(Table.name(number))) {
            return null;
        }
        try {
            Table table = Table.open(disk, number, StoreIdentity.of(disk, 0).store(), Checksums.EXACT)
                    .table();
            table.release();
            return table;
        } catch (IOException deleted) {
            return null;
        }
    }

    /** The number of the table that an operation puts in its place; -1 when it does something else. */
    private static long table(DiskOperation operation) {
        return operation instanceof DiskOperation.Rename rename ? Table.number(rename.to()) : -1;
    }

    /** The point at which a table is there for good. */
    private int installed(long number) {
        List<DiskOperation> operations = disk.operations();
        int point = 0;
        while (table(operations.get(point)) != number) {
            point++;
        }
        while (!(operations.get(point) instanceof DiskOperation.SyncDirectory)) {
            point++;
        }
        return point + 1;
    }

    private void mustStartWithout(long table, CrashState state) {
        try {
            FileStorage engine = start(state.disk());
            long entries = engine.entries(1);
            assertThat(entries).isPositive();
            engine.delete(2);
            Waiting.until(() -> !state.disk().list().contains(Table.name(table)));
            engine.close();
            CrashStates crashes = CrashStates.of(state.disk());
            int gone = state.disk().operations().indexOf(new DiskOperation.Delete(Table.name(table))) + 1;
            crashes.forEach(gone, later -> mustHold(entries, later));
        } catch (StorageException refused) {
            throw new AssertionError(state.toString(), refused);
        }
    }

    private void mustHold(long entries, CrashState state) {
        try {
            FileStorage engine = start(state.disk());
            assertThat(engine.entries(1)).isEqualTo(entries);
            engine.close();
        } catch (StorageException refused) {
            throw new AssertionError(state.toString(), refused);
        }
    }
}
