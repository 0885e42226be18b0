package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.entrepot.amqp.v091.wire.DeliveryWriter;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.DeliverySink;
import org.entrepot.spi.session.QueueHandle;
import org.jspecify.annotations.Nullable;

/**
 * The message that a basic.get got, kept until it is known how many remain, because get-ok says both. Owned by its
 * channel's loop.
 */
final class PulledMessage implements DeliverySink {
    private final DeliveredContent content;
    private @Nullable QueueHandle queue;
    private String exchange = "";
    private long position;
    private boolean redelivered;
    private RoutingKey key = RoutingKey.EMPTY;
    private Bytes header = Bytes.EMPTY;
    private Bytes body = Bytes.EMPTY;

    PulledMessage(DeliveredContent content) {
        this.content = content;
    }

    @Override
    public void deliver(Deliveries deliveries) {
        assert deliveries.size() == 1 && queue == null : "a pull takes one message";
        Message message = deliveries.message(0);
        Envelope envelope = deliveries.envelope(0);
        queue = deliveries.queue();
        exchange = envelope.exchange();
        position = deliveries.position(0);
        redelivered = deliveries.redelivered(0);
        key = content.key(message, envelope);
        header = content.header(
                message,
                envelope,
                deliveries.annotations(0),
                Consumers.countsReturns(deliveries.queue()) ? deliveries.returns(0) : 0);
        body = message.body();
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
        writer.getOk(out, channel, deliveryTag, redelivered, exchange, key, remaining, header, body);
    }
}
