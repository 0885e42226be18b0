package org.entrepot.core.session;

/**
 * Bytes of what the sessions of one loop have published and no queue has answered yet. Owned by that loop.
 *
 * <p>However many sessions there are, only so much waits for the storage engine: it would be of no use in memory, and where
 * the disk is full it has to fit into what the engine keeps in reserve.
 */
final class OutstandingBytes {
    /** Of all loops together. A disk that syncs ten times a second is still kept busy with 300 MB/s. */
    private static final long BYTES_MAX = 32 << 20;

    private static final long LOOP_BYTES_MIN = 1 << 20;

    private final long max;
    private long bytes;

    /** The account of one of so many loops. */
    OutstandingBytes(int loops) {
        this.max = Math.max(LOOP_BYTES_MIN, BYTES_MAX / loops);
    }

    void add(long more) {
        bytes += more;
    }

    /** Whether publishers are to wait for receipts. */
    boolean isMuch() {
        return bytes > max;
    }

    /** Whether those who wait may go on: later than when it is not much any more, so that they do not stop again at once. */
    boolean hasRoom() {
        return bytes <= max / 2;
    }
}
