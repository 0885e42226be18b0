package org.entrepot.core.queue;

import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * Parts of transactions, from when they are prepared until they are committed or given up. Part of a {@link QueueMachine}.
 *
 * <p>What is prepared has its place in the queue and in the transaction of the log, and nobody gets it: entries are not
 * ready, deliveries that are settled are {@linkplain QueueState#settling dying}. So to commit is to let it show, and cannot
 * fail; to give up is to take it back.
 */
final class Transactions {
    private static final long NOTHING = -1;

    private final QueueState state;
    private final Expiry expiry;
    private final Exits exits;
    private final @Nullable LatestPerKey latest;
    private final QueueEffects effects;
    private final QueueCounters counters;
    private final Consumer<Holder> gaveBack;
    /** Settled neighbours that have not been told yet. */
    private long runFrom;

    private long runTo = NOTHING;
    private long runBytes;

    /**
     * A queue's, which has none.
     *
     * @param latest which entries are the newest of their keys, in a table
     * @param gaveBack is told of who holds a delivery less
     */
    Transactions(
            QueueState state,
            Expiry expiry,
            Exits exits,
            @Nullable LatestPerKey latest,
            QueueEffects effects,
            QueueCounters counters,
            Consumer<Holder> gaveBack) {
        this.state = state;
        this.expiry = expiry;
        this.exits = exits;
        this.latest = latest;
        this.effects = effects;
        this.counters = counters;
        this.gaveBack = gaveBack;
    }

    /**
     * Prepares a part; whether the queue takes all of it. Where it does not, the part is given up.
     *
     * @param refuses whether the queue is too full for a message
     */
    boolean prepare(TransactionPart part, QueueSpec settings, BiPredicate<Message, Envelope> refuses, long now) {
        for (TransactionPart.Settle settle : part.settles()) {
            settle(part, settle, settings);
        }
        tell(part);
        for (int i = 0; i < part.size(); i++) {
            if (erases(part, i)) {
                erase(part, now);
                continue;
            }
            if (refuses.test(part.message(i), part.envelope(i))) {
                counters.refused++;
                givenUp(part);
                return false;
            }
            publish(part, now);
        }
        return true;
    }

    private void settle(TransactionPart part, TransactionPart.Settle settle, QueueSpec settings) {
        Leases leases = state.leases();
        for (long position = leases.next(settle.from());
                position <= settle.to() && position != Leases.NONE;
                position = leases.next(position + 1)) {
            Holder holder = Objects.requireNonNull(leases.holder(position));
            if (holder.session() == part.session()) {
                settle(part, position, settle.outcome(), settings);
                gaveBack.accept(holder);
            }
        }
    }

    private void publish(TransactionPart part, long now) {
        int index = part.prepared();
        Envelope envelope = part.envelope(index);
        long position = state.tail();
        long stamp = Math.max(now, state.lastStamp());
        effects.append(part.transaction(), position, stamp, part.message(index), envelope);
        state.prepared(position, stamp, part.message(index).body().length());
        part.preparedAt(position, stamp);
    }

    /** Whether a message is one without a body for a table. */
    private boolean erases(TransactionPart part, int index) {
        return latest != null && part.message(index).body().length() == 0;
    }

    private void erase(TransactionPart part, long now) {
        long below = state.tail();
        effects.erased(part.transaction(), part.envelope(part.prepared()).routingKey(), below);
        part.preparedAt(below, Math.max(now, state.lastStamp()));
    }

    private void settle(TransactionPart part, long position, Outcome outcome, QueueSpec settings) {
        switch (outcome) {
            case ACCEPTED -> leave(part, position, null);
            case REJECTED -> drop(part, position, DeathReason.REJECTED, settings.deadLetter());
            case RELEASED -> giveBack(part, position, false, settings);
            case MODIFIED -> giveBack(part, position, true, settings);
        }
    }

    private void leave(TransactionPart part, long position, @Nullable DeathReason reason) {
        if (runTo == NOTHING || position != runTo + 1 || position == state.checkpointTail()) {
            tell(part);
            runFrom = position;
        }
        runTo = position;
        runBytes += state.lastingBytesHeld(position);
        state.settling(position);
        part.add(new TransactionPart.Gone(position, reason));
    }

    private void drop(TransactionPart part, long position, DeathReason reason, @Nullable DeadLetter to) {
        if (to == null) {
            leave(part, position, reason);
        } else {
            Leases leases = state.leases();
            effects.dies(part.transaction(), position, reason, leases.lane(position), leases.bytes(position));
            state.settling(position);
            part.add(new TransactionPart.Dies(position, reason, to));
        }
    }

    private void giveBack(TransactionPart part, long position, boolean failed, QueueSpec settings) {
        int failures = failures(position) + (failed ? 1 : 0);
        if (failed && failures > settings.deliveryLimit().orElse(Integer.MAX_VALUE)) {
            drop(part, position, DeathReason.DELIVERY_LIMIT, settings.deadLetter());
        } else {
            effects.returned(part.transaction(), position, failures);
            state.settling(position);
            part.add(new TransactionPart.Returns(position, failures));
        }
    }

    private int failures(long position) {
        return Math.max(0, state.returns(position));
    }

    /** Tells what was settled since the last time. */
    private void tell(TransactionPart part) {
        if (runTo != NOTHING) {
            long to = runTo;
            long bytes = runBytes;
            runTo = NOTHING;
            runBytes = 0;
            effects.settled(part.transaction(), runFrom, to, bytes);
        }
    }

    /** The transaction was committed. */
    void committed(TransactionPart part) {
        for (int i = 0; i < part.prepared(); i++) {
            counters.published++;
            committed(part, i);
        }
        for (TransactionPart.Fate fate : part.fates()) {
            long position = fate.position();
            state.isDecided(position);
            if (fate instanceof TransactionPart.Gone gone) {
                state.settled(position);
                count(gone.reason());
            } else if (fate instanceof TransactionPart.Dies dies) {
                counters.count(dies.reason());
                state.dies(position, dies.reason());
                exits.publish(position, dies.reason(), dies.to());
            } else if (fate instanceof TransactionPart.Returns returns) {
                state.returned(position, returns.failures());
                expiry.cameBack(position);
                counters.returned++;
            }
        }
        tellTable();
    }

    private void committed(TransactionPart part, int index) {
        long position = part.position(index);
        Envelope envelope = part.envelope(index);
        if (latest != null && erases(part, index)) {
            latest.erase(envelope.routingKey(), position);
            return;
        }
        int bytes = part.message(index).body().length();
        state.decided(position, envelope, bytes);
        expiry.came(position, part.stamp(index), envelope);
        if (latest != null) {
            latest.came(envelope.routingKey(), position, bytes);
        }
    }

    /** Whatever was undecided in a table is decided, or not. */
    private void tellTable() {
        exits.tell();
        if (latest != null) {
            latest.forgetErasures();
        }
    }

    private void count(@Nullable DeathReason reason) {
        if (reason == null) {
            counters.acknowledged++;
        } else {
            counters.count(reason);
        }
    }

    /** The transaction was given up: what it would have settled is ready again. */
    void givenUp(TransactionPart part) {
        for (int i = 0; i < part.prepared(); i++) {
            if (!erases(part, i)) {
                state.givenUp(part.message(i).body().length());
                effects.givenUp(part.position(i));
            }
        }
        for (TransactionPart.Fate fate : part.fates()) {
            long position = fate.position();
            int failures = failures(position);
            state.isDecided(position);
            state.returned(position, failures);
            effects.returned(position, failures);
            expiry.cameBack(position);
            counters.returned++;
        }
        tellTable();
    }

    /** Publishes what was to die when the process before ended. */
    void resume(@Nullable DeadLetter to) {
        for (long position : state.condemned()) {
            if (to == null) {
                exits.settle(position);
            } else {
                exits.publish(position, Objects.requireNonNull(state.reason(position)), to);
            }
        }
        exits.tell();
    }
}
