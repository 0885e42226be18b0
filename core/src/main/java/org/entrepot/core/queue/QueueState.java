package org.entrepot.core.queue;

import org.entrepot.spi.message.Envelope;

/**
 * What a queue's records say: which entries are in it, which of them are ready, and how often they were returned. The
 * only writer of this state; the same methods serve a living queue, a restart and a replica. Owned by the queue's home
 * loop.
 *
 * <p>Entries that are neither ready nor gone are held ({@link Leases}) or dying ({@link #dying}): that no record says, and
 * after a restart they are ready.
 */
final class QueueState {
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

    QueueState(int priorities, int defaultPriority) {
        this.lanes = new ReadySet[priorities];
        for (int i = 0; i < priorities; i++) {
            lanes[i] = new ReadySet();
        }
        this.defaultPriority = Math.min(defaultPriority, priorities - 1);
    }

    // Records.

    /** An entry came. */
    void enqueued(long position, long stamp, Envelope envelope, int bytes) {
        assert position >= tail;
        tail = position + 1;
        lastStamp = stamp;
        lanes[laneOf(envelope)].add(position);
        ready++;
        readyBytes += bytes;
    }

    /** An entry is gone; it was ready. */
    void settledReady(long position, Envelope envelope, int bytes) {
        boolean wasReady = lanes[laneOf(envelope)].remove(position);
        assert wasReady : position + " was not ready";
        returns.remove(position);
        ready--;
        readyBytes -= bytes;
    }

    /** An entry is gone; it was held. */
    void settledHeld(long position) {
        leases.remove(position);
        returns.remove(position);
    }

    /** An entry is gone; it was dying. */
    void settledDying(long position) {
        boolean was = dying.remove(position);
        assert was : position + " was not dying";
        returns.remove(position);
    }

    /** A held entry is ready again, and has failed so often. */
    void returned(long position, int failures, Envelope envelope, int bytes) {
        leases.remove(position);
        returns.put(position, failures);
        lanes[laneOf(envelope)].add(position);
        ready++;
        readyBytes += bytes;
    }

    // What no record keeps.

    /** A ready entry is held from now on. */
    void lease(long position, Holder holder, Envelope envelope, int bytes) {
        boolean wasReady = lanes[laneOf(envelope)].remove(position);
        assert wasReady : position + " was not ready";
        leases.put(position, holder);
        ready--;
        readyBytes -= bytes;
    }

    /** A ready entry is dying from now on. */
    void dieReady(long position, Envelope envelope, int bytes) {
        boolean wasReady = lanes[laneOf(envelope)].remove(position);
        assert wasReady : position + " was not ready";
        dying.add(position);
        ready--;
        readyBytes -= bytes;
    }

    /** A held entry is dying from now on. */
    void dieHeld(long position) {
        leases.remove(position);
        dying.add(position);
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

    /** The least dying position that is at least {@code from}, or {@link PositionSet#NONE}. */
    long nextDying(long from) {
        return dying.next(from);
    }

    /** Failures of an entry that was returned, or {@link ReturnCounts#NEVER}. */
    int returns(long position) {
        return returns.get(position);
    }

    int laneOf(Envelope envelope) {
        if (lanes.length == 1) {
            return 0;
        }
        int priority = envelope.priority();
        return priority == Envelope.NO_PRIORITY ? defaultPriority : Math.min(priority, lanes.length - 1);
    }

    boolean isReady(long position, Envelope envelope) {
        return lanes[laneOf(envelope)].contains(position);
    }

    /** The ready entry to be delivered first, or {@link ReadySet#NONE}. */
    long first() {
        for (int lane = lanes.length - 1; lane >= 0; lane--) {
            if (!lanes[lane].isEmpty()) {
                return lanes[lane].first();
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
