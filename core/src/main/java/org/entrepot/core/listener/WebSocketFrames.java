package org.entrepot.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * WebSocket on one connection, after its handshake (RFC 6455 sections 5 to 7): takes apart the frames that come, and puts
 * into frames what is written.
 *
 * <p>What data frames hold is passed on with the read that brought it, however much of its frame is still to come: a frame
 * of any length costs no memory. It is unmasked where it lies and moved together, so that one read is passed on as one
 * buffer, however many frames are in it. Pings, pongs and closing are seen to here.
 */
@OwnedBy("the connection's loop")
final class WebSocketFrames extends ChannelDuplexHandler {
    static final int NORMAL = 1000;
    static final int GOING_AWAY = 1001;
    static final int PROTOCOL_ERROR = 1002;
    static final int UNSUPPORTED = 1003;
    static final int NOT_UTF8 = 1007;

    private static final int CONTINUATION = 0;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private static final int FINAL = 0x80;
    private static final int RESERVED = 0x70;
    private static final int OPCODE = 0x0f;
    private static final int MASKED = 0x80;
    private static final int LENGTH_IN_2 = 126;
    private static final int LENGTH_IN_8 = 127;
    private static final int LENGTH_IN_2_MAX = 0xffff;
    private static final int CONTROL_BYTES_MAX = 125;
    private static final int HEADER_BYTES_MAX = 10;
    private static final int MASK_BYTES = 4;
    private static final int STATUS_BYTES = 2;

    /** What is written in pieces of at most so many bytes is copied behind its header: cheaper than a piece of its own. */
    private static final int COPIED_BYTES_MAX = 512;

    private final WebSocketSpec spec;
    private final Consumer<String> complaints;
    private final BooleanSupplier leaving;
    private boolean sendsText;

    // The frame that is being read.
    private Part part = Part.OPCODE;
    private int opcode;
    private boolean isFinal;
    private boolean lengthIn8;
    private int missing;
    private long left;
    private int mask;
    private @Nullable ByteBuf control;

    // The message that it belongs to; its text, where it is one.
    private boolean inMessage;
    private @Nullable Utf8Check text;

    private @Nullable Ending ending;
    private @Nullable ByteBuf latePing;
    private boolean answered;
    private boolean closing;

    /** What the next byte is of. */
    private enum Part {
        OPCODE,
        LENGTH,
        LONG_LENGTH,
        MASK,
        PAYLOAD
    }

    /**
     * Why there is nothing more to read.
     *
     * @param status answers the client; 0 for none
     * @param fault what it did that may not be; empty where it closes
     */
    private record Ending(int status, String fault) {}

    /**
     * For a connection whose handshake is answered.
     *
     * @param complaints hears what the client did that may not be
     * @param leaving whether the broker is stopping
     */
    WebSocketFrames(WebSocketSpec spec, Consumer<String> complaints, BooleanSupplier leaving) {
        this.spec = spec;
        this.complaints = complaints;
        this.leaving = leaving;
        this.sendsText = spec.sendsText();
    }

    // What comes.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (closing) {
            bytes.release();
            return;
        }
        if (bytes.nioBufferCount() != 1) {
            bytes = inOnePiece(ctx, bytes);
        }
        int length = bytes.readableBytes();
        bytes.writerIndex(bytes.readerIndex() + read(ctx, bytes.internalNioBuffer(bytes.readerIndex(), length)));
        if (bytes.isReadable()) {
            ctx.fireChannelRead(bytes);
        } else {
            bytes.release();
        }
        if (ending != null && !closing) {
            end(ctx, ending);
        }
    }

    private static ByteBuf inOnePiece(ChannelHandlerContext ctx, ByteBuf pieces) {
        ByteBuf whole = ctx.alloc().buffer(pieces.readableBytes()).writeBytes(pieces);
        pieces.release();
        return whole;
    }

    /** Leaves only what is for the protocol: as many bytes as are returned, from the buffer's position on. */
    private int read(ChannelHandlerContext ctx, ByteBuffer bytes) {
        assert bytes.order() == ByteOrder.BIG_ENDIAN;
        int at = bytes.position();
        int end = bytes.limit();
        int kept = at;
        while (at < end && ending == null) {
            if (part != Part.PAYLOAD) {
                header(ctx, bytes.get(at++) & 0xff);
                continue;
            }
            int count = (int) Math.min(left, end - at);
            // Never ahead of what is still to be read.
            unmask(bytes, at, kept, count);
            if (control != null) {
                for (int i = 0; i < count; i++) {
                    control.writeByte(bytes.get(kept + i));
                }
            } else {
                int good = text == null ? count : text.goesOn(bytes, kept, count);
                kept += good;
                if (good < count) {
                    fail(NOT_UTF8, "text that is not UTF-8");
                }
            }
            at += count;
            left -= count;
            if (left == 0 && ending == null) {
                endOfFrame(ctx);
            }
        }
        return kept - bytes.position();
    }

    private void header(ChannelHandlerContext ctx, int next) {
        switch (part) {
            case OPCODE -> {
                isFinal = (next & FINAL) != 0;
                opcode = next & OPCODE;
                part = Part.LENGTH;
                begin((next & RESERVED) != 0);
            }
            case LENGTH -> length((next & MASKED) != 0, next & ~MASKED);
            case LONG_LENGTH -> {
                left = (left << Byte.SIZE) | next;
                if (--missing == 0) {
                    longLength();
                }
            }
            case MASK -> {
                mask = (mask << Byte.SIZE) | next;
                if (--missing == 0) {
                    part = Part.PAYLOAD;
                    if (opcode >= CLOSE) {
                        control = ctx.alloc().buffer((int) left);
                    }
                    if (left == 0) {
                        endOfFrame(ctx);
                    }
                }
            }
            case PAYLOAD -> throw new AssertionError("not a part of the header");
        }
    }

    private void begin(boolean reserved) {
        if (reserved) {
            fail(PROTOCOL_ERROR, "a frame of an extension that was not agreed on");
            return;
        }
        switch (opcode) {
            case CONTINUATION -> {
                if (!inMessage) {
                    fail(PROTOCOL_ERROR, "a continuation of no message");
                }
            }
            case TEXT, BINARY -> {
                boolean isText = opcode == TEXT;
                if (inMessage) {
                    fail(PROTOCOL_ERROR, "a message within another");
                } else if (isText && !spec.takesText()) {
                    fail(UNSUPPORTED, "a text frame, and this protocol has binary ones only");
                } else {
                    inMessage = true;
                    text = isText ? new Utf8Check() : null;
                    sendsText = isText && spec.sendsText();
                }
            }
            case CLOSE, PING, PONG -> {
                if (!isFinal) {
                    fail(PROTOCOL_ERROR, "a control frame in fragments");
                }
            }
            default -> fail(PROTOCOL_ERROR, "a frame of an unknown kind");
        }
    }

    private void length(boolean masked, int length) {
        if (!masked) {
            fail(PROTOCOL_ERROR, "a frame without a mask");
        } else if (opcode >= CLOSE && length > CONTROL_BYTES_MAX) {
            fail(PROTOCOL_ERROR, "a control frame that is too long");
        } else if (length < LENGTH_IN_2) {
            left = length;
            part = Part.MASK;
            missing = MASK_BYTES;
        } else {
            left = 0;
            part = Part.LONG_LENGTH;
            lengthIn8 = length == LENGTH_IN_8;
            missing = lengthIn8 ? Long.BYTES : Short.BYTES;
        }
    }

    private void longLength() {
        if (left < (lengthIn8 ? LENGTH_IN_2_MAX + 1 : LENGTH_IN_2)) {
            // Negative, too: the highest bit must not be set.
            fail(PROTOCOL_ERROR, "a length that is not written as it must be");
        } else {
            part = Part.MASK;
            missing = MASK_BYTES;
        }
    }

    /** Eight bytes at a time: the mask repeats after four, and is turned so that its next byte is the first. */
    private void unmask(ByteBuffer bytes, int from, int to, int count) {
        long twice = ((long) mask << Integer.SIZE) | (mask & 0xffff_ffffL);
        int done = 0;
        for (; done <= count - Long.BYTES; done += Long.BYTES) {
            bytes.putLong(to + done, bytes.getLong(from + done) ^ twice);
        }
        for (; done < count; done++) {
            mask = Integer.rotateLeft(mask, Byte.SIZE);
            bytes.put(to + done, (byte) (bytes.get(from + done) ^ mask));
        }
    }

    private void endOfFrame(ChannelHandlerContext ctx) {
        part = Part.OPCODE;
        ByteBuf payload = control;
        if (payload == null) {
            if (isFinal) {
                inMessage = false;
                if (text != null && !text.isComplete()) {
                    fail(NOT_UTF8, "text that is not UTF-8");
                }
                text = null;
            }
            return;
        }
        control = null;
        switch (opcode) {
            case PING -> answer(ctx, payload);
            case CLOSE -> {
                closed(payload);
                payload.release();
            }
            default -> payload.release();
        }
    }

    // Pings. While the client does not read, the last one only is answered (RFC 6455 section 5.5.3).

    private void answer(ChannelHandlerContext ctx, ByteBuf ping) {
        if (ctx.channel().isWritable()) {
            pong(ctx, ping);
        } else {
            forgetLatePing();
            latePing = ping;
        }
    }

    private void pong(ChannelHandlerContext ctx, ByteBuf ping) {
        answered = true;
        ctx.write(frame(ctx, PONG, ping));
        ping.release();
    }

    private void forgetLatePing() {
        if (latePing != null) {
            latePing.release();
            latePing = null;
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (answered) {
            answered = false;
            ctx.flush();
        }
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ByteBuf ping = latePing;
        if (ping != null && ctx.channel().isWritable() && !closing) {
            latePing = null;
            pong(ctx, ping);
            answered = false;
            ctx.flush();
        }
        ctx.fireChannelWritabilityChanged();
    }

    // Ending.

    private void fail(int status, String what) {
        ending = new Ending(status, what);
    }

    /** The client closes: its status is what it is answered (RFC 6455 section 5.5.1). */
    private void closed(ByteBuf payload) {
        int length = payload.readableBytes();
        int status = length < STATUS_BYTES ? 0 : payload.getUnsignedShort(payload.readerIndex());
        if (length == 1 || (length > 1 && !mayBeSent(status))) {
            fail(PROTOCOL_ERROR, "a close frame with a status that may not be");
        } else if (length > STATUS_BYTES
                && !Utf8Check.isUtf8(payload.skipBytes(STATUS_BYTES).nioBuffer())) {
            fail(NOT_UTF8, "text that is not UTF-8");
        } else {
            ending = new Ending(status, "");
        }
    }

    /** RFC 6455 section 7.4, and what the registry that it founds has since. */
    private static boolean mayBeSent(int status) {
        return (status >= 1000 && status <= 1003)
                || (status >= 1007 && status <= 1014)
                || (status >= 3000 && status < 5000);
    }

    private void end(ChannelHandlerContext ctx, Ending how) {
        if (!how.fault().isEmpty()) {
            complaints.accept("sent " + how.fault() + ", through WebSocket; closed");
        }
        sayClose(ctx, how.status(), how.fault());
        ctx.close();
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (!closing && ctx.channel().isActive()) {
            sayClose(ctx, leaving.getAsBoolean() ? GOING_AWAY : NORMAL, "");
        }
        // At once: where the socket does not even take the close frame, nobody waits for the client.
        ctx.close(promise);
    }

    private void sayClose(ChannelHandlerContext ctx, int status, String reason) {
        closing = true;
        ByteBuf content = ctx.alloc().buffer(STATUS_BYTES + reason.length());
        closeContent(content, status, reason);
        ctx.writeAndFlush(frame(ctx, CLOSE, content));
        content.release();
    }

    private static void closeContent(ByteBuf out, int status, String reason) {
        if (status != 0) {
            out.writeShort(status);
            ByteBufUtil.writeAscii(out, reason);
        }
    }

    /** What is to be sent past this handler, as a frame, and a close frame behind it. Nothing is read after that. */
    Bytes lastWords(Bytes words, int status) {
        closing = true;
        ByteBuf content = Unpooled.wrappedBuffer(words.toArray());
        ByteBuf out = Unpooled.buffer(words.length() + 2 * HEADER_BYTES_MAX);
        if (content.isReadable()) {
            writeHeader(out, kind(content), content.readableBytes());
            out.writeBytes(content);
        }
        writeHeader(out, CLOSE, STATUS_BYTES);
        closeContent(out, status, "");
        return Bytes.copyOf(out, out.readerIndex(), out.readableBytes());
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        forgetLatePing();
        if (control != null) {
            control.release();
            control = null;
        }
    }

    // What is written.

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) message;
        if (closing) {
            bytes.release();
            promise.tryFailure(new ClosedChannelException());
            return;
        }
        int length = bytes.readableBytes();
        if (length == 0) {
            // Written to learn when all before it is.
            ctx.write(bytes, promise);
        } else if (length <= COPIED_BYTES_MAX) {
            ByteBuf frame = frame(ctx, kind(bytes), bytes);
            bytes.release();
            ctx.write(frame, promise);
        } else {
            ByteBuf header = ctx.alloc().ioBuffer(HEADER_BYTES_MAX);
            writeHeader(header, kind(bytes), length);
            ctx.write(header);
            ctx.write(bytes, promise);
        }
    }

    /** What is no text cannot be sent as text, or the client had to close. */
    private int kind(ByteBuf bytes) {
        return sendsText && Utf8Check.isUtf8(bytes.nioBuffer()) ? TEXT : BINARY;
    }

    /** The content is not released. */
    private static ByteBuf frame(ChannelHandlerContext ctx, int opcode, ByteBuf content) {
        int length = content.readableBytes();
        ByteBuf frame = ctx.alloc().ioBuffer(HEADER_BYTES_MAX + length);
        writeHeader(frame, opcode, length);
        return frame.writeBytes(content, content.readerIndex(), length);
    }

    private static void writeHeader(ByteBuf out, int opcode, int length) {
        out.writeByte(FINAL | opcode);
        if (length < LENGTH_IN_2) {
            out.writeByte(length);
        } else if (length <= LENGTH_IN_2_MAX) {
            out.writeByte(LENGTH_IN_2).writeShort(length);
        } else {
            out.writeByte(LENGTH_IN_8).writeLong(length);
        }
    }
}
