package org.entrepot.testkit.storage;

import java.io.IOException;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageEngine;

/**
 * Makes a storage engine that reaches its files only through a disk. Vendors implement it, any thread may call it:
 * what makes tests fast, such as small segments, is decided here.
 */
@FunctionalInterface
public interface StorageFactory {

    /** An engine over this disk, not started yet. */
    StorageEngine open(Disk disk) throws IOException;
}
