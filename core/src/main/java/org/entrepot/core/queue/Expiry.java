package org.entrepot.core.queue;

import java.util.OptionalLong;
import org.entrepot.spi.message.Envelope;

/**
 * Which ready entries have waited too long. Part of a queue's state.
 *
 * <p>The queue's own time to live needs no index: of each priority the first ready entry came first, so it expires first.
 * Entries that bring a time of their own are kept by instant, and so expire on time wherever they stand.
 */
final class Expiry {
    static final long NEVER = Long.MAX_VALUE;

    /** Entries in an index beyond twice those that may be in it, before it is cleared of those that are gone. */
    private static final int SLACK = 64;

    /** The instant that is known of an entry whose own time has come while somebody held it. */
    private static final long LONG_AGO = 0;

    private final QueueState state;
    private final Entries entries;
    private final Deadlines deadlines = new Deadlines();
    /** Entries whose own time came while they were not ready: should they come back, they are too late. */
    private final PositionSet overdue = new PositionSet();

    private OptionalLong messageTtlMillis;

    Expiry(QueueState state, Entries entries, OptionalLong messageTtlMillis) {
        this.state = state;
        this.entries = entries;
        this.messageTtlMillis = messageTtlMillis;
    }

    void messageTtl(OptionalLong millis) {
        messageTtlMillis = millis;
    }

    /** An entry came. */
    void came(long position, long stamp, Envelope envelope) {
        if (envelope.ttlMillis() != Envelope.NO_TTL) {
            isDue(later(stamp, envelope.ttlMillis()), position);
        }
    }

    /** An entry expires at this instant because of what it brought. */
    void isDue(long instant, long position) {
        if (deadlines.size() > 2 * state.entries() + SLACK) {
            deadlines.retain(state::isThere);
        }
        deadlines.add(instant, position);
    }

    /** An entry is ready again; it may be out of memory. */
    void cameBack(long position) {
        if (!overdue.isEmpty() && overdue.remove(position)) {
            deadlines.add(LONG_AGO, position);
        }
    }

    /** Whether a ready entry must no longer be delivered. One with a time of 0 may be, in the instant it came. */
    boolean isOver(long position, long now) {
        return instantOf(position) < now;
    }

    /**
     * A ready entry whose time is up, or {@link ReadySet#NONE}. May also be one that is not in memory, and whose time is
     * therefore unknown.
     */
    long next(long now) {
        while (deadlines.first() <= now) {
            long position = deadlines.firstPosition();
            if (state.isReady(position)) {
                return position;
            }
            deadlines.removeFirst();
            if (state.isThere(position)) {
                passedBy(position);
            }
        }
        if (messageTtlMillis.isPresent()) {
            for (int lane = 0; lane < state.lanes(); lane++) {
                long first = state.firstOf(lane);
                if (first != ReadySet.NONE && (entries.message(first) == null || instantOf(first) <= now)) {
                    return first;
                }
            }
        }
        return ReadySet.NONE;
    }

    private void passedBy(long position) {
        overdue.add(position);
        if (overdue.size() > 2 * (state.entries() - state.ready()) + SLACK) {
            for (long each = overdue.first(); each != PositionSet.NONE; each = overdue.next(each + 1)) {
                if (!state.isThere(each)) {
                    overdue.remove(each);
                }
            }
        }
    }

    /** When {@link #next} will have something, apart from what is not in memory. */
    long nextInstant() {
        long instant = deadlines.first();
        if (messageTtlMillis.isPresent()) {
            for (int lane = 0; lane < state.lanes(); lane++) {
                long first = state.firstOf(lane);
                if (first != ReadySet.NONE && entries.message(first) != null) {
                    instant = Math.min(instant, instantOf(first));
                }
            }
        }
        return instant;
    }

    /** Entries in the index. */
    int indexed() {
        return deadlines.size();
    }

    /** Shows by when entries expire because of what they brought; also of some that are gone. */
    void each(Deadlines.Visitor visitor) {
        deadlines.each(visitor);
        for (long each = overdue.first(); each != PositionSet.NONE; each = overdue.next(each + 1)) {
            visitor.due(LONG_AGO, each);
        }
    }

    private long instantOf(long position) {
        long own = entries.envelope(position).ttlMillis();
        long ttl = messageTtlMillis.orElse(NEVER);
        if (own != Envelope.NO_TTL) {
            ttl = Math.min(ttl, own);
        }
        return later(entries.stamp(position), ttl);
    }

    /** The instant so many milliseconds after another, or {@link #NEVER} beyond the end of time. */
    static long later(long instant, long millis) {
        long sum = instant + millis;
        return sum < instant ? NEVER : sum;
    }
}
