package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.entrepot.amqp.v091.wire.DeliveredHeader;
import org.entrepot.amqp.v091.wire.DeliveryWriter;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.DeliverySink;
import org.entrepot.spi.session.QueueHandle;
import org.jspecify.annotations.Nullable;

/**
 * The message that a basic.get got, kept until it is known how many remain, because get-ok says both. Owned by its
 * channel's loop.
 */
final class PulledMessage implements DeliverySink {
    private @Nullable QueueHandle queue;
    private @Nullable Envelope envelope;
    private long position;
    private boolean redelivered;
    private Bytes header = Bytes.EMPTY;
    private Bytes body = Bytes.EMPTY;

    @Override
    public void deliver(Deliveries deliveries) {
        assert deliveries.size() == 1 && queue == null : "a pull takes one message";
        queue = deliveries.queue();
        envelope = deliveries.envelope(0);
        position = deliveries.position(0);
        redelivered = deliveries.redelivered(0);
        header = DeliveredHeader.render(
                deliveries.message(0).header(),
                deliveries.envelope(0),
                deliveries.annotations(0),
                Consumers.countsReturns(deliveries.queue()) ? deliveries.returns(0) : 0);
        body = deliveries.message(0).body();
    }

    QueueHandle queue() {
        return Objects.requireNonNull(queue);
    }

    long position() {
        return position;
    }

    Bytes header() {
        return header;
    }

    Bytes body() {
        return body;
    }

    void write(DeliveryWriter writer, ByteBuf out, int channel, long deliveryTag, long remaining) {
        Envelope present = Objects.requireNonNull(envelope);
        writer.getOk(
                out,
                channel,
                deliveryTag,
                redelivered,
                present.exchange(),
                present.routingKey(),
                remaining,
                header,
                body);
    }
}
