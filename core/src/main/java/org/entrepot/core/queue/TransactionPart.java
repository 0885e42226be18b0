package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.topology.DeadLetter;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction does in one queue: what it publishes there, and what it settles. Gathered on its session's loop; from
 * when it is {@linkplain LocalQueue#prepare prepared} it is owned by the queue's home loop.
 */
public final class TransactionPart {
    private final LocalQueue queue;
    private final Publisher session;
    private final Runnable whenShown;
    private final List<Message> messages = new ArrayList<>(1);
    private final List<Envelope> envelopes = new ArrayList<>(1);
    private final List<Settle> settles = new ArrayList<>(1);

    private @Nullable LogTransaction in;
    /** Of those messages that were prepared. */
    private long[] positions = {};

    private long[] stamps = {};
    private int prepared;
    private final List<Fate> fates = new ArrayList<>(1);

    /** Deliveries to be settled: those that the session holds of these positions, both included. */
    record Settle(long from, long to, Outcome outcome) {}

    /** What becomes of a delivery when the transaction is committed. Until then nobody holds it, and nobody gets it. */
    sealed interface Fate {
        long position();
    }

    /** It is gone: accepted, or for a reason. */
    record Gone(long position, @Nullable DeathReason reason) implements Fate {}

    /** It goes to a dead-letter exchange. */
    record Dies(long position, DeathReason reason, DeadLetter to) implements Fate {}

    /** It is ready again. */
    record Returns(long position, int failures) implements Fate {}

    /**
     * A part that does nothing yet.
     *
     * @param session publishes, and holds what is settled
     * @param whenShown is run on the session's loop when a part that was {@linkplain Prepared#YES prepared} shows, or its
     *     queue is deleted
     */
    public TransactionPart(LocalQueue queue, Publisher session, Runnable whenShown) {
        this.queue = queue;
        this.session = session;
        this.whenShown = whenShown;
    }

    /** What a queue says to a part. */
    public enum Prepared {
        YES,
        /** It takes it, and there is nothing that will show: the session holds nothing of what it settles. */
        NOTHING_TO_DO,
        /** It does not take it: it is full, or its log has failed. What was to be settled has come back. */
        REFUSED
    }

    public LocalQueue queue() {
        return queue;
    }

    public void publish(Message message, Envelope envelope) {
        messages.add(message);
        envelopes.add(envelope);
    }

    public void settle(long from, long to, Outcome outcome) {
        settles.add(new Settle(from, to, outcome));
    }

    /** Messages that are published. */
    public int size() {
        return messages.size();
    }

    public Message message(int index) {
        return messages.get(index);
    }

    public Envelope envelope(int index) {
        return envelopes.get(index);
    }

    Publisher session() {
        return session;
    }

    Runnable whenShown() {
        return whenShown;
    }

    List<Settle> settles() {
        return settles;
    }

    // Prepared.

    void begin(LogTransaction transaction) {
        in = transaction;
        positions = new long[messages.size()];
        stamps = new long[messages.size()];
    }

    LogTransaction transaction() {
        return Objects.requireNonNull(in, "it was not prepared");
    }

    /** The next message has a place. */
    void preparedAt(long position, long stamp) {
        positions[prepared] = position;
        stamps[prepared] = stamp;
        prepared++;
    }

    void add(Fate fate) {
        fates.add(fate);
    }

    /** Messages that have a place. */
    int prepared() {
        return prepared;
    }

    long position(int index) {
        return positions[index];
    }

    long stamp(int index) {
        return stamps[index];
    }

    List<Fate> fates() {
        return fates;
    }

    /** Whether there is nothing to be decided. */
    boolean isEmpty() {
        return prepared == 0 && fates.isEmpty();
    }

    @Override
    public String toString() {
        return "publishes at " + Arrays.toString(positions) + ", settles " + fates;
    }
}
