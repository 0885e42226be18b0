package org.entrepot.storage.file;

import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.spi.storage.StorageListener;

/**
 * What logs work with. Immutable.
 *
 * @param checksums compares what is read with its checksums
 * @param durability when records count as durable where their log says nothing else
 * @param written gives the place up to which the journal is in its files
 * @param flush waits until everything appended is in the files; not to be called by an owner
 * @param closed is told of logs that were closed
 */
record EngineParts(
        Journal journal,
        Loader loader,
        Map<String, MessageFormat> formats,
        StoreMeters meters,
        StorageListener listener,
        Checksums checksums,
        Durability durability,
        LongSupplier written,
        Runnable flush,
        Consumer<FileLog> closed) {

    /** An entry cannot be read. */
    void damaged(FileLog log, long position) {
        listener.alarm(
                "the entry at position " + position + " of log " + log.id() + " is damaged and is not delivered");
    }
}
