package org.entrepot.mqtt;

import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.Transaction;

/**
 * Deliveries at QoS 2 that wait until a restart would find them, and what comes behind them meanwhile. Owned by the
 * connection's loop.
 *
 * <p>A queue delivers what is not on disk yet. Where the process ended then, the publisher would publish the message again
 * and the client have it twice; and another message could get its position, with it its packet identifier, and be taken by
 * the client for the one that it has. So something is stored behind them, and they go when that is durable, for what was
 * stored earlier is durable earlier.
 */
final class OnceDurable {
    private static final int HELD_BYTES = 160;

    private final Session session;
    private final SessionState state;
    private final Sink sink;
    private List<Held> waiting = new ArrayList<>(0);
    /** How many wait for the disk. */
    private int underWay;

    /** A delivery, out of its batch. */
    record Held(
            QueueHandle queue,
            long position,
            Message message,
            Envelope envelope,
            boolean redelivered,
            long waitedMillis) {}

    /** Takes what is durable. */
    @FunctionalInterface
    interface Sink {
        void durable(Held delivery);
    }

    OnceDurable(Session session, SessionState state, Sink sink) {
        this.session = session;
        this.state = state;
        this.sink = sink;
    }

    /** Whether any wait: what comes behind them waits too, so that the order is kept. */
    boolean isHolding() {
        return underWay > 0 || !waiting.isEmpty();
    }

    void add(Deliveries deliveries, int i) {
        waiting.add(new Held(
                deliveries.queue(),
                deliveries.position(i),
                deliveries.message(i),
                deliveries.envelope(i),
                deliveries.redelivered(i),
                deliveries.waitedMillis(i)));
    }

    /** A batch ends: what was added goes as soon as it is durable. */
    void endBatch() {
        if (!waiting.isEmpty()) {
            session.whenIdle(this::store, HELD_BYTES);
        }
    }

    private void store() {
        List<Held> now = waiting;
        if (now.isEmpty()) {
            // A batch before this one has waited for the session, and taken this one along.
            return;
        }
        waiting = new ArrayList<>(0);
        underWay += now.size();
        Address mark = state.barrier();
        Transaction transaction = session.begin();
        transaction.publish(mark, SessionState.note(Bytes.EMPTY), SessionState.envelope(mark));
        transaction.commit().whenComplete((stored, failure) -> {
            underWay -= now.size();
            if (failure == null && stored) {
                now.forEach(sink::durable);
            }
        });
    }
}
