package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.RoutingKey;

/**
 * Writes messages and acknowledgements as frames, straight into the buffer that is sent. Owned by a connection's loop.
 *
 * <p>Keys and exchanges that do not fit a short string, which only another protocol can have published with, are cut to
 * the 255 bytes that do.
 */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
public final class DeliveryWriter {
    private final int frameMax;

    /** With the frame size that was agreed. */
    public DeliveryWriter(int frameMax) {
        this.frameMax = frameMax;
    }

    /**
     * Appends a basic.deliver with its content.
     *
     * @param consumerTag as {@link ShortString#encode} gives it
     */
    public void deliver(
            ByteBuf out,
            int channel,
            byte[] consumerTag,
            long deliveryTag,
            boolean redelivered,
            String exchange,
            RoutingKey key,
            Bytes header,
            Bytes body) {
        throw new UnsupportedOperationException("frames of at most " + frameMax);
    }

    /** Appends a basic.get-ok with its content. */
    public void getOk(
            ByteBuf out,
            int channel,
            long deliveryTag,
            boolean redelivered,
            String exchange,
            RoutingKey key,
            long messageCount,
            Bytes header,
            Bytes body) {
        throw new UnsupportedOperationException();
    }

    /** Appends a basic.return with its content. */
    public void returned(
            ByteBuf out, int channel, ReplyCode code, String exchange, RoutingKey key, Bytes header, Bytes body) {
        throw new UnsupportedOperationException();
    }

    /** Appends a basic.ack: a publish, or with {@code multiple} all up to it, is confirmed. */
    public static void ack(ByteBuf out, int channel, long deliveryTag, boolean multiple) {
        throw new UnsupportedOperationException();
    }

    /** Appends a basic.nack: a publish, or with {@code multiple} all up to it, was refused. */
    public static void nack(ByteBuf out, int channel, long deliveryTag, boolean multiple) {
        throw new UnsupportedOperationException();
    }
}
