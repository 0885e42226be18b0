package org.entrepot.mqtt;

import io.netty.channel.Channel;
import java.util.ArrayDeque;
import org.entrepot.mqtt.wire.StoredHeader;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Session;

/**
 * Sends new subscriptions what is retained for them (specification 3.3.1.3), as fast as the client reads. Owned by the
 * connection's loop.
 *
 * <p>What the client is to answer goes through the session's queue, marked as a copy, so that it is counted, ordered and kept
 * like everything else there.
 */
final class RetainedReplay {
    /** Messages that are put into the queue before others have their turn. */
    private static final int SLICE = 500;

    private final Session session;
    private final SessionQueues queues;
    private final Deliverer deliverer;
    private final Channel socket;
    private final Retained retained;
    private final ArrayDeque<Due> due = new ArrayDeque<>();
    private boolean scheduled;

    /** A message that is to be sent for a subscription. */
    private record Due(Message message, Envelope envelope, Subscription of) {}

    RetainedReplay(Session session, SessionQueues queues, Deliverer deliverer, Channel socket, Retained retained) {
        this.session = session;
        this.queues = queues;
        this.deliverer = deliverer;
        this.socket = socket;
        this.retained = retained;
    }

    /** A subscription is new. */
    void add(Subscription subscription) {
        retained.forEach(
                subscription.topicFilter(), (message, envelope) -> due.add(new Due(message, envelope, subscription)));
        goOn();
    }

    /** Sends on, if the client reads. */
    void goOn() {
        int put = 0;
        while (!due.isEmpty() && socket.isActive() && socket.isWritable() && put < SLICE) {
            Due next = due.element();
            if (queues.isAnswered(next.of())) {
                if (session.busy()) {
                    break;
                }
                put(next);
                put++;
            } else {
                deliverer.sendRetained(next.message(), next.envelope(), next.of());
            }
            due.remove();
        }
        if (!due.isEmpty() && !scheduled && socket.isWritable()) {
            scheduled = true;
            session.whenIdle(
                    () -> socket.eventLoop().execute(() -> {
                        scheduled = false;
                        goOn();
                    }),
                    0);
        }
    }

    private void put(Due next) {
        Message message = next.message();
        Message copy = message.format() == MqttMessageFormat.INSTANCE
                ? new Message(message.format(), StoredHeader.fromStore(message.header()), message.body())
                : message;
        try {
            session.publish(
                    session.queueAddress(queues.answeredQueue(), next.envelope().routingKey()), copy, next.envelope());
        } catch (BrokerException gone) {
            // The session's queue is gone, and with it what it was for.
            due.clear();
        }
    }
}
