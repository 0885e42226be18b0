package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.testkit.storage.disk.FaultyDisk;
import org.entrepot.testkit.storage.disk.FaultyDisk.Call;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What each value of {@code storage-file.sync} lets a confirm mean. */
@Timeout(60)
final class FileStorageSyncTest {
    private final Owner owner = new Owner();
    private final Told told = new Told();

    @AfterEach
    void end() {
        owner.close();
    }

    @Test
    void alwaysMeansThatNothingIsDurableBeforeItsSync() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        disk.holdSyncs();
        log.append(true);
        disk.awaitHeldSync();
        assertThat(log.isDurable()).isFalse();

        disk.letSyncs();
        log.awaitDurable();
        assertThat(engine.durability()).isEqualTo(Durability.DISK);
        log.close();
        engine.close();
    }

    @Test
    void osMeansThatNobodyWaitsForASyncAndNoneIsMade() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk, FileSettings.Sync.OS, 1);
        assertThat(engine.durability()).isEqualTo(Durability.OPERATING_SYSTEM);
        awaitReady(disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        long syncs = disk.count(Call.SYNC);
        for (int i = 0; i < 50; i++) {
            log.append(true);
            log.awaitDurable();
        }
        // The one segment is not full yet, and nobody has asked for anything but entries.
        assertThat(disk.count(Call.SYNC)).isEqualTo(syncs);
        log.close();
        engine.close();
    }

    /** Spare and reserve are filled and synced in the background after a start. */
    private static void awaitReady(FaultyDisk disk) {
        Waiting.until(
                () -> disk.list().contains(SegmentFiles.SPARE) && disk.list().contains(SegmentFiles.RESERVE));
    }

    @Test
    void intervalMeansThatConfirmsDoNotWaitAndSyncsFollow() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk, FileSettings.Sync.INTERVAL, 20);
        assertThat(engine.durability()).isEqualTo(Durability.OPERATING_SYSTEM);
        awaitReady(disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        for (int i = 0; i < 5; i++) {
            long syncs = disk.count(Call.SYNC);
            log.append(true);
            log.awaitDurable();
            // Comes by itself, without anything further to write.
            Waiting.until(() -> disk.count(Call.SYNC) > syncs);
        }
        log.close();
        engine.close();
    }

    @Test
    void whatWasConfirmedSurvivesTheProcessWhateverTheSync(@TempDir Path directory) throws Exception {
        for (FileSettings.Sync sync : FileSettings.Sync.values()) {
            RecordingDisk disk = new RecordingDisk();
            FileStorage engine = told.start(() -> disk, sync, 60_000);
            ModelLog log = new ModelLog(1, owner);
            log.open(engine);
            for (int i = 0; i < 200; i++) {
                log.append(true);
            }
            log.awaitDurable();
            // What a killed process leaves is what it has written: no power is lost.
            Path killed = directory.resolve(sync.name());
            disk.copyTo(killed);
            log.close();
            engine.close();

            FileStorage again = told.start(() -> NioDisk.open(killed), sync, 60_000);
            log.open(again);
            log.checkAll();
            log.close();
            again.close();
        }
        assertThat(told.lines).isEmpty();
    }
}
