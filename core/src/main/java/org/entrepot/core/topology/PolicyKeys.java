package org.entrepot.core.topology;

import java.util.Map;
import java.util.Set;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys a policy's definition may have and what their values must be: those of RabbitMQ, old and new, and one more.
 * Stateless.
 *
 * <p>Keys about where RabbitMQ keeps queues, and about streams, are accepted and kept without effect, so that policies
 * written for it can be taken over whole.
 */
final class PolicyKeys {
    static final String ALTERNATE_EXCHANGE = "alternate-exchange";
    static final String MESSAGE_TTL = "message-ttl";
    static final String EXPIRES = "expires";
    static final String MAX_LENGTH = "max-length";
    static final String MAX_LENGTH_BYTES = "max-length-bytes";
    static final String OVERFLOW = "overflow";
    static final String DEAD_LETTER_EXCHANGE = "dead-letter-exchange";
    static final String DEAD_LETTER_ROUTING_KEY = "dead-letter-routing-key";
    static final String DEAD_LETTER_STRATEGY = "dead-letter-strategy";
    static final String DELIVERY_LIMIT = "delivery-limit";
    static final String CONSUMER_TIMEOUT = "consumer-timeout";

    /** Not RabbitMQ's: when a message is confirmed, as the storage engine's key of that name says for all queues. */
    static final String SYNC = "sync";

    static final String AT_LEAST_ONCE = "at-least-once";

    private static final Set<String> WITHOUT_EFFECT = Set.of(
            "consumer-disconnected-timeout",
            "delayed-retry-max",
            "delayed-retry-min",
            "delayed-retry-type",
            "federation-upstream",
            "federation-upstream-pattern",
            "federation-upstream-set",
            "ha-mode",
            "ha-params",
            "ha-promote-on-failure",
            "ha-promote-on-shutdown",
            "ha-sync-batch-size",
            "ha-sync-mode",
            "initial-cluster-size",
            "max-age",
            "max-in-memory-bytes",
            "max-in-memory-length",
            "max-priority",
            "max-segment-size",
            "member-placement-tag",
            "queue-leader-locator",
            "queue-master-locator",
            "queue-mode",
            "queue-version",
            "routing-key",
            "selector-field-max-bytes",
            "selector-fields",
            "shards-per-node",
            "stream-filter-size-bytes",
            "stream-max-segment-size-bytes",
            "target-group-size");

    /** Operators may set these, besides {@link #WITHOUT_EFFECT}. */
    private static final Set<String> OF_OPERATORS = Set.of(
            MESSAGE_TTL, EXPIRES, MAX_LENGTH, MAX_LENGTH_BYTES, DELIVERY_LIMIT, CONSUMER_TIMEOUT, OVERFLOW, SYNC);

    /** A policy with one of these leaves queues of the classic type alone. */
    private static final Set<String> NOT_FOR_CLASSIC = Set.of(
            DEAD_LETTER_STRATEGY,
            DELIVERY_LIMIT,
            "initial-cluster-size",
            "max-age",
            "max-in-memory-bytes",
            "max-in-memory-length",
            "selector-field-max-bytes",
            "selector-fields",
            "stream-max-segment-size-bytes",
            "target-group-size");

    /** A policy with one of these leaves queues of the quorum type alone. */
    private static final Set<String> NOT_FOR_QUORUM = Set.of(
            "ha-mode",
            "ha-params",
            "ha-promote-on-failure",
            "ha-promote-on-shutdown",
            "ha-sync-mode",
            "initial-cluster-size",
            "max-age",
            "max-priority",
            "queue-master-locator",
            "queue-mode",
            "selector-field-max-bytes",
            "selector-fields",
            "stream-max-segment-size-bytes");

    private PolicyKeys() {}

    /** Whether a policy with these keys may have effect on a queue of this type. */
    static boolean supportedBy(QueueSpec queue, Set<String> keys) {
        Set<String> unsupported = queue.replicated() ? NOT_FOR_QUORUM : NOT_FOR_CLASSIC;
        for (String key : keys) {
            if (unsupported.contains(key)) {
                return false;
            }
        }
        return true;
    }

    /** Refuses a policy whose keys or values make no sense. */
    static void check(Policy policy) {
        if (policy.definition().isEmpty()) {
            throw refused(policy, "has no settings");
        }
        for (Map.Entry<String, Object> setting : policy.definition().entrySet()) {
            String key = setting.getKey();
            if (policy.operator() && !OF_OPERATORS.contains(key) && !WITHOUT_EFFECT.contains(key)) {
                throw refused(policy, "'" + key + "' is not recognised as an operator policy setting");
            }
            String wrong = wrong(key, setting.getValue());
            if (wrong != null) {
                throw refused(policy, wrong);
            }
        }
    }

    private static @Nullable String wrong(String key, Object value) {
        return switch (key) {
            case ALTERNATE_EXCHANGE, DEAD_LETTER_EXCHANGE, DEAD_LETTER_ROUTING_KEY ->
                value instanceof String ? null : notValid(key, value, "a text");
            case MESSAGE_TTL, MAX_LENGTH, MAX_LENGTH_BYTES, CONSUMER_TIMEOUT ->
                value instanceof Long number && number >= 0
                        ? null
                        : notValid(key, value, "a whole number of 0 or more");
            case EXPIRES ->
                value instanceof Long number && number >= 1
                        ? null
                        : notValid(key, value, "a whole number of 1 or more");
            case DELIVERY_LIMIT -> value instanceof Long ? null : notValid(key, value, "a whole number");
            case OVERFLOW ->
                value instanceof String word && overflow(word) != null
                        ? null
                        : notValid(key, value, "drop-head, reject-publish or reject-publish-dlx");
            case DEAD_LETTER_STRATEGY ->
                AT_LEAST_ONCE.equals(value) || "at-most-once".equals(value)
                        ? null
                        : notValid(key, value, "at-most-once or at-least-once");
            case SYNC ->
                value instanceof String word && durability(word) != null
                        ? null
                        : notValid(key, value, "always, interval or os");
            default -> WITHOUT_EFFECT.contains(key) ? null : "'" + key + "' is not recognised as a policy setting";
        };
    }

    static QueueLimits.@Nullable Overflow overflow(String word) {
        return switch (word) {
            case "drop-head" -> QueueLimits.Overflow.DROP_HEAD;
            case "reject-publish" -> QueueLimits.Overflow.REJECT_PUBLISH;
            case "reject-publish-dlx" -> QueueLimits.Overflow.REJECT_PUBLISH_DEAD_LETTER;
            default -> null;
        };
    }

    static @Nullable Durability durability(String sync) {
        return switch (sync) {
            case "always" -> Durability.DISK;
            case "interval", "os" -> Durability.OPERATING_SYSTEM;
            default -> null;
        };
    }

    private static String notValid(String key, Object value, String expected) {
        return "'" + value + "' is not a valid value of '" + key + "', which takes " + expected;
    }

    private static BrokerException refused(Policy policy, String why) {
        return BrokerException.session(
                ErrorKind.PRECONDITION_FAILED,
                (policy.operator() ? "operator policy '" : "policy '") + policy.name() + "': " + why);
    }
}
