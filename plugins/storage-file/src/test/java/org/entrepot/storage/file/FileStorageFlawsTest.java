package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.testkit.storage.CrashCampaign;
import org.entrepot.testkit.storage.StorageFactory;
import org.entrepot.testkit.storage.disk.LyingDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The campaign of {@link FileStorageCrashTest} soon finds out what the engine needs for its promises, when that is gone. */
@Timeout(10)
final class FileStorageFlawsTest {
    /** An entry, or a release: which of them is seen first is for the engine's threads to say. */
    private static final String LOST = " is (lost|there), though ";

    private static void mustFind(StorageFactory flawed, String reason) {
        Throwable failure = catchThrowable(() -> new CrashCampaign(flawed).run(1_000_000));
        assertThat(failure).isInstanceOf(AssertionError.class);
        assertThat(failure.getMessage()).containsPattern(reason).contains("brought about again by reproduce(");
    }

    private static StorageEngine engine(Disk disk) {
        return FileStorageCrashTest.engine(disk, Checksums.EXACT);
    }

    /** What is missed first is the file that says whose the others are. */
    @Test
    void syncsAreMissed() {
        mustFind(
                disk -> engine(new LyingDisk(disk, LyingDisk.About.FILES)),
                "does not start: the file `store` does not say which store this is");
    }

    @Test
    void syncsAreMissedWhereTheStoreIsThereAlready() {
        mustFind(disk -> engine(new LyingDisk(withStore(disk), LyingDisk.About.FILES)), LOST);
    }

    @Test
    void syncsOfTheDirectoryAreMissed() {
        mustFind(
                disk -> engine(new LyingDisk(disk, LyingDisk.About.DIRECTORY)),
                "does not start: there are files of a store, such as .*, but not the file `store`");
    }

    @Test
    void syncsOfTheDirectoryAreMissedWhereTheStoreIsThereAlready() {
        mustFind(disk -> engine(new LyingDisk(withStore(disk), LyingDisk.About.DIRECTORY)), LOST);
    }

    private static Disk withStore(Disk disk) throws IOException {
        try {
            StoreIdentity.of(disk, 7);
            return disk;
        } catch (StorageException refused) {
            throw new IOException(refused);
        }
    }

    @Test
    void checksumsAreMissed() {
        mustFind(
                disk -> FileStorageCrashTest.engine(disk, (read, written) -> true),
                "that was never appended there|which nobody ever gave it");
    }
}
