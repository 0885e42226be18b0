package org.entrepot.core.queue;

import java.util.ArrayDeque;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.topology.DeadLetter;
import org.jspecify.annotations.Nullable;

/**
 * How entries leave a queue: settled, dropped, or by way of a dead-letter exchange. Part of a {@link QueueMachine}.
 *
 * <p>What is settled one after the other is told as one range: every command that may settle ends with {@link #tell}. A
 * range lies wholly below the tail of the newest checkpoint or wholly above it.
 */
final class Exits {
    private static final long NOTHING = -1;

    private final QueueState state;
    private final Entries entries;
    private final QueueEffects effects;
    private final QueueCounters counters;
    /** Dead letters that cannot be published before they are loaded. */
    private final ArrayDeque<Unread> unread = new ArrayDeque<>(0);

    /** Settled positions that have not been told yet. */
    private long runFrom;

    private long runTo = NOTHING;
    private long runBytes;

    private record Unread(long position, DeathReason reason, DeadLetter to) {}

    Exits(QueueState state, Entries entries, QueueEffects effects, QueueCounters counters) {
        this.state = state;
        this.entries = entries;
        this.effects = effects;
        this.counters = counters;
    }

    /** An entry that is held, or dying, is done with. */
    void settle(long position) {
        settled(position, state.settled(position));
    }

    /** A ready entry, of which this is known, is done with. */
    void settleReady(long position, Envelope envelope, int bytes) {
        settled(position, state.settledReady(position, envelope, bytes));
    }

    /** A ready entry of a queue without priorities is done with. */
    void settleReady(long position, int bytes) {
        settled(position, state.settledReady(position, bytes));
    }

    /** All ready entries are done with. */
    void settleAllReady() {
        tell();
        long before = state.ready();
        state.settledAllReady((from, to) -> effects.settled(from, to, 0));
        if (before > 0) {
            effects.emptied();
        }
    }

    /** A held entry is not to be delivered any more. */
    void drop(long position, DeathReason reason, @Nullable DeadLetter to) {
        counters.count(reason);
        if (to == null) {
            settle(position);
            return;
        }
        state.die(position);
        publish(position, reason, to);
    }

    /** Publishes a dead letter: as soon as it can be read. */
    void publish(long position, DeathReason reason, DeadLetter to) {
        Message message = unread.isEmpty() ? entries.message(position) : null;
        if (message == null) {
            unread.add(new Unread(position, reason, to));
        } else {
            effects.deadLetter(
                    position, reason, to, message, entries.envelope(position), entries.annotations(position));
        }
    }

    /** A ready entry, which is in memory, is not to be delivered any more. */
    void dropReady(long position, Message message, DeathReason reason, @Nullable DeadLetter to) {
        counters.count(reason);
        Envelope envelope = entries.envelope(position);
        if (to == null) {
            settleReady(position, envelope, message.body().length());
        } else {
            state.dieReady(position, envelope, message.body().length());
            effects.deadLetter(position, reason, to, message, envelope, entries.annotations(position));
        }
    }

    /** Publishes the dead letters that can be read by now; the position of the first that cannot, or NONE. */
    long publishRead() {
        for (Unread first = unread.peek(); first != null; first = unread.peek()) {
            long position = first.position;
            Message message = entries.message(position);
            if (message == null) {
                return position;
            }
            unread.remove();
            effects.deadLetter(
                    position,
                    first.reason,
                    first.to,
                    message,
                    entries.envelope(position),
                    entries.annotations(position));
        }
        return ReadySet.NONE;
    }

    /** Dead letters at these positions, both included, can never be read. */
    void forget(long from, long to) {
        unread.removeIf(letter -> {
            boolean lost = letter.position >= from && letter.position <= to;
            if (lost) {
                settle(letter.position);
            }
            return lost;
        });
        tell();
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

    private void settled(long position, int lastingBytes) {
        if (runTo != NOTHING && position == runTo + 1 && position != state.checkpointTail()) {
            runTo = position;
        } else {
            tell();
            runFrom = position;
            runTo = position;
        }
        runBytes += lastingBytes;
    }

    /** Tells what was settled since the last time. */
    void tell() {
        if (runTo != NOTHING) {
            long to = runTo;
            long bytes = runBytes;
            runTo = NOTHING;
            runBytes = 0;
            effects.settled(runFrom, to, bytes);
        }
    }
}
