package org.entrepot.spi.session;

import java.util.Map;
import java.util.OptionalLong;

/**
 * What a consumer is asked to be. Immutable.
 *
 * @param queue the queue's name
 * @param tag what the client calls the consumer, for display
 * @param settled whether deliveries are settled by being delivered
 * @param exclusive whether no other consumer may be on the queue
 * @param priority higher ones are served first while they have credit
 * @param window most unsettled deliveries; 0 for no limit; has no effect when {@code settled}
 * @param leaseMillis how long a delivery may stay unsettled before the session is ended; empty for the queue's own limit
 * @param extras what the client sent, for display
 */
public record ConsumerSpec(
        String queue,
        String tag,
        boolean settled,
        boolean exclusive,
        int priority,
        int window,
        OptionalLong leaseMillis,
        Map<String, Object> extras) {

    public ConsumerSpec {
        if (window < 0) {
            throw new IllegalArgumentException("window " + window + " is negative");
        }
        extras = Map.copyOf(extras);
    }
}
