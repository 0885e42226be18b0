package org.entrepot.spi.storage;

import java.util.concurrent.Executor;

/** Keeps logs. Vendors implement it; one instance a broker. */
public interface StorageEngine extends AutoCloseable {

    /** Lower-case and short; the key {@code storage.engine} names it. */
    String name();

    /** What it means that something is durable in this engine: for the start-up line and the documentation. */
    Durability durability();

    /** How safe what is durable is. */
    enum Durability {
        /** Gone with the process. */
        PROCESS,
        /** Survives the end of the process, not of the machine. */
        OPERATING_SYSTEM,
        /** Survives a power cut. */
        DISK
    }

    /**
     * Reads what is there. Called once, before any method below, by the thread that starts the broker; it may take its time.
     *
     * @throws StorageException when the store cannot be used as it is, and the broker is not to start
     */
    void start(StorageContext context) throws StorageException;

    /** The ids of all logs that hold something from before the start, in no order. Any thread may ask. */
    long[] stored();

    /** How many entries a log holds that is not open; 0 where there is none. Any thread may ask. */
    long entries(long id);

    /**
     * Opens a log, an empty one where there is none of this id.
     *
     * @param id which; queues use their own ids
     * @param durable whether what is appended is to last; a log that is not keeps its entries in memory, or where memory
     *     is short in files that the next start forgets
     * @param listener hears of the log, on {@code owner}
     * @param owner the loop that owns the log: makes all calls, gets all answers
     */
    Log open(long id, boolean durable, LogListener listener, Executor owner);

    /** Begins a transaction: what logs of this engine take in it lasts as a whole or not at all. Any thread may ask. */
    LogTransaction begin();

    /** Forgets a log that is not open, and what is in it. */
    void delete(long id);

    /** Ends the engine after everything appended is as durable as it will be. */
    @Override
    void close();
}
