package org.entrepot.spi.message;

import java.util.List;

/**
 * What the broker needs to know of a message to route, queue and expire it, read once from the header by the protocol
 * that received it. Immutable; plugins reuse one instance for publishes that are alike.
 *
 * @param exchange the exchange it was published to, as the publisher named it ("" for the default exchange)
 * @param routingKey the key it was published with
 * @param copies further keys to route it by, which consumers may see (AMQP's CC)
 * @param blindCopies further keys to route it by, which consumers must not see (AMQP's BCC)
 * @param durable whether it is to survive a restart in queues that do
 * @param priority its priority, or {@link #NO_PRIORITY}; a queue with fewer priorities takes its own highest
 * @param ttlMillis how long it may wait in a queue, in milliseconds, or {@link #NO_TTL}; 0 means only what can be
 *     delivered at once
 */
public record Envelope(
        String exchange,
        RoutingKey routingKey,
        List<RoutingKey> copies,
        List<RoutingKey> blindCopies,
        boolean durable,
        int priority,
        long ttlMillis) {

    /** {@link #priority} of a message that was sent without one. */
    public static final int NO_PRIORITY = -1;

    /** {@link #ttlMillis} of a message that does not expire by itself. */
    public static final long NO_TTL = -1;

    /** An envelope without copies, priority or time to live. */
    public static Envelope of(String exchange, RoutingKey routingKey, boolean durable) {
        return new Envelope(exchange, routingKey, List.of(), List.of(), durable, NO_PRIORITY, NO_TTL);
    }
}
