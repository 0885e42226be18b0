package org.entrepot.spi.message;

import java.util.List;

/**
 * One way in which a message left a queue for a dead-letter exchange, counted per queue and reason. Immutable.
 *
 * @param queue the queue it left
 * @param reason why
 * @param count how often it left this queue for this reason
 * @param timeMillis when it first did, in milliseconds since 1970
 * @param exchange the exchange it had been published to before
 * @param routingKeys the keys it had been published with before, without blind copies
 * @param originalTtlMillis the message's own time to live before dead-lettering removed it, or {@link Envelope#NO_TTL}
 */
public record Death(
        String queue,
        DeathReason reason,
        long count,
        long timeMillis,
        String exchange,
        List<RoutingKey> routingKeys,
        long originalTtlMillis) {}
