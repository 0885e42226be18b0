package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.netty.buffer.Unpooled;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.testkit.storage.PlainFormat;
import org.entrepot.testkit.storage.disk.DiskOperation;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to a log that is not open, and when it is opened once more. */
@Timeout(30)
final class FileLogTest {
    private static final int SEGMENT_BYTES = 1 << 15;

    private final Owner owner = new Owner();
    private final RecordingDisk disk = new RecordingDisk();
    private final Told told = new Told();
    private final FileStorage engine = new FileStorage(
            () -> disk,
            new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, SEGMENT_BYTES, 4 * SEGMENT_BYTES, Integer.MAX_VALUE),
            new StoreMeters(new CompositeMeterRegistry()));

    @BeforeEach
    void start() throws Exception {
        engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), told));
    }

    @AfterEach
    void end() {
        engine.close();
        owner.close();
    }

    /** A log with one entry, which is durable. */
    private FileLog closed() throws InterruptedException {
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        log.append(true);
        Waiting.until(log::isDurable);
        log.close();
        return Objects.requireNonNull(engine.log(1));
    }

    /** The reclaimer moves entries of a log that is not open from one place to another, in steps. */
    @Test
    void entriesAreNotCountedWhileTheyAreMoved() throws Exception {
        FileLog log = closed();
        CountDownLatch moving = new CountDownLatch(1);
        CountDownLatch moved = new CountDownLatch(1);
        CompletableFuture<Void> mover =
                CompletableFuture.runAsync(() -> log.executor().execute(() -> {
                    moving.countDown();
                    join(moved);
                }));
        moving.await();
        CompletableFuture<Long> count = new CompletableFuture<>();
        Thread counting = new Thread(() -> count.complete(engine.entries(1)));
        counting.start();
        Waiting.until(() -> counting.getState() == Thread.State.BLOCKED || !counting.isAlive());
        assertThat(count).isNotDone();
        moved.countDown();
        assertThat(count.get()).isEqualTo(1);
        mover.get();
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whatever has nothing live in it is deleted once all that was appended by then is durable. */
    @Test
    void aDeletionIsInTheJournalBeforeAnythingIsForgotten() throws Exception {
        FileLog log = closed();
        CompletableFuture<Void> deletion;
        synchronized (log) {
            assertThat(log.contents().liveCount()).isEqualTo(1);
            deletion = CompletableFuture.runAsync(() -> engine.delete(1));
            Waiting.until(() -> disk.operations().stream().anyMatch(FileLogTest::isDeletion));
            assertThat(log.contents().liveCount()).isEqualTo(1);
        }
        deletion.get();
        assertThat(log.contents().liveCount()).isZero();
        assertThat(engine.entries(1)).isZero();
    }

    /** Whether a batch is written that begins with the deletion of a log. */
    private static boolean isDeletion(DiskOperation operation) {
        return operation instanceof DiskOperation.Write write
                && write.bytes().length() > Batch.HEAD + Records.HEAD
                && Records.kind(Unpooled.wrappedBuffer(write.bytes().toArray()), Batch.HEAD) == Records.DELETED;
    }

    /** What was appended may still wait to be written, also where it is nothing but a checkpoint. */
    @Test
    void aLogMayBeOpenedAgainBeforeItsCheckpointIsWritten() throws Exception {
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        for (int times = 0; times < 200; times++) {
            owner.tell(log::checkpointWanted);
            log.close();
            log.open(engine);
        }
        log.close();
        assertThat(told.lines).isEmpty();
    }
}
