package org.entrepot.spi.topology;

import org.entrepot.spi.message.RoutingKey;
import org.jspecify.annotations.Nullable;

/**
 * Where what a queue drops goes. Immutable.
 *
 * @param exchange the exchange it is published to
 * @param routingKey the key it is published with; null for the keys it came with
 * @param atLeastOnce whether it stays in the queue until the exchange's queues have stored it, and is retried
 */
public record DeadLetter(String exchange, @Nullable RoutingKey routingKey, boolean atLeastOnce) {}
