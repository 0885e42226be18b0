package org.entrepot.core.queue;

import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.topology.DeadLetter;

/**
 * What a {@link QueueMachine} wants done in the world. Implemented by {@link Workings}, and by the simulator of the
 * tests. None of these may call the machine back before the machine's own method returns.
 */
interface QueueEffects {

    /** Records an entry; whether the receipt can be given at once. */
    boolean append(long position, long stamp, Message message, Envelope envelope, Annotations annotations);

    /**
     * Records that these entries, both included, are settled, and lets their space go.
     *
     * @param lastingBytes what a restart would have counted of them; 0 where that is not known: for all ready ones at once,
     *     where {@link #emptied} follows, and for what cannot be read
     */
    void settled(long from, long to, long lastingBytes);

    /** What was ready is settled, however long it took to say so. */
    void emptied();

    /** Records that an entry was returned, having failed so often. */
    void returned(long position, int failures);

    /**
     * Records that what a key of a table has below a position is erased; that these entries are settled follows.
     *
     * @param durable whether the receipt says that it lasts
     * @return whether the receipt can be given at once
     */
    boolean erased(RoutingKey key, long below, boolean durable);

    // The same in a transaction. Each has a record, whether there is use for it or not: it is what makes the log take
    // part.

    /** Records an entry, which no dead letter is. */
    void append(LogTransaction in, long position, long stamp, Message message, Envelope envelope);

    /** Records that these entries, both included, are settled; their space goes when that is committed. */
    void settled(LogTransaction in, long from, long to, long lastingBytes);

    /** Records that an entry was returned, having failed so often. */
    void returned(LogTransaction in, long position, int failures);

    /** Records that an entry of a priority and a size goes to the dead-letter exchange. */
    void dies(LogTransaction in, long position, DeathReason reason, int lane, int bytes);

    /** Records that what a key of a table has below a position is erased, when that is committed. */
    void erased(LogTransaction in, RoutingKey key, long below);

    /** An entry's transaction was given up: its space goes. */
    void givenUp(long position);

    /** Wants entries from this position on in memory; {@link QueueMachine#loaded} answers. */
    void load(long from);

    /** Hands an entry to a consumer. */
    void deliver(
            QueueConsumer consumer,
            long position,
            int returns,
            Message message,
            Envelope envelope,
            Annotations annotations);

    /** Tells a publisher what became of a publish. */
    void answer(Publisher publisher, long number, boolean stored);

    /** Tells a publisher as soon as what was appended last is durable. */
    void answerWhenDurable(Publisher publisher, long number);

    /**
     * Publishes a message that leaves the queue to its dead-letter exchange; {@link QueueMachine#deadLettered} answers for
     * one with a position.
     *
     * @param position where it stands, or {@link Intake#NOWHERE} for one that was refused entry
     */
    void deadLetter(
            long position,
            DeathReason reason,
            DeadLetter to,
            Message message,
            Envelope envelope,
            Annotations annotations);

    /** There is something for a consumer that lacks a place in the shared window. */
    void wants(QueueConsumer consumer, int messages);

    /** A consumer does not need these places of the shared window. */
    void unused(QueueConsumer consumer, int places);

    void active(QueueConsumer consumer, boolean active);

    void revoked(QueueConsumer consumer, String reason);

    void leaseExpired(QueueConsumer consumer, long leaseMillis);

    /** Wants a {@link QueueMachine#tick} at this instant; a later call replaces an earlier one. */
    void wakeAt(long instant);

    /** The queue has no more use and is to be deleted: auto-delete or expiry. */
    void abandoned();
}
