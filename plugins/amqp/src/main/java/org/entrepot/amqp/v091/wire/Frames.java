package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/** The shape of a frame: type, channel, length of the payload, payload, end. */
public final class Frames {
    static final int METHOD = 1;
    static final int HEADER = 2;
    static final int BODY = 3;
    static final int HEARTBEAT = 8;
    static final int END = 0xCE;

    /** Bytes before the payload. */
    static final int HEAD_BYTES = 7;

    /** Bytes of a frame that are not payload. */
    public static final int OVERHEAD_BYTES = 8;

    /** Least frame size that the specification lets a peer insist on. */
    public static final int FRAME_BYTES_MIN = 4096;

    private Frames() {}

    /** Appends a heartbeat. */
    public static void heartbeat(ByteBuf out) {
        out.ensureWritable(OVERHEAD_BYTES);
        out.writeByte(HEARTBEAT);
        out.writeShort(0);
        out.writeInt(0);
        out.writeByte(END);
    }

    /** Appends what comes before a payload of {@code length} bytes. */
    static void head(ByteBuf out, int type, int channel, int length) {
        out.writeByte(type);
        out.writeShort(channel);
        out.writeInt(length);
    }
}
