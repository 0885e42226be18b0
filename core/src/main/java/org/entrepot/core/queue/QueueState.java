package org.entrepot.core.queue;

import java.util.function.LongConsumer;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;

/**
 * What a queue's records say: which entries are in it, which of them are ready, and how often they were returned. The
 * only writer of this state; the same methods serve a living queue, a restart and a replica. Owned by the queue's home
 * loop.
 *
 * <p>Entries that are neither ready nor gone are held ({@link Leases}) or dying ({@link #dying}): that no record says, and
 * after a restart they are ready.
 */
final class QueueState {
    private final Entries entries;
    private final ReadySet[] lanes;
    private final int defaultPriority;
    private final Leases leases = new Leases();
    private final ReturnCounts returns = new ReturnCounts();
    /** Entries on their way to a dead-letter exchange. */
    private final PositionSet dying = new PositionSet();

    private long tail;
    private long lastStamp;
    private int ready;
    private long readyBytes;
    private long dyingBytes;

    QueueState(Entries entries, int priorities, int defaultPriority) {
        this.entries = entries;
        this.lanes = new ReadySet[priorities];
        for (int i = 0; i < priorities; i++) {
            lanes[i] = new ReadySet();
        }
        this.defaultPriority = Math.min(defaultPriority, priorities - 1);
    }

    // Records. Each may be applied wherever the entry stands.

    /** An entry came. */
    void enqueued(long position, long stamp, Envelope envelope, int bytes) {
        assert position >= tail;
        tail = position + 1;
        lastStamp = stamp;
        addReady(position, envelope, bytes);
    }

    /** An entry is gone. */
    void settled(long position) {
        if (!leases.remove(position)) {
            if (dying.remove(position)) {
                dyingBytes -= message(position).size();
            } else {
                removeReady(
                        position, entries.envelope(position), message(position).size());
            }
        }
        returns.remove(position);
    }

    /** The same for an entry that is known to be ready, and of which this is known. */
    void settledReady(long position, Envelope envelope, int bytes) {
        removeReady(position, envelope, bytes);
        returns.remove(position);
    }

    /** An entry is ready again, and has failed so often. */
    void returned(long position, int failures) {
        if (leases.remove(position)) {
            addReady(position, entries.envelope(position), message(position).size());
        }
        returns.put(position, failures);
    }

    // What no record keeps.

    /** A ready entry is held from now on. */
    void lease(long position, Holder holder, long deadline, Envelope envelope, int bytes) {
        removeReady(position, envelope, bytes);
        leases.put(position, holder, deadline);
    }

    /** An entry, ready or held, is dying from now on. */
    void die(long position) {
        int bytes = message(position).size();
        if (!leases.remove(position)) {
            removeReady(position, entries.envelope(position), bytes);
        }
        dying.add(position);
        dyingBytes += bytes;
    }

    /** All ready entries are gone, in memory or not; each is told of in the order of delivery. */
    void settledAllReady(LongConsumer settled) {
        for (int lane = lanes.length - 1; lane >= 0; lane--) {
            for (long position = lanes[lane].first(); position != ReadySet.NONE; position = lanes[lane].first()) {
                lanes[lane].remove(position);
                returns.remove(position);
                settled.accept(position);
            }
        }
        ready = 0;
        readyBytes = 0;
    }

    private void addReady(long position, Envelope envelope, int bytes) {
        lanes[laneOf(envelope)].add(position);
        ready++;
        readyBytes += bytes;
    }

    private void removeReady(long position, Envelope envelope, int bytes) {
        boolean wasReady = lanes[laneOf(envelope)].remove(position);
        assert wasReady : position + " was not ready";
        ready--;
        readyBytes -= bytes;
    }

    private int laneOf(Envelope envelope) {
        if (lanes.length == 1) {
            return 0;
        }
        int priority = envelope.priority();
        return priority == Envelope.NO_PRIORITY ? defaultPriority : Math.min(priority, lanes.length - 1);
    }

    private Message message(long position) {
        Message message = entries.message(position);
        if (message == null) {
            throw new IllegalStateException("entry " + position + " is not in memory");
        }
        return message;
    }

    // What is asked.

    /** The position that the next entry gets. */
    long tail() {
        return tail;
    }

    long lastStamp() {
        return lastStamp;
    }

    int ready() {
        return ready;
    }

    long readyBytes() {
        return readyBytes;
    }

    Leases leases() {
        return leases;
    }

    boolean isDying(long position) {
        return dying.contains(position);
    }

    int dying() {
        return dying.size();
    }

    long dyingBytes() {
        return dyingBytes;
    }

    /** Failures of an entry that was returned, or {@link ReturnCounts#NEVER}. */
    int returns(long position) {
        return returns.get(position);
    }

    boolean isReady(long position) {
        for (ReadySet lane : lanes) {
            if (lane.contains(position)) {
                return true;
            }
        }
        return false;
    }

    /** The ready entry to be delivered first, or {@link ReadySet#NONE}. */
    long first() {
        for (int lane = lanes.length - 1; lane >= 0; lane--) {
            long first = lanes[lane].first();
            if (first != ReadySet.NONE) {
                return first;
            }
        }
        return ReadySet.NONE;
    }

    int lanes() {
        return lanes.length;
    }

    /** The first ready entry of one priority, or {@link ReadySet#NONE}. */
    long firstOf(int lane) {
        return lanes[lane].first();
    }
}
