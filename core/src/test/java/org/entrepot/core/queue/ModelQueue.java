package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.topology.QueueLimits.Overflow;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * What a queue is to contain, kept in the plainest way from what its machine says it does: the reality that invariants
 * compare with.
 */
final class ModelQueue {

    /** Where an entry is. */
    enum Place {
        /** Of a transaction that is not decided. */
        UNDECIDED,
        READY,
        HELD,
        /** Settled in a transaction that is not decided. */
        SETTLING,
        DYING
    }

    /** One entry. */
    static final class Entry {
        final long position;
        final long stamp;
        final Message message;
        final Envelope envelope;
        final @Nullable Publisher publisher;
        final long number;
        final int lane;
        Place place = Place.READY;
        /** Who holds it: a session, through a consumer or by pulling. */
        @Nullable Object session;

        @Nullable QueueConsumer consumer;

        long heldSince;
        /** Failures once it was returned, before that {@link ReturnCounts#NEVER}. */
        int returns = ReturnCounts.NEVER;
        /** It was delivered to somebody who need not settle it. */
        boolean settledByDelivery;
        /** A transaction has sent it to the dead-letter exchange. */
        boolean condemned;

        Entry(
                long position,
                long stamp,
                Message message,
                Envelope envelope,
                @Nullable Publisher publisher,
                long number,
                int lane) {
            this.position = position;
            this.stamp = stamp;
            this.message = message;
            this.envelope = envelope;
            this.publisher = publisher;
            this.number = number;
            this.lane = lane;
        }

        /** The same entry, as it was when it came. */
        Entry asItCame() {
            return new Entry(position, stamp, message, envelope, publisher, number, lane);
        }

        @Override
        public String toString() {
            return position + "=" + TestMessages.name(message) + " " + place;
        }
    }

    /** What the machine was told to do and is doing. */
    record Command(
            Kind kind,
            @Nullable Object session,
            long from,
            long to,
            @Nullable Outcome outcome,
            boolean taken) {
        enum Kind {
            SETTLE,
            RELEASE,
            DEAD_LETTERED,
            PURGE,
            PREPARE,
            GIVE_UP,
            RESUME,
            OTHER
        }

        static final Command OTHER = new Command(Kind.OTHER, null, 0, 0, null, false);

        boolean settles(Entry entry) {
            return kind == Kind.SETTLE && entry.session == session && entry.position >= from && entry.position <= to;
        }

        boolean releases(Entry entry) {
            return kind == Kind.RELEASE && entry.session == session;
        }

        /** Whether it gives up the transaction that settles the entry: at once where the queue is full. */
        boolean givesUp(Entry entry) {
            return (kind == Kind.GIVE_UP || kind == Kind.PREPARE) && entry.session == session;
        }

        /** Whether it returns the entry as one that failed. */
        boolean fails(Entry entry) {
            return releases(entry) || (settles(entry) && outcome == Outcome.MODIFIED);
        }
    }

    final String name;
    private final QueueState state;
    final TreeMap<Long, Entry> entries = new TreeMap<>();
    final List<QueueConsumer> consumers = new ArrayList<>();
    final Map<QueueConsumer, Long> byteCredit = new HashMap<>();
    final Map<QueueConsumer, Integer> windows = new HashMap<>();
    QueueSpec spec;

    @Nullable QueueConsumer active;

    Command command = Command.OTHER;
    long now;
    long lastUsed;
    boolean deleted;
    boolean abandoned;
    long published;
    long delivered;
    long redelivered;
    long acknowledged;
    long returned;
    long refused;
    long purged;
    long deadLettered;
    /** Entries that were neither settled nor purged: rejected, expired, too many, or failed too often. */
    long dropped;

    ModelQueue(String name, QueueSpec spec, QueueState state) {
        this.name = name;
        this.state = state;
        this.spec = spec;
    }

    Entry get(long position) {
        Entry entry = entries.get(position);
        if (entry == null) {
            throw new AssertionError("entry " + position + " of " + name + " is gone or never was");
        }
        return entry;
    }

    List<Entry> in(Place place) {
        return entries.values().stream().filter(entry -> entry.place == place).toList();
    }

    int count(Place place) {
        int count = 0;
        for (Entry entry : entries.values()) {
            count += entry.place == place ? 1 : 0;
        }
        return count;
    }

    long bytes(Place place) {
        long bytes = 0;
        for (Entry entry : entries.values()) {
            bytes += entry.place == place ? entry.message.body().length() : 0;
        }
        return bytes;
    }

    int heldBy(QueueConsumer consumer) {
        int held = 0;
        for (Entry entry : entries.values()) {
            held += entry.place == Place.HELD && entry.consumer == consumer ? 1 : 0;
        }
        return held;
    }

    /**
     * The ready entry that is to go first: of the highest priority the oldest. What the machine has dropped and not told of
     * yet is passed over: when it tells, it must have had a reason.
     */
    @Nullable Entry first() {
        Entry first = null;
        for (Entry entry : entries.values()) {
            if (entry.place == Place.READY
                    && (first == null || entry.lane > first.lane)
                    && state.isReady(entry.position)) {
                first = entry;
            }
        }
        return first;
    }

    /** Whether nothing that is still ready is to go before an entry. */
    boolean goesBeforeTheOthers(Entry entry) {
        Entry first = first();
        return first == null
                || entry.lane > first.lane
                || (entry.lane == first.lane && entry.position <= first.position);
    }

    /** When an entry expires. */
    long due(Entry entry) {
        long ttl = spec.limits().messageTtlMillis().orElse(Long.MAX_VALUE);
        if (entry.envelope.ttlMillis() != Envelope.NO_TTL) {
            ttl = Math.min(ttl, entry.envelope.ttlMillis());
        }
        return ttl == Long.MAX_VALUE ? Long.MAX_VALUE : entry.stamp + ttl;
    }

    boolean isOverfull() {
        int ready = count(Place.READY);
        return spec.limits().overflow() == Overflow.DROP_HEAD
                && ready > 0
                && (ready > spec.limits().messages().orElse(Long.MAX_VALUE)
                        || bytes(Place.READY) > spec.limits().bytes().orElse(Long.MAX_VALUE));
    }

    /** Whether one more failure is more than the entry is allowed. */
    boolean failsForGood(Entry entry) {
        return Math.max(0, entry.returns) + 1 > spec.deliveryLimit().orElse(Integer.MAX_VALUE);
    }

    int laneOf(Envelope envelope) {
        int priority = envelope.priority() == Envelope.NO_PRIORITY ? spec.defaultPriority() : envelope.priority();
        return Math.min(priority, spec.priorities() - 1);
    }

    boolean serves(QueueConsumer consumer) {
        return !spec.singleActiveConsumer() || consumer == active;
    }
}
