package org.entrepot.amqp.v091;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.protocol.GatheringRoom;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.Transaction;

/**
 * What a channel in transaction mode has published and settled since the last commit: held here until it is committed or
 * rolled back. Owned by the channel's loop.
 */
final class GatheredTransaction {
    private final long bytesMax;
    private final GatheringRoom room;
    private List<Published> publishes = new ArrayList<>();
    private List<Settled> settlements = new ArrayList<>();
    private long bytes;

    private boolean committing;

    private record Published(Address address, Message message, Envelope envelope, boolean mandatory) {}

    private record Settled(long tag, QueueHandle queue, long position, Outcome outcome) {}

    GatheredTransaction(long bytesMax, GatheringRoom room) {
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

    /** Lets everything take effect as a whole; whether it has. */
    CompletionStage<Boolean> commit(Publisher publisher, Session session) {
        List<Published> published = publishes;
        List<Settled> settled = settlements;
        clear();
        Transaction transaction = session.begin();
        for (Published each : published) {
            publisher.publish(transaction, each.address, each.message, each.envelope, each.mandatory);
        }
        Settlement settlement = new Settlement(transaction::settle);
        for (Settled each : settled) {
            settlement.with(each.outcome).take(each.tag, each.queue, each.position);
        }
        settlement.end();
        committing = true;
        return transaction.commit();
    }

    /** The commit has come to its end. */
    void ended() {
        committing = false;
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
}
