package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/**
 * The arguments of basic.ack, basic.nack and basic.reject. Owned by a connection's loop and reused; valid until the next
 * parse.
 */
public final class AckCursor {
    private static final int BYTES = 9;

    private long deliveryTag;
    private boolean multiple;
    private boolean requeue;

    /** Reads the arguments that {@link FrameSink#method} was given. Throws like {@link MethodReader#read}. */
    public void parse(int method, ByteBuf buffer, int index, int length) {
        if (length != BYTES) {
            throw MethodReader.cannotDecode(method, buffer, index, length);
        }
        deliveryTag = buffer.getLong(index);
        int bits = buffer.getByte(index + 8);
        multiple = method != Methods.BASIC_REJECT && (bits & 1) != 0;
        requeue = switch (method) {
            case Methods.BASIC_NACK -> (bits & 2) != 0;
            case Methods.BASIC_REJECT -> (bits & 1) != 0;
            default -> false;
        };
    }

    /** Unsigned, but the broker's tags never reach the sign. */
    public long deliveryTag() {
        return deliveryTag;
    }

    /** False for basic.reject. */
    public boolean multiple() {
        return multiple;
    }

    /** False for basic.ack. */
    public boolean requeue() {
        return requeue;
    }
}
