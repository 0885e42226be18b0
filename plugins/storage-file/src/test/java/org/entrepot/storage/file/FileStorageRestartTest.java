package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;
import org.entrepot.testkit.storage.PlainFormat;
import org.entrepot.testkit.storage.disk.CrashState;
import org.entrepot.testkit.storage.disk.CrashStates;
import org.entrepot.testkit.storage.disk.DiskOperation;
import org.entrepot.testkit.storage.disk.FaultyDisk;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a start makes of stores that crashes seldom leave. */
@Timeout(30)
final class FileStorageRestartTest {
    private static final int SEGMENT_BYTES = 2 * Batch.PAGE;

    private final Owner owner = new Owner();
    private final CopyOnWriteArrayList<String> complaints = new CopyOnWriteArrayList<>();
    private final RecordingDisk disk = new RecordingDisk();

    @AfterEach
    void end() {
        owner.close();
    }

    private FileStorage start(Disk on) throws StorageException {
        return start(on, Threads.NEW);
    }

    private FileStorage start(Disk on, Threads threads) throws StorageException {
        FileStorage engine = new FileStorage(
                () -> on,
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, SEGMENT_BYTES, SEGMENT_BYTES, Integer.MAX_VALUE),
                new StoreMeters(new CompositeMeterRegistry()),
                Checksums.EXACT,
                threads);
        engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), new Complaints()));
        return engine;
    }

    private final class Complaints implements StorageListener {
        @Override
        public void full(String reason) {
            complaints.add(reason);
        }

        @Override
        public void hasRoom() {}

        @Override
        public void failed(String reason) {
            complaints.add(reason);
        }

        @Override
        public void checkpointWanted(long log) {}

        @Override
        public void alarm(String text) {
            complaints.add(text);
        }
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
        assertThat(complaints).isEmpty();
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
        assertThat(complaints).isEmpty();
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
        long first = appendUntilATableFollows(0, stays);
        stays.release(last(first) + 1, Integer.MAX_VALUE);
        long second = appendUntilATableFollows(first, goes);
        stays.close();
        goes.close();
        engine.close();

        CrashStates crashes = CrashStates.of(disk);
        crashes.forEach(installed(first), state -> mustStartWithout(second, state));
        assertThat(complaints).isEmpty();
    }

    /** The last position in a table. */
    private long last(long number) throws Exception {
        long store = StoreIdentity.of(disk, 0).store();
        Table table = Table.open(disk, number, store, Checksums.EXACT).table();
        table.release();
        return table.runs().get(table.runs().size() - 1).last();
    }

    /** Appends until there is a table after the one of this number; its number. */
    private long appendUntilATableFollows(long number, ModelLog log) {
        while (true) {
            for (DiskOperation done : disk.operations()) {
                if (table(done) > number) {
                    return table(done);
                }
            }
            log.append(true);
            Waiting.until(log::isDurable);
        }
    }

    /** The number of the table that an operation puts in its place; -1 when it does something else. */
    private static long table(DiskOperation operation) {
        return operation instanceof DiskOperation.Rename rename ? Table.number(rename.to()) : -1;
    }

    /** The point at which the table after the one of this number is there for good. */
    private int installed(long number) {
        List<DiskOperation> operations = disk.operations();
        int point = 0;
        while (table(operations.get(point)) <= number) {
            point++;
        }
        while (!(operations.get(point) instanceof DiskOperation.SyncDirectory)) {
            point++;
        }
        return point + 1;
    }

    private void mustStartWithout(long table, CrashState state) {
        try {
            // The reclaimer comes when the table is empty: before, it could wait for a checkpoint of a log that is not
            // open.
            CountDownLatch deleted = new CountDownLatch(1);
            FileStorage engine = start(
                    state.disk(),
                    (name, task) ->
                            Threads.NEW.start(name, name.equals("store-reclaimer") ? after(deleted, task) : task));
            long entries = engine.entries(1);
            assertThat(entries).isPositive();
            engine.delete(2);
            deleted.countDown();
            Waiting.until(() -> !state.disk().list().contains(Table.name(table)));
            engine.close();
            CrashStates crashes = CrashStates.of(state.disk());
            int gone = state.disk().operations().indexOf(new DiskOperation.Delete(Table.name(table))) + 1;
            crashes.forEach(gone, later -> mustHold(entries, later));
        } catch (StorageException refused) {
            throw new AssertionError(state.toString(), refused);
        }
    }

    private static Runnable after(CountDownLatch latch, Runnable task) {
        return () -> {
            try {
                latch.await();
                task.run();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        };
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
