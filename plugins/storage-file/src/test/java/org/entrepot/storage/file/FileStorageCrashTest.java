package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.testkit.storage.CrashCampaign;
import org.entrepot.testkit.storage.FaultCampaign;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Neither a power cut at any moment nor any failing call of the disk makes the engine lose what it called durable. */
final class FileStorageCrashTest {
    private static final int SEGMENT_BYTES = 1 << 14;
    private static final int JOURNAL_BYTES = 2 * SEGMENT_BYTES;

    /** States of crashes; the long campaign asks for millions. */
    private static final long STATES = Long.getLong("crash.states", 3_000);

    private static StorageEngine engine(Disk disk) {
        return new FileStorage(
                () -> disk,
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, SEGMENT_BYTES, JOURNAL_BYTES, Integer.MAX_VALUE),
                new StoreMeters(new SimpleMeterRegistry()));
    }

    @Test
    @Timeout(7_200)
    void whatWasCalledDurableSurvivesPowerCuts(@TempDir Path images, TestReporter reporter) {
        CrashCampaign.Report report = new CrashCampaign(FileStorageCrashTest::engine)
                .withImages(images)
                .run(Long.getLong("crash.seed", 1), STATES);
        reporter.publishEntry("crashes", report.toString());
        assertThat(report.states()).isGreaterThanOrEqualTo(STATES);
    }

    @Test
    @Timeout(300)
    void whatWasCalledDurableSurvivesFailingCalls() {
        assertThat(new FaultCampaign(FileStorageCrashTest::engine).run(1)).isGreaterThan(20);
    }
}
