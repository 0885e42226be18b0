package org.entrepot.stomp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.OutputBuffer;
import org.entrepot.stomp.wire.Escapes;
import org.entrepot.stomp.wire.FrameWriter;
import org.entrepot.stomp.wire.LineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a connection sends: gathered during a pass of the loop, handed to the socket when the pass ends. Owned by the
 * connection's loop.
 */
final class Outbound {

    /** What a frame of lines and a body takes besides these. */
    private static final int FRAME_BYTES = 64;

    private final Channel socket;
    private final Connection broker;
    private final OutputBuffer buffer;
    private final FrameWriter writer;
    private boolean passEndAsked;

    Outbound(Channel socket, Connection broker, boolean trailingLineFeed) {
        this.socket = socket;
        this.broker = broker;
        this.buffer = new OutputBuffer(socket);
        this.writer = new FrameWriter(trailingLineFeed);
    }

    /** Writes frames into what {@link #room} gives. */
    FrameWriter writer() {
        return writer;
    }

    /** The buffer to append about so many bytes to, which are sent when the pass ends. */
    ByteBuf room(int bytes) {
        if (!passEndAsked) {
            passEndAsked = true;
            broker.flushSoon();
        }
        return buffer.room(bytes);
    }

    /** Tells that what was asked for with this receipt, as the client wrote it, is done. */
    void receipt(byte[] id) {
        writer.receipt(room(FrameWriter.RECEIPT_BYTES + id.length), id);
    }

    /** Tells what is wrong, and with which frame where that had a receipt. */
    void error(StompError error, byte @Nullable [] receipt) {
        LineBuffer lines = errorLines(error);
        if (receipt != null) {
            lines.line("receipt-id", Escapes.decode(receipt, 0, receipt.length));
        }
        frame("ERROR", lines, error.body());
    }

    /** Tells that a subscription has come to its end. */
    void ended(StompError error, String subscription) {
        LineBuffer lines = errorLines(error);
        lines.line("subscription", subscription);
        frame("ERROR", lines, error.body());
    }

    private static LineBuffer errorLines(StompError error) {
        LineBuffer lines = new LineBuffer();
        lines.line("message", error.message());
        lines.line("content-type", "text/plain");
        lines.line("version", StompVersion.LIST);
        return lines;
    }

    void frame(String command, LineBuffer lines, String text) {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        writer.frame(room(FRAME_BYTES + lines.length() + body.length), command, lines, body);
    }

    /** Sends a heart-beat, unless the client reads so slowly that it has enough to read. */
    void heartBeat() {
        if (socket.isWritable()) {
            room(1).writeByte('\n');
        }
    }

    /** The pass ends: hands what was gathered to the socket. */
    void flush() {
        passEndAsked = false;
        buffer.write();
    }

    /** The socket is closed. */
    void close() {
        buffer.close();
    }
}
