package org.entrepot.spi.topology;

import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a queue is asked to be. Immutable. Fields are the broker's words; what the client sent in its own is kept in
 * {@link #extras} for the plugin that compares and displays it.
 *
 * @param name opaque; at most 1,024 bytes of UTF-8
 * @param durable whether the queue survives a restart
 * @param exclusive whether only the connection that declares it may use it; it goes with the connection
 * @param autoDelete whether it goes when its last consumer does
 * @param replicated whether it is kept on several nodes where there are several
 * @param limits how much it may hold and for how long
 * @param deadLetter where what it drops goes; null where it goes nowhere
 * @param priorities how many priorities it keeps apart, from 0 to {@code priorities - 1}; 1 for none
 * @param defaultPriority the priority of messages without one
 * @param singleActiveConsumer whether only one consumer at a time is served
 * @param deliveryLimit how often a message may be returned before it is dropped or dead-lettered; {@link
 *     Integer#MAX_VALUE} for no limit; empty for the broker's default, which is a limit for replicated queues only
 * @param leaseMillis how long a consumer may hold a delivery unsettled before it is cut off; empty for no limit
 * @param retention until when messages are kept. With {@link Retention#LATEST_PER_KEY} a queue has no {@code deadLetter},
 *     {@code autoDelete}, {@code singleActiveConsumer}, {@code deliveryLimit}, {@code leaseMillis} and no time to live of
 *     its messages, and one priority: it is refused otherwise. Its limits refuse what is too much, whatever they say of
 *     overflow, except what replaces a message and is no larger, or erases one. A message's own time to live counts
 * @param extras what the client sent, by its own names, with values as {@link
 *     org.entrepot.spi.message.MessageFormat} lists them; opaque to the broker
 */
public record QueueSpec(
        String name,
        boolean durable,
        boolean exclusive,
        boolean autoDelete,
        boolean replicated,
        QueueLimits limits,
        @Nullable DeadLetter deadLetter,
        int priorities,
        int defaultPriority,
        boolean singleActiveConsumer,
        OptionalInt deliveryLimit,
        OptionalLong leaseMillis,
        Retention retention,
        Map<String, Object> extras) {

    /** Bytes of UTF-8 a name may have. */
    public static final int NAME_BYTES_MAX = 1024;

    public QueueSpec {
        if (priorities < 1 || priorities > 256) {
            throw new IllegalArgumentException("priorities " + priorities + " not in 1..256");
        }
        extras = Map.copyOf(extras);
    }

    /** The same with other limits. */
    public QueueSpec withLimits(QueueLimits others) {
        return new QueueSpec(
                name,
                durable,
                exclusive,
                autoDelete,
                replicated,
                others,
                deadLetter,
                priorities,
                defaultPriority,
                singleActiveConsumer,
                deliveryLimit,
                leaseMillis,
                retention,
                extras);
    }

    /** A queue without limits, dead-lettering, priorities or extras. */
    public static QueueSpec plain(String name, boolean durable, boolean exclusive, boolean autoDelete) {
        return new QueueSpec(
                name,
                durable,
                exclusive,
                autoDelete,
                false,
                QueueLimits.NONE,
                null,
                1,
                0,
                false,
                OptionalInt.empty(),
                OptionalLong.empty(),
                Retention.SETTLED,
                Map.of());
    }

    /** A queue that keeps the latest message of each routing key. */
    public static QueueSpec table(String name, boolean durable, QueueLimits limits) {
        return new QueueSpec(
                name,
                durable,
                false,
                false,
                false,
                limits,
                null,
                1,
                0,
                false,
                OptionalInt.empty(),
                OptionalLong.empty(),
                Retention.LATEST_PER_KEY,
                Map.of());
    }
}
