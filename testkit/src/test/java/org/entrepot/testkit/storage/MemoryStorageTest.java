package org.entrepot.testkit.storage;

import java.nio.file.Path;
import org.entrepot.core.storage.MemoryStorage;
import org.entrepot.spi.storage.StorageEngine;

/** The in-memory engine keeps the contract that it is the reference for. */
class MemoryStorageTest extends StorageContract {

    @Override
    protected StorageEngine open(Path directory) {
        return new MemoryStorage();
    }
}
