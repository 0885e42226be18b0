package org.entrepot.core.storage;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;

/**
 * An engine for tests whose "disk" is memory: logs outlive it, and so are found by the engine that {@link #restarted} gives.
 * Entries leave memory and are loaded again, and durability lags where it is told to.
 */
public final class KeepingStorage implements StorageEngine {
    private final Map<Long, KeptRecords> disk;
    private final boolean lagging;
    private final Map<Long, KeepingLog> open = new ConcurrentHashMap<>();
    /** What was done with the engine as a whole, in order. */
    public final CopyOnWriteArrayList<String> history = new CopyOnWriteArrayList<>();

    private volatile StorageListener listener;
    private volatile String refusal;
    private volatile String damage;

    private KeepingStorage(Map<Long, KeptRecords> disk, boolean lagging) {
        this.disk = disk;
        this.lagging = lagging;
    }

    /** An engine that makes everything durable at once, and answers on the owners of its logs. */
    public static KeepingStorage prompt() {
        return new KeepingStorage(new ConcurrentHashMap<>(), false);
    }

    /** An engine in which nothing becomes durable, or is loaded, before the test says so. */
    public static KeepingStorage lagging() {
        return new KeepingStorage(new ConcurrentHashMap<>(), true);
    }

    /** The engine of the next process. */
    public KeepingStorage restarted() {
        disk.values().removeIf(records -> !records.lasting());
        return new KeepingStorage(disk, lagging);
    }

    /** From the next start on a log cannot be read. */
    public void unreadable(long id) {
        disk.get(id).unreadable();
    }

    /** A log that is open. */
    public KeepingLog log(long id) {
        return open.get(id);
    }

    /** Who hears how the engine fares. */
    public StorageListener listener() {
        return listener;
    }

    @Override
    public String name() {
        return "keeping";
    }

    @Override
    public Durability durability() {
        return Durability.DISK;
    }

    /** The next start finds something damaged. */
    public void findDamage(String what) {
        damage = what;
    }

    /** The next start is refused. */
    public void refuseToStart(String reason) {
        refusal = reason;
    }

    @Override
    public void start(StorageContext context) throws StorageException {
        if (refusal != null) {
            throw new StorageException(refusal);
        }
        history.add("started");
        listener = context.listener();
        if (damage != null) {
            listener.alarm(damage);
        }
    }

    @Override
    public long[] stored() {
        return disk.entrySet().stream()
                .filter(each -> each.getValue().lasting())
                .mapToLong(Map.Entry::getKey)
                .toArray();
    }

    @Override
    public long entries(long id) {
        KeptRecords records = disk.get(id);
        return records == null ? 0 : records.entries();
    }

    @Override
    public Log open(long id, boolean durable, LogListener logListener, Executor owner) {
        if (open.containsKey(id)) {
            throw new AssertionError("log " + id + " is open");
        }
        history.add("opened " + id);
        KeptRecords records = disk.computeIfAbsent(id, absent -> new KeptRecords(durable));
        KeepingLog log = new KeepingLog(records, lagging, logListener, owner, () -> {
            history.add("closed " + id);
            open.remove(id);
        });
        open.put(id, log);
        return log;
    }

    @Override
    public LogTransaction begin() {
        return new KeepingTransaction(lagging);
    }

    @Override
    public void delete(long id) {
        if (open.containsKey(id)) {
            throw new AssertionError("log " + id + " is open");
        }
        disk.remove(id);
    }

    @Override
    public void close() {
        if (!open.isEmpty()) {
            throw new AssertionError("logs are open: " + open.keySet());
        }
        history.add("stopped");
    }
}
