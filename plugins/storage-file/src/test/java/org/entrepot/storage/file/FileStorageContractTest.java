package org.entrepot.storage.file;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.testkit.storage.StorageContract;

/** The file engine keeps what engines promise. */
final class FileStorageContractTest extends StorageContract {

    @Override
    protected StorageEngine open(Path directory) {
        return new FileStorage(
                () -> NioDisk.open(directory),
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, 1 << 20, 4 << 20, Integer.MAX_VALUE),
                new StoreMeters(new SimpleMeterRegistry()));
    }
}
