package org.entrepot.amqp.v091;

import java.util.List;
import org.entrepot.amqp.v091.wire.ConvertedHeader;
import org.entrepot.amqp.v091.wire.DeliveredHeader;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.jspecify.annotations.Nullable;

/**
 * What a connection's client is shown of header and key of a message: those of AMQP's own as they are, those of other
 * protocols converted. Immutable, for the frames that the connection has agreed on.
 */
final class DeliveredContent {
    private final AmqpMessageFormat own;
    private final int frameMax;

    DeliveredContent(AmqpMessageFormat own, int frameMax) {
        this.own = own;
        this.frameMax = frameMax;
    }

    /**
     * The header, with what the broker adds.
     *
     * @param returns how often it was returned, for queues that say so; 0 for others
     */
    Bytes header(Message message, Envelope envelope, Annotations annotations, int returns) {
        return message.format() == own
                ? DeliveredHeader.render(message.header(), envelope, annotations, returns)
                : DeliveredHeader.render(
                        ConvertedHeader.of(message, envelope, frameMax), envelope, dotted(annotations), returns);
    }

    /** The routing key. */
    RoutingKey key(Message message, Envelope envelope) {
        return message.format() == own ? envelope.routingKey() : ConvertedHeader.dotted(envelope.routingKey());
    }

    private static Annotations dotted(Annotations annotations) {
        if (annotations.deaths().isEmpty()) {
            return annotations;
        }
        List<Death> deaths =
                annotations.deaths().stream().map(DeliveredContent::dotted).toList();
        @Nullable Death first = annotations.first();
        return new Annotations(deaths, first == null ? null : dotted(first));
    }

    private static Death dotted(Death death) {
        return new Death(
                death.queue(),
                death.reason(),
                death.count(),
                death.timeMillis(),
                death.exchange(),
                death.routingKeys().stream().map(ConvertedHeader::dotted).toList(),
                death.originalTtlMillis());
    }
}
