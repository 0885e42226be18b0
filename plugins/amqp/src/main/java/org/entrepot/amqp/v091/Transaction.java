package org.entrepot.amqp.v091;

import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener.Receipt;

/**
 * What a channel in transaction mode has published and settled since the last commit: held here until it is committed or
 * rolled back. Owned by the channel's loop.
 *
 * <p>A commit publishes, settles, and is answered when every publish has its receipt. It is not atomic over several
 * queues, as it is not in RabbitMQ; a client learns of a partial one by its channel being closed.
 */
final class Transaction {
    private final long bytesMax;
    private final GatheringRoom room;
    private List<Published> publishes = new ArrayList<>();
    private List<Settled> settlements = new ArrayList<>();
    private long bytes;

    private boolean committing;
    private boolean publishing;
    private long firstAwaited;
    private long awaited;
    private boolean refused;

    private record Published(Address address, Message message, Envelope envelope, boolean mandatory) {}

    private record Settled(long tag, QueueHandle queue, long position, Outcome outcome) {}

    Transaction(long bytesMax, GatheringRoom room) {
        this.bytesMax = bytesMax;
        this.room = room;
    }

    void publish(Address address, Message message, Envelope envelope, boolean mandatory) {
        if (bytes + message.size() > bytesMax) {
            throw AmqpChannel.preconditionFailed("transaction holds more than " + bytesMax + " bytes of messages");
        }
        checkCommands();
        if (!room.take(message.size())) {
            throw AmqpChannel.preconditionFailed(
                    "unfinished messages and transactions of all connections take more than " + room.bytesMax()
                            + " bytes");
        }
        bytes += message.size();
        publishes.add(new Published(address, message, envelope, mandatory));
    }

    /** Takes deliveries that the client settles with this outcome. */
    DeliveryTags.Taker settling(Outcome outcome) {
        return (tag, queue, position) -> {
            checkCommands();
            settlements.add(new Settled(tag, queue, position, outcome));
        };
    }

    private void checkCommands() {
        if (publishes.size() + settlements.size() >= AmqpSettings.TRANSACTION_COMMANDS_MAX) {
            throw AmqpChannel.preconditionFailed("transaction holds more than " + AmqpSettings.TRANSACTION_COMMANDS_MAX
                    + " publishes and acknowledgements");
        }
    }

    /** Performs everything; {@link #settled} tells when the publishes have their receipts. */
    void commit(Publisher publisher, Acknowledgements acknowledgements, Session session) {
        List<Published> committed = publishes;
        List<Settled> settled = settlements;
        clear();
        committing = true;
        publishing = true;
        refused = false;
        firstAwaited = session.published() + 1;
        awaited = committed.size();
        for (Published publish : committed) {
            publisher.publish(publish.address, publish.message, publish.envelope, publish.mandatory);
        }
        publishing = false;
        for (Settled settlement : settled) {
            acknowledgements.settle(settlement.tag, settlement.queue, settlement.position, settlement.outcome);
        }
        acknowledgements.end();
    }

    /** Forgets publishes, and has what was settled unsettled again. */
    void rollback(Acknowledgements acknowledgements) {
        for (Settled settlement : settlements) {
            acknowledgements.restore(settlement.tag, settlement.queue, settlement.position);
        }
        clear();
    }

    /** Forgets all, because the channel ends. */
    void abandon() {
        clear();
    }

    private void clear() {
        publishes = new ArrayList<>();
        settlements = new ArrayList<>();
        room.giveBack(bytes);
        bytes = 0;
    }

    boolean committing() {
        return committing;
    }

    /** Whether the commit is still handing its publishes over, so that it cannot be complete. */
    boolean publishing() {
        return publishing;
    }

    void receipts(long first, long last, Receipt receipt) {
        // Earlier ones are of publishes before the channel became transactional.
        long count = last - Math.max(first, firstAwaited) + 1;
        if (count > 0) {
            awaited -= count;
            refused |= receipt == Receipt.REFUSED;
        }
    }

    /** Whether every publish of the commit has its receipt. */
    boolean settled() {
        return awaited == 0;
    }

    /** Ends a commit that is settled; whether all of it was stored. */
    boolean end() {
        assert committing && settled();
        committing = false;
        return !refused;
    }
}
