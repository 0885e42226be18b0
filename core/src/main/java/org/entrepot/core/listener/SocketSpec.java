package org.entrepot.core.listener;

/**
 * How sockets are set. Immutable.
 *
 * @param backlog connections that wait to be accepted, per port; the system may allow fewer
 * @param sendBufferBytes the system's buffer for what a client has not received yet; 0 leaves it to the system, which
 *     lets it grow to megabytes for a client that does not read. Set it where many clients may be stuck
 * @param receiveBufferBytes the system's buffer for what the broker has not read yet; 0 leaves it to the system
 * @param readBytesMax most that one read takes; it is the batch that everything behind it works with
 * @param readsInARow most reads of one socket before the next one's turn
 * @param writeLowBytes outbound bytes below which a connection is writable again
 * @param writeHighBytes outbound bytes above which a connection is not writable
 */
public record SocketSpec(
        int backlog,
        int sendBufferBytes,
        int receiveBufferBytes,
        int readBytesMax,
        int readsInARow,
        int writeLowBytes,
        int writeHighBytes) {

    /** The least that a read takes, and what a new connection's first one does: idle connections stay small. */
    static final int READ_BYTES_MIN = 512;

    static final int READ_BYTES_FIRST = 1_024;

    public SocketSpec {
        if (backlog < 1 || sendBufferBytes < 0 || receiveBufferBytes < 0 || readsInARow < 1) {
            throw new IllegalArgumentException("a socket option is out of its range");
        }
        if (readBytesMax < READ_BYTES_FIRST) {
            throw new IllegalArgumentException("reads are of at least " + READ_BYTES_FIRST + " bytes");
        }
        if (writeLowBytes < 0 || writeHighBytes < writeLowBytes) {
            throw new IllegalArgumentException("the low mark of outbound bytes is above the high one");
        }
    }

    /**
     * Reads of up to 256 KiB, one before the next socket's turn; 1 MiB outbound; buffers left to the system. A pass of a loop
     * takes as long as what all its sockets may read in it: a dozen clients that send as fast as they can must not make it a
     * tenth of a second.
     */
    public static SocketSpec defaults() {
        return new SocketSpec(1_024, 0, 0, 256 * 1_024, 1, 256 * 1_024, 1_024 * 1_024);
    }

    public SocketSpec withSendBufferBytes(int bytes) {
        return new SocketSpec(
                backlog, bytes, receiveBufferBytes, readBytesMax, readsInARow, writeLowBytes, writeHighBytes);
    }
}
