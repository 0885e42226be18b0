package org.entrepot.amqp.v091;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.TypedValue;

/**
 * The arguments of basic.consume, checked. Immutable.
 *
 * @param priority higher is served first
 * @param leaseMillis how long a delivery may be held; empty for what the queue says
 * @param ofStreams an argument that only streams take
 */
record ConsumerArguments(int priority, OptionalLong leaseMillis, Optional<String> ofStreams) {
    private static final String PRIORITY = "x-priority";
    private static final Set<String> OF_STREAMS =
            Set.of("x-stream-offset", "x-stream-filter", "x-stream-match-unfiltered");

    static ConsumerArguments of(String virtualHost, String queue, FieldTable table) {
        if (table.isEmpty()) {
            return new ConsumerArguments(0, OptionalLong.empty(), Optional.empty());
        }
        Map<String, TypedValue> arguments = table.typed();
        ArgumentCheck check = new ArgumentCheck(Names.queue(virtualHost, queue));
        TypedValue priority = arguments.get(PRIORITY);
        TypedValue timeout = arguments.get(QueueArguments.CONSUMER_TIMEOUT);
        return new ConsumerArguments(
                priority == null ? 0 : clamped(check.integer(PRIORITY, priority)),
                timeout == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(lease(check.count(QueueArguments.CONSUMER_TIMEOUT, timeout))),
                arguments.keySet().stream().filter(OF_STREAMS::contains).findFirst());
    }

    private static int clamped(long priority) {
        return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, priority));
    }

    /** Zero is for as long as the consumer likes. */
    private static long lease(long millis) {
        return millis == 0 ? ArgumentCheck.DURATION_MILLIS_MAX : Math.min(millis, ArgumentCheck.DURATION_MILLIS_MAX);
    }
}
