package org.entrepot.core.queue;

/**
 * How much memory the messages in the queues of one loop take, roughly. Written by that loop, read by any thread: the
 * memory alarm adds the loops up.
 */
final class ResidentBytes {
    /** What an entry is taken to cost besides its message's bytes: objects, references, position. */
    static final int ENTRY_OVERHEAD = 160;

    private volatile long published;
    private long bytes;

    void add(long change) {
        bytes += change;
        published = bytes;
    }

    long get() {
        return published;
    }
}
