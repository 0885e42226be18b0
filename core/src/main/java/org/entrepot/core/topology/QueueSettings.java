package org.entrepot.core.topology;

import java.util.OptionalInt;
import java.util.OptionalLong;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueLimits.Overflow;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.jspecify.annotations.Nullable;

/**
 * What has effect for a queue: what it was declared with and what policies add, but for what does not go with a table.
 * Immutable.
 *
 * @param limits how much it may hold and for how long
 * @param deadLetter where what it drops goes; null where it goes nowhere
 * @param priorities how many priorities it keeps apart
 * @param defaultPriority the priority of messages without one
 * @param singleActiveConsumer whether only one consumer at a time is served
 * @param deliveryLimit how often a message may be returned; empty for no limit
 * @param leaseMillis how long a consumer may hold a delivery; empty for no limit
 * @param durable whether the queue and its durable messages survive a restart
 * @param replicated whether it is kept on several nodes where there are several
 * @param durability how safe a message has to be before it is confirmed; null for what the storage engine does
 */
public record QueueSettings(
        QueueLimits limits,
        @Nullable DeadLetter deadLetter,
        int priorities,
        int defaultPriority,
        boolean singleActiveConsumer,
        OptionalInt deliveryLimit,
        OptionalLong leaseMillis,
        boolean durable,
        boolean replicated,
        @Nullable Durability durability) {

    /** How often a replicated queue returns a message where nobody says otherwise. */
    public static final int REPLICATED_DELIVERY_LIMIT = 20;

    /** A {@link QueueSpec#deliveryLimit} of this, and a policy's of less than 0, means no limit. */
    public static final int NO_DELIVERY_LIMIT = Integer.MAX_VALUE;

    /** Whether a queue declared like this survives a restart: one that goes with its connection does not. */
    static boolean durable(QueueSpec spec) {
        return spec.durable() && !spec.exclusive();
    }

    /**
     * The settings of a queue under the policies that have effect on it. Of numbers the least counts, of everything else
     * what the queue was declared with, then the policy.
     */
    static QueueSettings of(QueueSpec spec, @Nullable Policy policy, @Nullable Policy operatorPolicy) {
        boolean table = spec.retention() == Retention.LATEST_PER_KEY;
        QueueLimits declared = spec.limits();
        QueueLimits limits = new QueueLimits(
                least(declared.messages(), policy, operatorPolicy, PolicyKeys.MAX_LENGTH),
                least(declared.bytes(), policy, operatorPolicy, PolicyKeys.MAX_LENGTH_BYTES),
                table ? Overflow.REJECT_PUBLISH : overflow(declared.overflow(), policy, operatorPolicy),
                table
                        ? OptionalLong.empty()
                        : least(declared.messageTtlMillis(), policy, operatorPolicy, PolicyKeys.MESSAGE_TTL),
                least(declared.idleMillis(), policy, operatorPolicy, PolicyKeys.EXPIRES));
        return new QueueSettings(
                limits,
                table ? null : deadLetter(spec, policy, limits.overflow()),
                spec.priorities(),
                spec.defaultPriority(),
                spec.singleActiveConsumer(),
                deliveryLimit(spec, policy, operatorPolicy),
                least(spec.leaseMillis(), policy, operatorPolicy, PolicyKeys.CONSUMER_TIMEOUT),
                durable(spec),
                spec.replicated(),
                durability(policy, operatorPolicy));
    }

    private static @Nullable Durability durability(@Nullable Policy policy, @Nullable Policy operatorPolicy) {
        String ordered = text(operatorPolicy, PolicyKeys.SYNC);
        String wanted = ordered == null ? text(policy, PolicyKeys.SYNC) : ordered;
        return wanted == null ? null : PolicyKeys.durability(wanted);
    }

    private static OptionalLong least(
            OptionalLong declared, @Nullable Policy policy, @Nullable Policy operatorPolicy, String key) {
        long least = declared.orElse(Long.MAX_VALUE);
        boolean found = declared.isPresent();
        if (policy != null && policy.definition().get(key) instanceof Long number) {
            least = Math.min(least, number);
            found = true;
        }
        if (operatorPolicy != null && operatorPolicy.definition().get(key) instanceof Long number) {
            least = Math.min(least, number);
            found = true;
        }
        return found ? OptionalLong.of(least) : OptionalLong.empty();
    }

    private static OptionalInt deliveryLimit(QueueSpec spec, @Nullable Policy policy, @Nullable Policy operatorPolicy) {
        OptionalLong declared = spec.deliveryLimit().isPresent()
                ? OptionalLong.of(spec.deliveryLimit().getAsInt())
                : OptionalLong.empty();
        long least = declared.orElse(Long.MAX_VALUE);
        boolean found = declared.isPresent();
        for (Policy each : new @Nullable Policy[] {policy, operatorPolicy}) {
            if (each != null && each.definition().get(PolicyKeys.DELIVERY_LIMIT) instanceof Long number) {
                least = Math.min(least, number < 0 ? NO_DELIVERY_LIMIT : number);
                found = true;
            }
        }
        if (!found) {
            return spec.replicated() ? OptionalInt.of(REPLICATED_DELIVERY_LIMIT) : OptionalInt.empty();
        }
        return least >= NO_DELIVERY_LIMIT ? OptionalInt.empty() : OptionalInt.of((int) least);
    }

    private static Overflow overflow(Overflow declared, @Nullable Policy policy, @Nullable Policy operatorPolicy) {
        Overflow ordered = overflowOf(operatorPolicy);
        if (ordered == null) {
            ordered = overflowOf(policy);
        }
        // Nothing declared and drop-head declared are the same; both give way to a policy.
        return declared == Overflow.DROP_HEAD && ordered != null ? ordered : declared;
    }

    private static @Nullable Overflow overflowOf(@Nullable Policy policy) {
        return policy != null && policy.definition().get(PolicyKeys.OVERFLOW) instanceof String word
                ? PolicyKeys.overflow(word)
                : null;
    }

    /** At least once needs a queue that refuses when full: one that drops its head would drop what is to be kept. */
    private static @Nullable DeadLetter deadLetter(QueueSpec spec, @Nullable Policy policy, Overflow overflow) {
        DeadLetter declared = spec.deadLetter();
        String exchange = declared != null ? declared.exchange() : text(policy, PolicyKeys.DEAD_LETTER_EXCHANGE);
        if (exchange == null) {
            return null;
        }
        RoutingKey key = declared != null ? declared.routingKey() : null;
        String policyKey = text(policy, PolicyKeys.DEAD_LETTER_ROUTING_KEY);
        if (key == null && policyKey != null) {
            key = RoutingKey.of(policyKey);
        }
        boolean asked = (declared != null && declared.atLeastOnce())
                || PolicyKeys.AT_LEAST_ONCE.equals(text(policy, PolicyKeys.DEAD_LETTER_STRATEGY));
        return new DeadLetter(exchange, key, asked && overflow == Overflow.REJECT_PUBLISH);
    }

    private static @Nullable String text(@Nullable Policy policy, String key) {
        return policy != null && policy.definition().get(key) instanceof String text ? text : null;
    }
}
