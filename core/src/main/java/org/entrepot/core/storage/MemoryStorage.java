package org.entrepot.core.storage;

import java.util.concurrent.Executor;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;

/** Keeps logs on the heap, and nothing beyond the process. Immutable: each log is its owner's. */
public final class MemoryStorage implements StorageEngine {

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Durability durability() {
        return Durability.PROCESS;
    }

    @Override
    public void start(StorageContext context) {}

    @Override
    public long[] stored() {
        return new long[0];
    }

    @Override
    public long entries(long id) {
        return 0;
    }

    @Override
    public Log open(long id, boolean durable, LogListener listener, Executor owner) {
        return new MemoryLog(listener, owner);
    }

    @Override
    public LogTransaction begin() {
        return new MemoryTransaction();
    }

    @Override
    public void delete(long id) {}

    @Override
    public void close() {}
}
