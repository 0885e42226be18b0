package org.entrepot.spi.topology;

import java.util.OptionalLong;

/**
 * How much a queue may hold, and for how long. Immutable.
 *
 * @param messages most ready messages
 * @param bytes most bytes of ready messages, headers and bodies
 * @param overflow what happens to a message too many
 * @param messageTtlMillis how long a message may wait; the lower of this and the message's own counts
 * @param idleMillis how long the queue may be unused (no consumer, no pull, no declaration) before it is deleted
 */
public record QueueLimits(
        OptionalLong messages,
        OptionalLong bytes,
        Overflow overflow,
        OptionalLong messageTtlMillis,
        OptionalLong idleMillis) {

    /** No limits. */
    public static final QueueLimits NONE = new QueueLimits(
            OptionalLong.empty(), OptionalLong.empty(), Overflow.DROP_HEAD, OptionalLong.empty(), OptionalLong.empty());

    /** What a full queue does. */
    public enum Overflow {
        /** Drops, or dead-letters, its oldest ready messages. */
        DROP_HEAD,
        /** Refuses the new message: its receipt says so. */
        REJECT_PUBLISH,
        /** Refuses the new message and dead-letters it. */
        REJECT_PUBLISH_DEAD_LETTER
    }
}
