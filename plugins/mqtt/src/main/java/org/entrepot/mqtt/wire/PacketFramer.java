package org.entrepot.mqtt.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what a connection reads into packets, in place; only of a packet that is split the parts are joined. Owned by the
 * connection's loop.
 *
 * <p>Memory grows with what has come, never with what is announced. The sink may call every method but {@link #read}; what
 * it throws stops the framer.
 */
public final class PacketFramer {
    private static final int KEPT_BYTES_MIN = 64;
    private static final int INCOMPLETE = -1;

    private final Room room;
    private int packetMax;
    private boolean stopped;
    private boolean held;

    /** A packet's first bytes, or whatever came while on hold. */
    private @Nullable ByteBuf kept;

    private int counted;

    /** Takes packets, one after the other. */
    @FunctionalInterface
    public interface Sink {
        /**
         * A packet.
         *
         * @param head its first byte
         * @param buffer holds it; valid during the call
         * @param start index of its first byte
         * @param index index of what follows the fixed header
         * @param length bytes of that
         */
        void packet(int head, ByteBuf buffer, int start, int index, int length);
    }

    /** Counts what all connections keep of packets that are not complete. */
    @FunctionalInterface
    public interface Room {
        /**
         * So many bytes more, or fewer.
         *
         * @throws PacketException when there is no room
         */
        void change(int bytes);
    }

    /** With the largest packet, all its bytes counted, that is taken. */
    public PacketFramer(int packetMax, Room room) {
        this.packetMax = packetMax;
        this.room = room;
    }

    /** The largest packet from now on. */
    public void packetMax(int bytes) {
        packetMax = bytes;
    }

    /**
     * Takes all readable bytes of {@code buffer}, passing on every packet; the caller releases the buffer.
     *
     * @throws PacketException when the bytes are no packets
     */
    public void read(ByteBuf buffer, Sink sink) {
        boolean done = false;
        try {
            if (kept != null && !held && !stopped) {
                complete(kept, buffer, sink);
            }
            if (!stopped && (kept == null || held)) {
                scan(buffer, sink);
            }
            if (stopped) {
                buffer.skipBytes(buffer.readableBytes());
            } else if (buffer.isReadable()) {
                keep(buffer);
            }
            done = true;
        } finally {
            if (!done) {
                stop();
            }
        }
    }

    /** Passes nothing on any more: what is left of this read and all later ones are dropped. */
    public void stop() {
        stopped = true;
        drop();
    }

    /** Passes nothing on until {@link #resume}: what comes is kept. Who holds stops reading the socket. */
    public void hold() {
        held = true;
    }

    /** Ends {@link #hold} and passes on what was kept. Throws like {@link #read}. */
    public void resume(Sink sink) {
        held = false;
        ByteBuf rest = kept;
        if (rest != null) {
            kept = null;
            count();
            try {
                read(rest, sink);
            } finally {
                rest.release();
            }
        }
    }

    private void scan(ByteBuf buffer, Sink sink) {
        while (!stopped && !held) {
            int start = buffer.readerIndex();
            int end = buffer.writerIndex();
            if (end - start < 2) {
                return;
            }
            int length = remainingLength(buffer, start, end);
            if (length == INCOMPLETE) {
                return;
            }
            int index = start + headerBytes(length, buffer, start);
            if (end - index < length) {
                return;
            }
            buffer.readerIndex(index + length);
            sink.packet(buffer.getUnsignedByte(start), buffer, start, index, length);
        }
    }

    /** The remaining length, or that not all of its bytes are there. */
    private int remainingLength(ByteBuf buffer, int start, int end) {
        int length = 0;
        for (int i = 1; i < Packets.FIXED_HEADER_MAX; i++) {
            if (start + i >= end) {
                return INCOMPLETE;
            }
            int b = buffer.getByte(start + i);
            length |= (b & 0x7F) << (7 * (i - 1));
            if (b >= 0) {
                if (1L + i + length > packetMax) {
                    throw new PacketException(
                            Reason.PACKET_TOO_LARGE,
                            "a packet of " + (1L + i + length) + " bytes, where " + packetMax + " are allowed");
                }
                return length;
            }
        }
        throw PacketException.malformed("a remaining length of more than four bytes");
    }

    /** How long the fixed header is that says this length; it may be longer than it need be. */
    private static int headerBytes(int length, ByteBuf buffer, int start) {
        if (length < 0x80 && buffer.getByte(start + 1) >= 0) {
            return 2;
        }
        int i = 1;
        while (buffer.getByte(start + i) < 0) {
            i++;
        }
        return i + 1;
    }

    /** Joins the first bytes of a packet with as many as it has, and passes it on when it is whole. */
    private void complete(ByteBuf partial, ByteBuf buffer, Sink sink) {
        int length = INCOMPLETE;
        while (length == INCOMPLETE) {
            length = partial.readableBytes() < 2
                    ? INCOMPLETE
                    : remainingLength(partial, partial.readerIndex(), partial.writerIndex());
            if (length == INCOMPLETE) {
                if (!buffer.isReadable()) {
                    return;
                }
                append(partial, buffer, 1);
            }
        }
        int start = partial.readerIndex();
        int index = start + headerBytes(length, partial, start);
        int missing = index + length - partial.writerIndex();
        if (missing > buffer.readableBytes()) {
            append(partial, buffer, buffer.readableBytes());
            return;
        }
        append(partial, buffer, missing);
        kept = null;
        try {
            sink.packet(partial.getUnsignedByte(start), partial, start, index, length);
        } finally {
            partial.release();
            count();
        }
    }

    private void keep(ByteBuf buffer) {
        ByteBuf target = kept;
        if (target == null) {
            target = Unpooled.buffer(Math.max(KEPT_BYTES_MIN, buffer.readableBytes()));
            kept = target;
        }
        append(target, buffer, buffer.readableBytes());
    }

    private void append(ByteBuf target, ByteBuf buffer, int bytes) {
        target.writeBytes(buffer, bytes);
        count();
    }

    /** Bytes kept of a split packet and of what is held. */
    public int keptBytes() {
        return kept == null ? 0 : kept.readableBytes();
    }

    private void count() {
        int now = kept == null ? 0 : kept.capacity();
        if (now != counted) {
            int change = now - counted;
            counted = now;
            room.change(change);
        }
    }

    private void drop() {
        ByteBuf rest = kept;
        if (rest != null) {
            kept = null;
            rest.release();
            count();
        }
    }
}
