package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
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
        FileStorage engine = new FileStorage(
                () -> on,
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, SEGMENT_BYTES, SEGMENT_BYTES, Integer.MAX_VALUE),
                new StoreMeters(new CompositeMeterRegistry()));
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
}
