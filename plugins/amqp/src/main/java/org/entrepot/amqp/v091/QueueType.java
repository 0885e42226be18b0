package org.entrepot.amqp.v091;

import java.util.List;
import java.util.Set;
import org.entrepot.spi.topology.QueueSpec;

/**
 * The queue types that x-queue-type names, with the arguments each takes. Arguments stand in the order in which a
 * redeclaration is compared.
 */
enum QueueType {
    CLASSIC(
            "classic",
            "rabbit_classic_queue",
            List.of(
                    QueueArguments.EXPIRES,
                    QueueArguments.MESSAGE_TTL,
                    QueueArguments.DEAD_LETTER_EXCHANGE,
                    QueueArguments.DEAD_LETTER_KEY,
                    QueueArguments.MAX_LENGTH,
                    QueueArguments.MAX_BYTES,
                    QueueArguments.MAX_PRIORITY,
                    QueueArguments.OVERFLOW,
                    "x-queue-mode",
                    "x-queue-version",
                    QueueArguments.SINGLE_ACTIVE,
                    QueueArguments.TYPE,
                    "x-queue-master-locator",
                    "x-queue-leader-locator",
                    // RabbitMQ 3.x took it for classic queues, and it works here.
                    QueueArguments.CONSUMER_TIMEOUT)),
    QUORUM(
            "quorum",
            "rabbit_quorum_queue",
            List.of(
                    QueueArguments.DEAD_LETTER_EXCHANGE,
                    QueueArguments.DEAD_LETTER_KEY,
                    QueueArguments.DEAD_LETTER_STRATEGY,
                    QueueArguments.EXPIRES,
                    QueueArguments.MAX_LENGTH,
                    QueueArguments.MAX_BYTES,
                    "x-max-in-memory-length",
                    "x-max-in-memory-bytes",
                    QueueArguments.OVERFLOW,
                    QueueArguments.SINGLE_ACTIVE,
                    QueueArguments.TYPE,
                    "x-quorum-initial-group-size",
                    "x-member-placement-tag",
                    QueueArguments.DELIVERY_LIMIT,
                    QueueArguments.MESSAGE_TTL,
                    "x-queue-leader-locator",
                    "x-consumer-disconnected-timeout",
                    QueueArguments.CONSUMER_TIMEOUT,
                    "x-delayed-retry-type",
                    "x-delayed-retry-min",
                    "x-delayed-retry-max"));

    /** Arguments that only streams take. */
    private static final Set<String> OF_STREAMS = Set.of(
            "x-max-age", "x-stream-max-segment-size-bytes", "x-stream-filter-size-bytes", "x-initial-cluster-size");

    private final String name;
    private final String moduleName;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> arguments;

    QueueType(String name, String moduleName, List<String> arguments) {
        this.name = name;
        this.moduleName = moduleName;
        this.arguments = arguments;
    }

    /** The value of x-queue-type. */
    String typeName() {
        return name;
    }

    /** What RabbitMQ's texts call it. */
    String moduleName() {
        return moduleName;
    }

    /** The arguments it takes. */
    List<String> arguments() {
        return arguments;
    }

    /** Whether an argument is known, but only to other types. Arguments that nobody knows are ignored. */
    boolean refuses(String argument) {
        if (arguments.contains(argument)) {
            return false;
        }
        return switch (this) {
            case CLASSIC -> QUORUM.arguments.contains(argument) || OF_STREAMS.contains(argument);
            case QUORUM -> CLASSIC.arguments.contains(argument) || OF_STREAMS.contains(argument);
        };
    }

    /** The type of a queue that is there. */
    static QueueType of(QueueSpec queue) {
        return queue.replicated() ? QUORUM : CLASSIC;
    }
}
