package org.entrepot.mqtt;

import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * Stores which deliveries at QoS 2 a client has, and that it is done with them, in a session that lasts. Owned by the
 * connection's loop.
 *
 * <p>One transaction at a time: what comes while one is under way goes into the next.
 */
final class DeliveryNotes {
    private static final int HELD_BYTES = 160;

    private final Session session;
    private final SessionState state;
    private final Sink sink;
    private List<Note> waiting = new ArrayList<>(0);

    /**
     * What is to be stored of an identifier.
     *
     * @param text what is noted; empty where the note is taken back
     * @param queue the queue that is rid of the delivery; null for none
     */
    private record Note(int id, Bytes text, @Nullable QueueHandle queue, long position) {}

    /** Hears that it is stored that the client has a delivery. */
    @FunctionalInterface
    interface Sink {
        void noted(int id);
    }

    DeliveryNotes(Session session, SessionState state, Sink sink) {
        this.session = session;
        this.state = state;
        this.sink = sink;
    }

    /** The client has a delivery. */
    void delivered(int id, Bytes text) {
        add(new Note(id, text, null, 0));
    }

    /** The client is done with a delivery: with the note of it goes the delivery itself, where a queue holds it. */
    void completed(int id, @Nullable QueueHandle queue, long position) {
        add(new Note(id, Bytes.EMPTY, queue, position));
    }

    private void add(Note note) {
        waiting.add(note);
        session.whenIdle(this::store, HELD_BYTES);
    }

    private void store() {
        List<Note> now = waiting;
        if (now.isEmpty()) {
            // They went with others.
            return;
        }
        waiting = new ArrayList<>();
        Transaction transaction = session.begin();
        for (Note note : now) {
            Address to = state.delivered(note.id());
            transaction.publish(to, SessionState.note(note.text()), SessionState.envelope(to));
            if (note.queue() != null) {
                transaction.settle(note.queue(), note.position(), note.position(), Outcome.ACCEPTED);
            }
        }
        transaction.commit().whenComplete((stored, failure) -> {
            if (failure == null && stored) {
                now.forEach(this::tell);
            }
        });
    }

    private void tell(Note note) {
        if (note.text().length() > 0) {
            sink.noted(note.id());
        }
    }
}
