package org.entrepot.core.queue;

import java.util.OptionalLong;
import org.entrepot.spi.message.Envelope;

/**
 * Which ready entries have waited too long. Part of a queue's state.
 *
 * <p>The queue's own time to live needs no index: of each priority the first ready entry came first, so it expires first.
 * Entries that bring a shorter time of their own are kept by instant, and so expire on time wherever they stand.
 */
final class Expiry {
    static final long NEVER = Long.MAX_VALUE;

    private final QueueState state;
    private final Entries entries;
    private final Deadlines deadlines = new Deadlines();
    private OptionalLong messageTtlMillis;

    Expiry(QueueState state, Entries entries, OptionalLong messageTtlMillis) {
        this.state = state;
        this.entries = entries;
        this.messageTtlMillis = messageTtlMillis;
    }

    void messageTtl(OptionalLong millis) {
        messageTtlMillis = millis;
    }

    void enqueued(long position, long stamp, Envelope envelope) {
        if (envelope.ttlMillis() != Envelope.NO_TTL && envelope.ttlMillis() < messageTtlMillis.orElse(NEVER)) {
            deadlines.add(stamp + envelope.ttlMillis(), position);
        }
    }

    void returned(long position) {
        Envelope envelope = entries.envelope(position);
        if (envelope.ttlMillis() != Envelope.NO_TTL) {
            deadlines.add(entries.stamp(position) + envelope.ttlMillis(), position);
        }
    }

    /** Whether a ready entry must no longer be delivered. One with a time of 0 may be, in the instant it came. */
    boolean isOver(long position, long now) {
        return instantOf(position) < now;
    }

    /** A ready entry whose time is up, or {@link ReadySet#NONE}. */
    long next(long now) {
        while (deadlines.first() <= now) {
            long position = deadlines.poll();
            if (position < state.tail()
                    && entries.message(position) != null
                    && state.isReady(position, entries.envelope(position))) {
                return position;
            }
        }
        if (messageTtlMillis.isPresent()) {
            for (int lane = 0; lane < state.lanes(); lane++) {
                long first = state.firstOf(lane);
                if (first != ReadySet.NONE && instantOf(first) <= now) {
                    return first;
                }
            }
        }
        return ReadySet.NONE;
    }

    /** When {@link #next} will have something. */
    long nextInstant() {
        long instant = deadlines.first();
        if (messageTtlMillis.isPresent()) {
            for (int lane = 0; lane < state.lanes(); lane++) {
                long first = state.firstOf(lane);
                if (first != ReadySet.NONE) {
                    instant = Math.min(instant, instantOf(first));
                }
            }
        }
        return instant;
    }

    private long instantOf(long position) {
        long own = entries.envelope(position).ttlMillis();
        long ttl = messageTtlMillis.orElse(NEVER);
        if (own != Envelope.NO_TTL) {
            ttl = Math.min(ttl, own);
        }
        return ttl == NEVER ? NEVER : entries.stamp(position) + ttl;
    }
}
