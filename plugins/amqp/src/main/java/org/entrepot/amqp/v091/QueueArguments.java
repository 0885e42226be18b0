package org.entrepot.amqp.v091;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.FieldType;
import org.entrepot.amqp.v091.wire.TypedValue;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of queue.declare: checked as RabbitMQ checks them, and turned into the broker's words. One is made for
 * one declaration.
 *
 * <p>Arguments that RabbitMQ 4 only refuses because they mean nothing any more (x-queue-mode, x-queue-version,
 * x-queue-master-locator) are taken and ignored, because older programs send them.
 */
public final class QueueArguments {
    static final String TYPE = "x-queue-type";
    static final String EXPIRES = "x-expires";
    static final String MESSAGE_TTL = "x-message-ttl";
    static final String DEAD_LETTER_EXCHANGE = "x-dead-letter-exchange";
    static final String DEAD_LETTER_KEY = "x-dead-letter-routing-key";
    static final String DEAD_LETTER_STRATEGY = "x-dead-letter-strategy";
    static final String MAX_LENGTH = "x-max-length";
    static final String MAX_BYTES = "x-max-length-bytes";
    static final String MAX_PRIORITY = "x-max-priority";
    static final String OVERFLOW = "x-overflow";
    static final String SINGLE_ACTIVE = "x-single-active-consumer";
    static final String DELIVERY_LIMIT = "x-delivery-limit";
    static final String CONSUMER_TIMEOUT = "x-consumer-timeout";
    private static final String DELAYED_RETRY = "x-delayed-retry-type";

    private static final String STREAM = "stream";

    /** Priorities that a quorum queue keeps apart, always. */
    static final int QUORUM_PRIORITIES = 32;

    /** The priority that a quorum queue gives messages without one. */
    static final int QUORUM_DEFAULT_PRIORITY = 4;

    /** Highest priority of a classic queue. */
    static final long PRIORITY_MAX = 255;

    private static final String DROP_HEAD = "drop-head";
    private static final String REJECT_PUBLISH = "reject-publish";
    private static final String REJECT_PUBLISH_DLX = "reject-publish-dlx";
    private static final Set<String> OVERFLOWS = Set.of(DROP_HEAD, REJECT_PUBLISH, REJECT_PUBLISH_DLX);
    private static final String AT_LEAST_ONCE = "at-least-once";
    private static final Set<String> STRATEGIES = Set.of("at-most-once", AT_LEAST_ONCE);

    /** What must be a whole number that is not negative, besides those with rules of their own. */
    private static final List<String> COUNTS = List.of(
            MAX_LENGTH,
            MAX_BYTES,
            "x-max-in-memory-length",
            "x-max-in-memory-bytes",
            CONSUMER_TIMEOUT,
            "x-consumer-disconnected-timeout");

    private final String virtualHost;
    private final String queue;
    private final ArgumentCheck check;
    private final Map<String, TypedValue> arguments;

    private QueueArguments(String virtualHost, String queue, FieldTable table) {
        this.virtualHost = virtualHost;
        this.queue = queue;
        this.arguments = table.typed();
        this.check = new ArgumentCheck(Names.queue(virtualHost, queue));
    }

    /**
     * What a queue is asked to be.
     *
     * @param durable as the client says it; an exclusive queue never is
     * @param consumerTimeout how long a consumer of a quorum queue may hold a delivery where the arguments say nothing, in
     *     milliseconds
     * @throws BrokerException with RabbitMQ's words for what is wrong
     */
    public static QueueSpec spec(
            String virtualHost,
            String queue,
            boolean durable,
            boolean exclusive,
            boolean autoDelete,
            FieldTable arguments,
            OptionalLong consumerTimeout) {
        return new QueueArguments(virtualHost, queue, arguments)
                .spec(durable && !exclusive, exclusive, autoDelete, consumerTimeout);
    }

    /** The type that the arguments ask for; throws like {@link #spec}. */
    static QueueType type(String virtualHost, String queue, FieldTable arguments) {
        return new QueueArguments(virtualHost, queue, arguments).type();
    }

    private QueueSpec spec(boolean durable, boolean exclusive, boolean autoDelete, OptionalLong consumerTimeout) {
        QueueType type = type();
        checkDeadLetterExchange();
        checkValues(type);
        for (String argument : arguments.keySet()) {
            if (type.refuses(argument)) {
                throw failure("invalid arg '" + argument + "' for " + Names.queue(virtualHost, queue)
                        + " of queue type " + type.moduleName());
            }
        }
        boolean quorum = type == QueueType.QUORUM;
        if (quorum) {
            checkQuorum(durable, exclusive, autoDelete);
        }
        QueueLimits.Overflow overflow = overflow(quorum);
        int priorities =
                quorum ? QUORUM_PRIORITIES : 1 + (int) number(MAX_PRIORITY).orElse(0);
        return new QueueSpec(
                queue,
                durable,
                exclusive,
                autoDelete,
                quorum,
                new QueueLimits(number(MAX_LENGTH), number(MAX_BYTES), overflow, number(MESSAGE_TTL), number(EXPIRES)),
                deadLetter(quorum, overflow),
                priorities,
                quorum ? QUORUM_DEFAULT_PRIORITY : 0,
                Boolean.TRUE.equals(value(SINGLE_ACTIVE)),
                quorum ? deliveryLimit() : OptionalInt.empty(),
                lease(quorum ? consumerTimeout : OptionalLong.empty()),
                Retention.SETTLED,
                ArgumentExtras.of(arguments, type));
    }

    private QueueType type() {
        TypedValue field = arguments.get(TYPE);
        if (field == null) {
            return QueueType.CLASSIC;
        }
        String name = check.text(TYPE, field);
        for (QueueType type : QueueType.values()) {
            if (type.typeName().equals(name)) {
                return type;
            }
        }
        if (name.equals(STREAM)) {
            throw BrokerException.session(
                    ErrorKind.NOT_IMPLEMENTED, "queues of type 'stream' are not built yet, use 'classic' or 'quorum'");
        }
        throw check.failure(TYPE, ErlangTerms.string("unsupported queue type '" + name + "'"));
    }

    /** RabbitMQ looks at this one before all others, and says it in other words. */
    private void checkDeadLetterExchange() {
        TypedValue field = arguments.get(DEAD_LETTER_EXCHANGE);
        if (field != null && field.type() != FieldType.LONG_STRING) {
            throw failure("invalid type '" + field.type().label() + "' for arg '" + DEAD_LETTER_EXCHANGE + "' in "
                    + Names.queue(virtualHost, queue));
        }
    }

    private void checkValues(QueueType type) {
        for (String argument : type.arguments()) {
            TypedValue field = arguments.get(argument);
            if (field != null) {
                checkValue(argument, field);
            }
        }
    }

    private void checkValue(String argument, TypedValue field) {
        switch (argument) {
            case EXPIRES -> {
                if (check.integer(argument, field) == 0) {
                    throw check.failure(argument, "{value_zero,0}");
                }
                check.duration(argument, field);
            }
            case MESSAGE_TTL -> check.duration(argument, field);
            case DEAD_LETTER_KEY -> {
                check.text(argument, field);
                if (!arguments.containsKey(DEAD_LETTER_EXCHANGE)) {
                    throw check.failure(argument, "routing_key_but_no_dlx_defined");
                }
            }
            case DEAD_LETTER_STRATEGY -> check.oneOf(argument, field, STRATEGIES, "invalid_dlx_strategy");
            case OVERFLOW -> check.oneOf(argument, field, OVERFLOWS, "invalid_overflow");
            case MAX_PRIORITY -> {
                long priority = check.count(argument, field);
                if (priority > PRIORITY_MAX) {
                    throw check.failure(argument, "{max_value_exceeded," + priority + "}");
                }
            }
            case SINGLE_ACTIVE -> check.flag(argument, field);
            case DELIVERY_LIMIT -> {
                if (check.integer(argument, field) < -1) {
                    throw check.failure(argument, "{value_negative," + field.value() + "}");
                }
            }
            case DELAYED_RETRY -> {
                if (!check.text(argument, field).equals("disabled")) {
                    throw BrokerException.session(ErrorKind.NOT_IMPLEMENTED, "delayed retry is not built yet");
                }
            }
            default -> {
                if (COUNTS.contains(argument)) {
                    check.count(argument, field);
                }
            }
        }
    }

    private void checkQuorum(boolean durable, boolean exclusive, boolean autoDelete) {
        if (autoDelete) {
            throw property("auto-delete");
        }
        if (exclusive) {
            throw property("exclusive-owner");
        }
        if (!durable) {
            throw property("non-durable");
        }
    }

    private BrokerException property(String name) {
        return failure("invalid property '" + name + "' for " + Names.queue(virtualHost, queue));
    }

    private QueueLimits.Overflow overflow(boolean quorum) {
        String value = value(OVERFLOW) instanceof String text ? text : DROP_HEAD;
        return switch (value) {
            case REJECT_PUBLISH -> QueueLimits.Overflow.REJECT_PUBLISH;
            // A quorum queue cannot, and drops its head instead, as RabbitMQ's does.
            case REJECT_PUBLISH_DLX ->
                quorum ? QueueLimits.Overflow.DROP_HEAD : QueueLimits.Overflow.REJECT_PUBLISH_DEAD_LETTER;
            default -> QueueLimits.Overflow.DROP_HEAD;
        };
    }

    private @Nullable DeadLetter deadLetter(boolean quorum, QueueLimits.Overflow overflow) {
        if (!(value(DEAD_LETTER_EXCHANGE) instanceof String exchange)) {
            return null;
        }
        RoutingKey key = value(DEAD_LETTER_KEY) instanceof String text ? RoutingKey.of(text) : null;
        // Keeping what cannot be dead-lettered needs a queue that refuses more when it is full.
        boolean atLeastOnce = quorum
                && AT_LEAST_ONCE.equals(value(DEAD_LETTER_STRATEGY))
                && overflow == QueueLimits.Overflow.REJECT_PUBLISH;
        return new DeadLetter(exchange, key, atLeastOnce);
    }

    /** What is not asked for is left open, for a policy or the broker's default; less than zero is no limit. */
    private OptionalInt deliveryLimit() {
        OptionalLong asked = number(DELIVERY_LIMIT);
        if (asked.isEmpty()) {
            return OptionalInt.empty();
        }
        long limit = asked.getAsLong();
        return OptionalInt.of(limit < 0 ? Integer.MAX_VALUE : (int) Math.min(limit, Integer.MAX_VALUE));
    }

    /** Zero is for as long as the consumer likes. */
    private OptionalLong lease(OptionalLong otherwise) {
        OptionalLong asked = number(CONSUMER_TIMEOUT);
        if (asked.isEmpty()) {
            return otherwise;
        }
        return asked.getAsLong() == 0 ? OptionalLong.empty() : asked;
    }

    private OptionalLong number(String argument) {
        return value(argument) instanceof Long number ? OptionalLong.of(number) : OptionalLong.empty();
    }

    private @Nullable Object value(String argument) {
        TypedValue field = arguments.get(argument);
        return field == null ? null : field.value();
    }

    private static BrokerException failure(String text) {
        return AmqpChannel.preconditionFailed(text);
    }
}
