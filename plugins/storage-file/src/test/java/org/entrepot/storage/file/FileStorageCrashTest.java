package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.testkit.storage.CrashCampaign;
import org.entrepot.testkit.storage.FaultCampaign;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Neither a power cut at any moment nor any failing call of the disk makes the engine lose what it called durable. */
final class FileStorageCrashTest {
    private static final int SEGMENT_BYTES = 1 << 14;
    /** Less than some messages have. */
    private static final int SMALLER_SEGMENT_BYTES = 1 << 12;

    /** States of crashes; the long campaign asks for millions. */
    private static final long STATES = Long.getLong("crash.states", 20_000);

    /** Engines live for a millisecond; starting threads would take longer than what they do. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdown();
    }

    private StorageEngine engine(Disk disk) {
        return engine(disk, SEGMENT_BYTES, Checksums.EXACT, (name, task) -> threads.execute(task));
    }

    private StorageEngine engineOfSmallerSegments(Disk disk) {
        return engine(disk, SMALLER_SEGMENT_BYTES, Checksums.EXACT, (name, task) -> threads.execute(task));
    }

    /** An engine whose journal is so short that in a life of some steps everything happens. */
    static StorageEngine engine(Disk disk, Checksums checksums) {
        return engine(disk, SEGMENT_BYTES, checksums, Threads.NEW);
    }

    private static StorageEngine engine(Disk disk, int segmentBytes, Checksums checksums, Threads threads) {
        return new FileStorage(
                () -> disk,
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, segmentBytes, 2L * segmentBytes, Integer.MAX_VALUE),
                new StoreMeters(new CompositeMeterRegistry()),
                checksums,
                threads);
    }

    @Test
    @Timeout(7_200)
    void whatWasCalledDurableSurvivesPowerCuts(@TempDir Path images, TestReporter reporter) {
        CrashCampaign.Report report =
                new CrashCampaign(this::engine).withImages(images).run(Long.getLong("crash.seed", 1), STATES);
        reporter.publishEntry("crashes", report.toString());
        assertThat(report.states()).isGreaterThanOrEqualTo(STATES);
    }

    @Test
    @Timeout(7_200)
    void whatWasCalledDurableSurvivesPowerCutsWhereMessagesAreLongerThanSegments(@TempDir Path images) {
        CrashCampaign.Report report = new CrashCampaign(this::engineOfSmallerSegments)
                .withImages(images)
                .run(Long.getLong("crash.seed", 1), STATES / 10);
        assertThat(report.lives()).isPositive();
    }

    @Test
    @Timeout(300)
    void whatWasCalledDurableSurvivesFailingCalls() {
        assertThat(new FaultCampaign(this::engine).run(1)).isGreaterThan(20);
    }
}
