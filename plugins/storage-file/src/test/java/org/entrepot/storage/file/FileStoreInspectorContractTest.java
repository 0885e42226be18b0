package org.entrepot.storage.file;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StoreInspector;
import org.entrepot.testkit.storage.StoreInspectorContract;

/** The file engine's stores are looked into as the broker expects. */
final class FileStoreInspectorContractTest extends StoreInspectorContract {

    @Override
    protected StoreInspector inspector() {
        return new FileStoreInspector();
    }

    @Override
    protected StorageEngine open(Path directory) {
        return new FileStorage(
                () -> NioDisk.open(directory),
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, 1 << 20, 4 << 20, Integer.MAX_VALUE),
                new StoreMeters(new SimpleMeterRegistry()));
    }
}
