package org.entrepot.core.queue;

import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.topology.DeadLetter;
import org.jspecify.annotations.Nullable;

/**
 * How entries leave a queue: settled, dropped, or by way of a dead-letter exchange. Part of a {@link QueueMachine}.
 *
 * <p>What is settled one after the other is told as one range: every command that may settle ends with {@link #tell}.
 */
final class Exits {
    private static final long NOTHING = -1;

    private final QueueState state;
    private final Entries entries;
    private final QueueEffects effects;
    private final QueueCounters counters;

    /** Settled positions that have not been told yet. */
    private long runFrom;

    private long runTo = NOTHING;

    Exits(QueueState state, Entries entries, QueueEffects effects, QueueCounters counters) {
        this.state = state;
        this.entries = entries;
        this.effects = effects;
        this.counters = counters;
    }

    /** An entry is done with. */
    void settle(long position) {
        state.settled(position);
        settled(position);
    }

    /** A ready entry, of which this is known, is done with. */
    void settleReady(long position, Envelope envelope, int bytes) {
        state.settledReady(position, envelope, bytes);
        settled(position);
    }

    /** All ready entries are done with. */
    void settleAllReady() {
        state.settledAllReady(this::settled);
    }

    /** An entry, ready or held, is not to be delivered any more. */
    void drop(long position, DeathReason reason, @Nullable DeadLetter to) {
        counters.count(reason);
        if (to == null) {
            settle(position);
            return;
        }
        Message message = entries.message(position);
        if (message == null) {
            throw new IllegalStateException("entry " + position + " is not in memory");
        }
        state.die(position);
        effects.deadLetter(position, reason, to, message, entries.envelope(position), entries.annotations(position));
    }

    /**
     * What became of a dead letter.
     *
     * @param taken whether a queue has it; where not it is gone all the same, unless the queue promises to keep it
     * @return whether it is to be published once more, later
     */
    boolean deadLettered(long position, boolean taken, @Nullable DeadLetter to) {
        if (!state.isDying(position)) {
            return false;
        }
        if (!taken && to != null && to.atLeastOnce()) {
            return true;
        }
        if (taken) {
            counters.deadLettered++;
        }
        settle(position);
        return false;
    }

    private void settled(long position) {
        if (runTo != NOTHING && position == runTo + 1) {
            runTo = position;
        } else {
            tell();
            runFrom = position;
            runTo = position;
        }
    }

    /** Tells what was settled since the last time. */
    void tell() {
        if (runTo != NOTHING) {
            long to = runTo;
            runTo = NOTHING;
            effects.settled(runFrom, to);
        }
    }
}
