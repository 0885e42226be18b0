package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what a connection reads into frames, in place. Owned by the connection's loop.
 *
 * <p>Works at any split of the input: of a method or header frame that is split, the parts are joined; of a body frame,
 * they are passed on as they come, except that the last byte waits for the frame's end. Memory grows with what has come,
 * never with what is announced. The sink may call every method but {@link #read}; what it throws stops the decoder.
 */
public final class FrameDecoder {
    private static final int KEPT_BYTES_MIN = 64;
    private static final int SNIPPET_BYTES = 16;

    private int frameMax;
    private boolean stopped;
    private boolean held;

    /** A frame's first bytes, or the last byte of a body frame without its end, or whatever came while on hold. */
    private @Nullable ByteBuf kept;

    /** Whether the next byte belongs to a body frame, of which {@link #bodyLeft} bytes have not been passed on. */
    private boolean inBody;

    private boolean bodyEmpty;
    private int bodyChannel;
    private int bodyLeft;

    /** Begins after the protocol header, with the limit that holds before a larger one is agreed. */
    public FrameDecoder(int frameMax) {
        this.frameMax = frameMax;
    }

    /** From the next frame on, the largest whole frame, in bytes. Eight more are tolerated, as RabbitMQ does. */
    public void frameMax(int frameMax) {
        this.frameMax = frameMax;
    }

    /**
     * Takes all readable bytes of {@code buffer}, passing on every frame; the caller releases the buffer.
     *
     * @throws WireException when the bytes are no frames
     */
    public void read(ByteBuf buffer, FrameSink sink) {
        boolean done = false;
        try {
            if (kept != null && !held && !stopped && buffer.isReadable()) {
                complete(kept, buffer, sink);
            }
            scan(buffer, sink);
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

    /**
     * Passes nothing on until {@link #resume}: what is left of this read and later ones are kept. For the short time
     * until a login is answered; who holds stops reading the socket.
     */
    public void hold() {
        held = true;
    }

    /** Ends {@link #hold} and passes on what was kept. Throws like {@link #read}. */
    public void resume(FrameSink sink) {
        held = false;
        ByteBuf rest = kept;
        if (rest != null) {
            kept = null;
            try {
                read(rest, sink);
            } finally {
                rest.release();
            }
        }
    }

    /** Bytes kept of a split frame and of what is held. */
    public int keptBytes() {
        return kept == null ? 0 : kept.readableBytes();
    }

    private void scan(ByteBuf buffer, FrameSink sink) {
        int end = buffer.writerIndex();
        while (!stopped && !held) {
            if (inBody) {
                if (!passBody(buffer, end, sink)) {
                    return;
                }
                continue;
            }
            int at = buffer.readerIndex();
            if (end - at < Frames.OVERHEAD_BYTES) {
                return;
            }
            long head = buffer.getLong(at);
            int type = (int) (head >>> 56);
            int channel = (int) (head >>> 40) & 0xFFFF;
            int size = (int) (head >>> 8);
            check(type, channel, size);
            int payload = at + Frames.HEAD_BYTES;
            if (end - payload > size) {
                checkEnd(type, buffer, payload, size);
                buffer.readerIndex(payload + size + 1);
                pass(type, channel, buffer, payload, size, sink);
            } else if (type == Frames.BODY) {
                beginBody(channel, size);
                buffer.readerIndex(payload);
            } else {
                return;
            }
        }
    }

    /** Joins the first bytes of a frame with as many of {@code buffer} as the frame has; passes on what is whole. */
    private void complete(ByteBuf partial, ByteBuf buffer, FrameSink sink) {
        if (inBody) {
            checkEnd(buffer, buffer.readerIndex(), Frames.BODY, partial, partial.readerIndex(), 1);
            buffer.skipBytes(1);
        } else {
            if (!fill(partial, Frames.HEAD_BYTES, buffer)) {
                return;
            }
            int head = partial.readerIndex();
            int type = partial.getUnsignedByte(head);
            int size = partial.getInt(head + 3);
            check(type, partial.getUnsignedShort(head + 1), size);
            if (type == Frames.BODY) {
                beginBody(partial.getUnsignedShort(head + 1), size);
                drop();
                return;
            }
            if (!fill(partial, Frames.OVERHEAD_BYTES + size, buffer)) {
                return;
            }
            checkEnd(type, partial, head + Frames.HEAD_BYTES, size);
        }
        // From here on the sink may hold or stop: what is kept then is not this frame.
        kept = null;
        try {
            if (inBody) {
                inBody = false;
                sink.body(bodyChannel, partial, partial.readerIndex(), 1);
            } else {
                int head = partial.readerIndex();
                pass(
                        partial.getUnsignedByte(head),
                        partial.getUnsignedShort(head + 1),
                        partial,
                        head + Frames.HEAD_BYTES,
                        partial.getInt(head + 3),
                        sink);
            }
        } finally {
            partial.release();
        }
    }

    /** Moves bytes until {@code partial} has {@code wanted}; false when there are not enough. */
    private static boolean fill(ByteBuf partial, int wanted, ByteBuf buffer) {
        int missing = wanted - partial.readableBytes();
        if (missing > 0) {
            partial.writeBytes(buffer, Math.min(missing, buffer.readableBytes()));
        }
        return partial.readableBytes() >= wanted;
    }

    private void beginBody(int channel, int size) {
        inBody = true;
        bodyEmpty = size == 0;
        bodyChannel = channel;
        bodyLeft = size;
    }

    /** Passes on what there is of a body frame; whether the frame is finished. */
    private boolean passBody(ByteBuf buffer, int end, FrameSink sink) {
        int at = buffer.readerIndex();
        boolean whole = end - at > bodyLeft;
        int part = whole ? bodyLeft : Math.min(bodyLeft - 1, end - at);
        if (whole) {
            checkEnd(Frames.BODY, buffer, at, part);
            inBody = false;
            buffer.readerIndex(at + part + 1);
        } else {
            if (part <= 0) {
                return false;
            }
            buffer.readerIndex(at + part);
        }
        bodyLeft -= part;
        if (part > 0 || bodyEmpty) {
            sink.body(bodyChannel, buffer, at, part);
        }
        return whole;
    }

    private static void pass(int type, int channel, ByteBuf buffer, int payload, int size, FrameSink sink) {
        switch (type) {
            case Frames.METHOD -> sink.method(channel, buffer.getInt(payload), buffer, payload + 4, size - 4);
            case Frames.HEADER -> sink.header(channel, buffer, payload, size);
            case Frames.BODY -> sink.body(channel, buffer, payload, size);
            default -> sink.heartbeat();
        }
    }

    /** Refuses a frame as soon as its first seven bytes are known, before anything is kept of it. */
    private void check(int type, int channel, int size) {
        if (size < 0 || size > frameMax) {
            throw frameError(
                    type,
                    "{frame_too_large," + Integer.toUnsignedString(size) + ',' + (frameMax - Frames.OVERHEAD_BYTES)
                            + '}');
        }
        switch (type) {
            case Frames.METHOD -> {
                if (size < 4) {
                    throw frameError(type, "unknown_frame");
                }
            }
            case Frames.BODY -> {
                if (channel == 0) {
                    throw unexpected(type);
                }
            }
            case Frames.HEADER -> {
                if (size < HeaderCursor.FIXED_BYTES) {
                    throw frameError(type, "unknown_frame");
                }
                if (channel == 0) {
                    throw unexpected(type);
                }
            }
            case Frames.HEARTBEAT -> {
                if (size != 0) {
                    throw frameError(type, "unknown_frame");
                }
                if (channel != 0) {
                    throw unexpected(type);
                }
            }
            default -> throw frameError(type, "unknown_frame");
        }
    }

    private static void checkEnd(int type, ByteBuf buffer, int payload, int size) {
        checkEnd(buffer, payload + size, type, buffer, payload, size);
    }

    private static void checkEnd(ByteBuf endBuffer, int endIndex, int type, ByteBuf buffer, int payload, int size) {
        int end = endBuffer.getUnsignedByte(endIndex);
        if (end != Frames.END) {
            String snippet = ErlangText.binary(buffer, payload, Math.min(size, SNIPPET_BYTES));
            throw new WireException(
                    ReplyCode.FRAME_ERROR,
                    "type " + type + (size > SNIPPET_BYTES ? ", first 16 octets = " : ", all octets = ") + snippet
                            + ": {invalid_frame_end_marker," + end + '}',
                    Methods.NONE);
        }
    }

    private static WireException frameError(int type, String reason) {
        return new WireException(
                ReplyCode.FRAME_ERROR, "type " + type + ", all octets = <<>>: " + reason, Methods.NONE);
    }

    private static WireException unexpected(int type) {
        return new WireException(ReplyCode.UNEXPECTED_FRAME, "type " + type + ", all octets = <<>>", Methods.NONE);
    }

    private void keep(ByteBuf buffer) {
        ByteBuf target = kept;
        if (target == null) {
            target = Unpooled.buffer(Math.max(KEPT_BYTES_MIN, buffer.readableBytes()));
            kept = target;
        }
        target.writeBytes(buffer);
        if (!held && !inBody && target.readableBytes() == Frames.HEAD_BYTES) {
            int head = target.readerIndex();
            check(target.getUnsignedByte(head), target.getUnsignedShort(head + 1), target.getInt(head + 3));
        }
    }

    private void drop() {
        ByteBuf dropped = kept;
        if (dropped != null) {
            kept = null;
            dropped.release();
        }
    }
}
