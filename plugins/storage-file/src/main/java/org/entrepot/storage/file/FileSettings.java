package org.entrepot.storage.file;

/**
 * How the file engine is to work. Immutable.
 *
 * @param sync when an entry counts as durable
 * @param syncIntervalMillis time between syncs where they go by the clock
 * @param syncDelayMicros time that each sync takes longer, for measurements; 0 but there
 * @param segmentBytes of a segment of the journal
 * @param journalBytes beyond which the oldest segments' entries are moved to tables
 * @param moveBytesPerSecond how fast they are
 */
record FileSettings(
        Sync sync,
        long syncIntervalMillis,
        long syncDelayMicros,
        int segmentBytes,
        long journalBytes,
        long moveBytesPerSecond) {

    /** When an entry counts as durable. */
    enum Sync {
        /** When it was synced. */
        ALWAYS,
        /** When it was written; syncs go by the clock. */
        INTERVAL,
        /** When it was written; the operating system writes it to the disk when it likes. */
        OS
    }
}
