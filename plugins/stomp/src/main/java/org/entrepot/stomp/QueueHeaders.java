package org.entrepot.stomp;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;
import org.jspecify.annotations.Nullable;

/**
 * The headers of SEND and SUBSCRIBE that say what a queue is to be, turned into the broker's words. One is made for one
 * declaration.
 *
 * <p>What was asked is kept in the queue's extras under the names and with the values that AMQP 0-9-1 gives the same arguments,
 * so that either protocol recognises the other's queues.
 */
final class QueueHeaders {
    private static final String CLASSIC = "classic";
    private static final String QUORUM = "quorum";

    /** Priorities that a quorum queue keeps apart, and the one of messages without any. */
    private static final int QUORUM_PRIORITIES = 32;

    private static final int QUORUM_DEFAULT_PRIORITY = 4;
    private static final long PRIORITY_MAX = 255;
    private static final long DURATION_MILLIS_MAX = 315_360_000_000L;

    private final FrameHead head;
    private final String queue;
    private final Map<String, Object> extras = new HashMap<>();

    private QueueHeaders(String queue, FrameHead head) {
        this.queue = queue;
        this.head = head;
    }

    /**
     * What a queue is asked to be.
     *
     * @throws BrokerException where a header's value is not allowed
     */
    static QueueSpec spec(String queue, boolean durable, boolean exclusive, boolean autoDelete, FrameHead head) {
        return new QueueHeaders(queue, head).spec(durable && !exclusive, exclusive, autoDelete);
    }

    private QueueSpec spec(boolean durable, boolean exclusive, boolean autoDelete) {
        boolean quorum = isQuorum();
        if (quorum && (exclusive || autoDelete || !durable)) {
            throw refused("a quorum queue must be durable, and neither exclusive nor auto-delete");
        }
        long priority = number(Header.X_MAX_PRIORITY, 0, PRIORITY_MAX).orElse(0);
        if (quorum && extras.containsKey(Header.X_MAX_PRIORITY.text())) {
            throw refused("invalid arg '" + Header.X_MAX_PRIORITY.text() + "' for a quorum queue");
        }
        QueueLimits limits = new QueueLimits(
                number(Header.X_MAX_LENGTH, 0, Long.MAX_VALUE),
                number(Header.X_MAX_LENGTH_BYTES, 0, Long.MAX_VALUE),
                overflow(quorum),
                number(Header.X_MESSAGE_TTL, 0, DURATION_MILLIS_MAX),
                number(Header.X_EXPIRES, 1, DURATION_MILLIS_MAX));
        return new QueueSpec(
                queue,
                durable,
                exclusive,
                autoDelete,
                quorum,
                limits,
                deadLetter(),
                quorum ? QUORUM_PRIORITIES : 1 + (int) priority,
                quorum ? QUORUM_DEFAULT_PRIORITY : 0,
                singleActive(),
                deliveryLimit(quorum),
                OptionalLong.empty(),
                Retention.SETTLED,
                extras);
    }

    private boolean isQuorum() {
        String type = trimmed(Header.X_QUEUE_TYPE);
        extras.put(Header.X_QUEUE_TYPE.text(), type == null ? CLASSIC : type);
        if (type == null || type.equals(CLASSIC)) {
            return false;
        }
        if (type.equals(QUORUM)) {
            return true;
        }
        if (type.equals("stream")) {
            throw BrokerException.session(
                    ErrorKind.NOT_IMPLEMENTED, "queues of type 'stream' are not built yet, use 'classic' or 'quorum'");
        }
        throw invalid(Header.X_QUEUE_TYPE, "unsupported queue type '" + type + "'");
    }

    private QueueLimits.Overflow overflow(boolean quorum) {
        String overflow = trimmed(Header.X_OVERFLOW);
        if (overflow == null) {
            return QueueLimits.Overflow.DROP_HEAD;
        }
        extras.put(Header.X_OVERFLOW.text(), overflow);
        return switch (overflow) {
            case "drop-head" -> QueueLimits.Overflow.DROP_HEAD;
            case "reject-publish" -> QueueLimits.Overflow.REJECT_PUBLISH;
            case "reject-publish-dlx" ->
                quorum ? QueueLimits.Overflow.DROP_HEAD : QueueLimits.Overflow.REJECT_PUBLISH_DEAD_LETTER;
            default -> throw invalid(Header.X_OVERFLOW, "'" + overflow + "' is not known");
        };
    }

    private @Nullable DeadLetter deadLetter() {
        String exchange = trimmed(Header.X_DEAD_LETTER_EXCHANGE);
        String key = trimmed(Header.X_DEAD_LETTER_ROUTING_KEY);
        if (exchange == null) {
            if (key != null) {
                throw invalid(Header.X_DEAD_LETTER_ROUTING_KEY, "routing_key_but_no_dlx_defined");
            }
            return null;
        }
        extras.put(Header.X_DEAD_LETTER_EXCHANGE.text(), exchange);
        if (key == null) {
            return new DeadLetter(exchange, null, false);
        }
        extras.put(Header.X_DEAD_LETTER_ROUTING_KEY.text(), key);
        return new DeadLetter(exchange, RoutingKey.of(key), false);
    }

    private boolean singleActive() {
        boolean singleActive = head.flag(Header.X_SINGLE_ACTIVE_CONSUMER, false);
        if (singleActive) {
            extras.put(Header.X_SINGLE_ACTIVE_CONSUMER.text(), true);
        }
        return singleActive;
    }

    private OptionalInt deliveryLimit(boolean quorum) {
        OptionalLong limit = number(Header.X_DELIVERY_LIMIT, -1, Integer.MAX_VALUE);
        if (limit.isEmpty()) {
            return OptionalInt.empty();
        }
        if (!quorum) {
            throw invalid(Header.X_DELIVERY_LIMIT, "only a quorum queue has one");
        }
        return OptionalInt.of(limit.getAsLong() < 0 ? Integer.MAX_VALUE : (int) limit.getAsLong());
    }

    private @Nullable String trimmed(Header header) {
        String text = head.text(header);
        return text == null ? null : text.strip();
    }

    private OptionalLong number(Header header, long minimum, long maximum) {
        if (!head.has(header)) {
            return OptionalLong.empty();
        }
        long number = head.number(header, Long.MIN_VALUE);
        if (number < minimum || number > maximum) {
            throw invalid(
                    header, "'" + head.text(header) + "' is not a whole number from " + minimum + " to " + maximum);
        }
        extras.put(header.text(), number);
        return OptionalLong.of(number);
    }

    private BrokerException invalid(Header header, String what) {
        return refused("invalid arg '" + header.text() + "' for queue '" + queue + "': " + what);
    }

    private static BrokerException refused(String text) {
        return BrokerException.session(ErrorKind.PRECONDITION_FAILED, text);
    }
}
