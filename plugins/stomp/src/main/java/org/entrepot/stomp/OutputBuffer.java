package org.entrepot.stomp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what a connection sends during a pass of its loop, in order and in as few buffers as can be, so that a pass
 * costs one write. Owned by the connection's loop.
 */
final class OutputBuffer {

    /** A buffer's least size. */
    private static final int BUFFER_BYTES_MIN = 512;

    /** Above this a buffer goes to the channel before the pass ends, and a new one is begun. */
    private static final int BUFFER_BYTES_MAX = 256 << 10;

    private final Channel channel;
    private @Nullable ByteBuf buffer;
    /** What the last pass took, so that the next one's buffer need not grow. */
    private int expected = BUFFER_BYTES_MIN;

    private int gathered;
    private boolean closed;

    OutputBuffer(Channel channel) {
        this.channel = channel;
    }

    /** The buffer to append to, with room for this many bytes; valid until the next call. */
    ByteBuf room(int bytes) {
        if (closed) {
            return Unpooled.buffer(bytes);
        }
        ByteBuf present = buffer;
        if (present != null) {
            if (present.writableBytes() >= bytes) {
                return present;
            }
            write(present);
        }
        int size = Math.max(expected, Math.min(gathered, BUFFER_BYTES_MAX));
        ByteBuf fresh = channel.alloc().directBuffer(Math.max(bytes, size));
        buffer = fresh;
        return fresh;
    }

    boolean isEmpty() {
        return buffer == null;
    }

    /** Gives what was gathered to the channel. */
    void write() {
        ByteBuf present = buffer;
        if (present == null) {
            return;
        }
        write(present);
        expected = sizeFor(gathered);
        gathered = 0;
    }

    /** Drops what was gathered and what is still to come, because the socket is closed. */
    void close() {
        closed = true;
        ByteBuf present = buffer;
        if (present != null) {
            buffer = null;
            present.release();
        }
    }

    private void write(ByteBuf present) {
        buffer = null;
        gathered += present.readableBytes();
        channel.write(present);
    }

    private static int sizeFor(int bytes) {
        if (bytes >= BUFFER_BYTES_MAX) {
            return BUFFER_BYTES_MAX;
        }
        return Math.max(BUFFER_BYTES_MIN, Integer.highestOneBit(Math.max(1, bytes - 1)) << 1);
    }
}
