package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/**
 * The arguments of basic.ack, basic.nack and basic.reject. Owned by a connection's loop and reused; valid until the next
 * parse.
 */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
public final class AckCursor {
    private long deliveryTag;
    private boolean multiple;
    private boolean requeue;

    /** Reads the arguments that {@link FrameSink#method} was given. Throws like {@link MethodReader#read}. */
    public void parse(int method, ByteBuf buffer, int index, int length) {
        throw new UnsupportedOperationException();
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
