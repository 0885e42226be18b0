package org.entrepot.stomp;

import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;
import org.entrepot.stomp.wire.FrameBody;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;
import org.jspecify.annotations.Nullable;

/**
 * What a client does once it has logged in: performs its frames one after the other, on one session of the broker's. Owned by
 * its connection's loop.
 *
 * <p>A frame that needs an answer of the broker holds those behind it back, so that everything happens in the order in which
 * it was asked for.
 */
final class StompSession implements SessionListener {
    private static final String TEMPORARY = SubscriptionName.TEMPORARY_PREFIX;

    private final StompConnection connection;
    private final Outbound outbound;
    private final Session session;
    private final String name;
    private final Queues queues;
    private final Routes routes;
    private final Publisher publisher;
    private final Subscriptions subscriptions;
    private final Acknowledgements acknowledgements;
    private final Transactions transactions;
    private final PendingReceipts receipts = new PendingReceipts();
    private @Nullable Runnable whenSafe;

    StompSession(StompConnection connection, Outbound outbound, Stomp stomp, StompVersion version, Connection broker) {
        this.connection = connection;
        this.outbound = outbound;
        StompSettings settings = stomp.settings();
        // The session tells its listener nothing before this constructor is done: both are on this loop.
        this.session = broker.openSession(this);
        UnsettledDeliveries unsettled = new UnsettledDeliveries();
        this.queues = new Queues(session, broker.virtualHost());
        this.routes = new Routes(session, queues, settings.topicExchange());
        this.publisher = new Publisher(broker, stomp.format());
        this.name = session.generateName("session-");
        this.subscriptions = new Subscriptions(
                settings, version, name, session, queues, outbound, unsettled, new Rendering(stomp.format()));
        this.acknowledgements = new Acknowledgements(session, version, settings.nackRequeues(), unsettled);
        this.transactions = new Transactions(settings.transactionBytesMax(), stomp.gatheringRoom());
    }

    /** What it is called in CONNECTED, and in the ids of messages. */
    String name() {
        return name;
    }

    // ---- what the client sends

    /** Performs a frame; throws what it is refused with. */
    void frame(FrameHead head, FrameBody body) {
        byte[] receipt = head.raw(Header.RECEIPT);
        switch (head.command()) {
            case SEND -> send(head, body, receipt);
            case ACK, NACK -> {
                settle(head);
                done(receipt);
            }
            case SUBSCRIBE -> {
                checkDurable(head);
                connection.await(subscriptions.subscribe(head.copy(), receipt), receipt, begun -> {});
            }
            case UNSUBSCRIBE -> {
                checkDurable(head);
                connection.await(subscriptions.unsubscribe(head), receipt, ended -> done(receipt));
            }
            case BEGIN -> {
                transactions.begin(head);
                done(receipt);
            }
            case COMMIT -> commit(transactions.end(head), receipt);
            case ABORT -> {
                transactions.end(head);
                done(receipt);
            }
            case DISCONNECT -> disconnect(receipt);
            case CONNECT, STOMP ->
                throw new Refusal(new StompError("Illegal command", "You are logged in already\n", true));
            case UNKNOWN ->
                throw new Refusal("Bad command", "Could not interpret command \"" + head.commandText() + "\"\n");
        }
    }

    private static void checkDurable(FrameHead head) {
        if (SubscriptionQueue.isDurable(head) && !head.has(Header.ID)) {
            throw SubscriptionQueue.withoutId();
        }
    }

    private void done(byte @Nullable [] receipt) {
        if (receipt != null) {
            outbound.receipt(receipt);
        }
    }

    // ---- sending

    private void send(FrameHead head, FrameBody body, byte @Nullable [] receipt) {
        GatheredTransaction transaction = prepared(head);
        Routes.Route route = routes.of(head);
        String replyTo = temporaryReplyTo(head);
        if (!routes.ready(route) || (replyTo != null && queues.temporary(replyTo) == null)) {
            sendLater(head.copy(), body.toBytes(), receipt);
            return;
        }
        Envelope envelope = publisher.envelope(head, route.address());
        Message message = publisher.message(head, body, replyTo == null ? null : queues.temporary(replyTo));
        publish(transaction, route.address(), message, envelope, receipt);
    }

    private @Nullable GatheredTransaction prepared(FrameHead head) {
        if (head.has(Header.MESSAGE_ID)) {
            throw new Refusal("Invalid header", "'message-id' is not allowed on 'SEND'.\n");
        }
        return transactions.of(head);
    }

    /** The id of the destination /temp-queue that a reply-to names; null where it names none. */
    private static @Nullable String temporaryReplyTo(FrameHead head) {
        String replyTo = head.text(Header.REPLY_TO);
        return replyTo != null && replyTo.startsWith(TEMPORARY) ? replyTo.substring(TEMPORARY.length()) : null;
    }

    /** A message for a queue that is to be declared first, or with an answer that is to be waited for in one. */
    private void sendLater(FrameHead head, Bytes body, byte @Nullable [] receipt) {
        Routes.Route route = routes.of(head);
        String replyTo = temporaryReplyTo(head);
        if (!routes.ready(route)) {
            connection.await(
                    queues.declareToSend(route.name(), head), receipt, declared -> sendLater(head, body, receipt));
        } else if (replyTo != null && queues.temporary(replyTo) == null) {
            connection.await(subscriptions.openTemporary(replyTo), receipt, opened -> sendLater(head, body, receipt));
        } else {
            Envelope envelope = publisher.envelope(head, route.address());
            Message message = publisher.message(head, body, replyTo == null ? null : queues.temporary(replyTo));
            publish(prepared(head), route.address(), message, envelope, receipt);
        }
    }

    private void publish(
            @Nullable GatheredTransaction transaction,
            Address address,
            Message message,
            Envelope envelope,
            byte @Nullable [] receipt) {
        if (transaction != null) {
            transactions.publish(transaction, address, message, envelope, receipt);
        } else if (receipt == null) {
            session.publish(address, message, envelope);
        } else {
            publishWithReceipt(address, message, envelope, receipt);
        }
    }

    private void publishWithReceipt(Address address, Message message, Envelope envelope, byte[] receipt) {
        receipts.add(session.published() + 1, receipt);
        boolean published = false;
        try {
            session.publish(address, message, envelope);
            published = true;
        } finally {
            if (!published) {
                receipts.removeLast();
            }
        }
    }

    // ---- settling, and transactions

    private void settle(FrameHead head) {
        GatheredTransaction transaction = transactions.of(head);
        if (transaction == null) {
            acknowledgements.settle(head);
        } else {
            transaction.settle(acknowledgements.delivery(head), acknowledgements.outcome(head));
        }
    }

    private void commit(GatheredTransaction transaction, byte @Nullable [] receipt) {
        connection.await(transaction.commit(session, acknowledgements), receipt, whole -> {
            if (!whole) {
                throw new Refusal("Transaction failed", "A queue refused a message, so none was sent\n");
            }
            done(receipt);
            transaction.receipts(outbound::receipt);
        });
    }

    // ---- what the broker says

    @Override
    public void receipts(long first, long last, Receipt receipt) {
        receipts.take(first, last, receipt == Receipt.STORED ? outbound::receipt : this::refused);
        Runnable work = whenSafe;
        if (work != null && receipts.isEmpty()) {
            whenSafe = null;
            work.run();
        }
    }

    private void refused(byte[] receipt) {
        outbound.error(new StompError("Message refused", "A queue refused the message\n", false), receipt);
    }

    @Override
    public void failed(BrokerException reason) {
        connection.refuse(reason, null);
    }

    @Override
    public void leaseExpired(long leaseMillis) {
        failed(BrokerException.session(
                ErrorKind.PRECONDITION_FAILED,
                "a delivery was not acknowledged within " + leaseMillis + " ms, which its queue allows"));
    }

    // ---- the end

    /** Says goodbye when all that was sent before, and was to have a receipt, has got it. */
    private void disconnect(byte @Nullable [] receipt) {
        if (receipts.isEmpty()) {
            connection.disconnected(receipt);
        } else {
            whenSafe = () -> connection.disconnected(receipt);
            connection.disconnecting();
        }
    }

    /** The connection is closing. */
    void drop() {
        whenSafe = null;
        transactions.clear();
    }
}
