package org.entrepot.core.queue;

import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueLimits.Overflow;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * How entries come into a queue: their positions and stamps, their receipts, and how many there may be. Part of a {@link
 * QueueMachine}.
 */
final class Intake {
    /** The position of a message that is in no queue. */
    static final long NOWHERE = -1;

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final QueueState state;
    private final Expiry expiry;
    private final @Nullable LatestPerKey latest;
    private final QueueEffects effects;
    private final QueueCounters counters;
    private QueueSpec settings;

    /**
     * A queue's.
     *
     * @param latest which entries are the newest of their keys, in a table
     */
    Intake(
            QueueSpec settings,
            QueueState state,
            Expiry expiry,
            @Nullable LatestPerKey latest,
            QueueEffects effects,
            QueueCounters counters) {
        this.settings = settings;
        this.latest = latest;
        this.state = state;
        this.expiry = expiry;
        this.effects = effects;
        this.counters = counters;
    }

    void reconfigure(QueueSpec changed) {
        settings = changed;
    }

    /** Whether the queue is full and refuses what is too much. */
    boolean refuses(Message message, Envelope envelope) {
        QueueLimits limits = settings.limits();
        if (limits.overflow() == Overflow.DROP_HEAD
                || (limits.messages().isEmpty() && limits.bytes().isEmpty())) {
            return false;
        }
        int before = latest == null ? LatestPerKey.NOTHING : latest.bytesOf(envelope.routingKey());
        // What a queue promises to keep until its dead-letter exchange takes it counts as well, or it had no bound.
        DeadLetter to = settings.deadLetter();
        boolean keepsDying = to != null && to.atLeastOnce();
        long messages = state.ready() + state.undecided() + (keepsDying ? state.kept() : 0);
        long bytes = state.readyBytes() + state.undecidedBytes() + (keepsDying ? state.keptBytes() : 0);
        if (before == LatestPerKey.NOTHING) {
            return messages >= limits.messages().orElse(NO_LIMIT)
                    || bytes + message.body().length() > limits.bytes().orElse(NO_LIMIT);
        }
        long growth = (long) message.body().length() - before;
        return growth > 0 && bytes + growth > limits.bytes().orElse(NO_LIMIT);
    }

    /** Whether the queue holds more than it may and is to drop its oldest. */
    boolean isOverfull() {
        QueueLimits limits = settings.limits();
        return limits.overflow() == Overflow.DROP_HEAD
                && state.ready() > 0
                && (state.ready() > limits.messages().orElse(NO_LIMIT)
                        || state.readyBytes() > limits.bytes().orElse(NO_LIMIT));
    }

    void refuse(
            Message message, Envelope envelope, Annotations annotations, @Nullable Publisher publisher, long number) {
        counters.refused++;
        DeadLetter to = settings.deadLetter();
        if (settings.limits().overflow() == Overflow.REJECT_PUBLISH_DEAD_LETTER && to != null) {
            effects.deadLetter(NOWHERE, DeathReason.MAXLEN, to, message, envelope, annotations);
        }
        if (publisher != null) {
            effects.answer(publisher, number, false);
        }
    }

    void take(
            Message message,
            Envelope envelope,
            Annotations annotations,
            @Nullable Publisher publisher,
            long number,
            long now) {
        long position = state.tail();
        long stamp = Math.max(now, state.lastStamp());
        boolean durable = effects.append(position, stamp, message, envelope, annotations);
        state.enqueued(position, stamp, envelope, message.body().length());
        expiry.came(position, stamp, envelope);
        if (latest != null) {
            latest.came(envelope.routingKey(), position, message.body().length());
        }
        counters.published++;
        answer(publisher, number, durable);
    }

    /** What the key of a message without a body has in a table is to go. */
    void erase(LatestPerKey from, Envelope envelope, @Nullable Publisher publisher, long number) {
        RoutingKey key = envelope.routingKey();
        long below = state.tail();
        boolean durable = effects.erased(key, below, envelope.durable());
        from.erase(key, below);
        counters.published++;
        answer(publisher, number, durable);
    }

    private void answer(@Nullable Publisher publisher, long number, boolean durable) {
        if (publisher == null) {
            return;
        }
        if (durable) {
            effects.answer(publisher, number, true);
        } else {
            effects.answerWhenDurable(publisher, number);
        }
    }
}
