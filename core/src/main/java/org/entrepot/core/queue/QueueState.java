package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * What a queue's records say: which entries are in it, which of them are ready, and how often they were returned. The
 * only writer of this state; the same methods serve a living queue, a restart and a replica. Owned by the queue's home
 * loop.
 *
 * <p>Entries that are neither ready nor gone are held ({@link Leases}) or {@linkplain #dying() dying}: that no record says,
 * and after a restart they are ready. Exceptions are entries of transactions that are not decided, which a restart does not
 * find, and {@linkplain #condemned() those} that a transaction has sent to a dead-letter exchange.
 *
 * <p>None of this looks at messages, which may be out of memory. What a ready entry weighs is known to whoever takes it
 * out; of what a replay says is gone it may not be known, see {@link #left}.
 */
final class QueueState {
    private final ReadySet[] lanes;
    private final int defaultPriority;
    private final Leases leases = new Leases();
    private final ReturnCounts returns = new ReturnCounts();
    /** Entries on their way to a dead-letter exchange, and who holds them: nobody who could settle them. */
    private final Leases dying = new Leases();

    private final Holder nobody = new Holder(this, null);
    /** Those of the dying that a restart must not find ready, and why. */
    private final TreeMap<Long, DeathReason> condemned = new TreeMap<>();

    /** Entries that a restart would not find, wherever they stand; empty where nothing is ever restarted. */
    private final ReadySet passing;

    private final boolean lasts;

    private long tail;
    private long lastStamp;
    private long ready;
    private long readyBytes;
    private long passingBytes;
    private long undecided;
    private long undecidedBytes;
    private int settling;
    private long settlingBytes;
    /** The tail at the newest checkpoint. */
    private long checkpointTail;

    /**
     * An empty queue's.
     *
     * @param lasts whether a restart finds what is durable
     */
    QueueState(int priorities, int defaultPriority, boolean lasts) {
        this(priorities, defaultPriority, lasts, false);
    }

    /**
     * An empty queue's.
     *
     * @param lasts whether a restart finds what is durable
     * @param scattered whether a few entries may stay for ever while the rest comes and goes
     */
    QueueState(int priorities, int defaultPriority, boolean lasts, boolean scattered) {
        this.lasts = lasts;
        this.passing = new ReadySet(scattered);
        this.lanes = new ReadySet[priorities];
        for (int i = 0; i < priorities; i++) {
            lanes[i] = new ReadySet(scattered);
        }
        this.defaultPriority = Math.min(defaultPriority, priorities - 1);
    }

    // Records.

    /** An entry came. */
    void enqueued(long position, long stamp, Envelope envelope, int bytes) {
        assert position >= tail;
        tail = position + 1;
        lastStamp = stamp;
        addReady(position, laneOf(envelope), bytes);
        if (lasts && !envelope.durable()) {
            passing.add(position);
            passingBytes += bytes;
        }
    }

    /** An entry has its place; it is not ready before its transaction is {@linkplain #decided decided}. */
    void prepared(long position, long stamp, int bytes) {
        assert position >= tail;
        tail = position + 1;
        lastStamp = stamp;
        undecided++;
        undecidedBytes += bytes;
    }

    /** The transaction of a prepared entry was committed. */
    void decided(long position, Envelope envelope, int bytes) {
        undecided--;
        undecidedBytes -= bytes;
        addReady(position, laneOf(envelope), bytes);
        if (lasts && !envelope.durable()) {
            passing.add(position);
            passingBytes += bytes;
        }
    }

    /** The transaction of a prepared entry was given up. */
    void givenUp(int bytes) {
        undecided--;
        undecidedBytes -= bytes;
    }

    /** A held entry is settled in a transaction that is not decided: it is dying until then. */
    void settling(long position) {
        settling++;
        settlingBytes += leases.bytes(position);
        die(position);
    }

    /** Such an entry is no longer undecided: it stays dying, or is gone or returned next. */
    void isDecided(long position) {
        settling--;
        settlingBytes -= dying.bytes(position);
    }

    /** An entry that is held, or dying, is gone; gives its size, or 0 where a restart would not have found it. */
    int settled(long position) {
        Leases from = heldOrDying(position);
        int bytes = from.bytes(position);
        from.remove(position);
        return gone(position, bytes);
    }

    /** A ready entry, of which this is known, is gone; gives what {@link #settled} does. */
    int settledReady(long position, Envelope envelope, int bytes) {
        removeReady(position, laneOf(envelope), bytes);
        return gone(position, bytes);
    }

    /** The same in a queue without priorities, where only its bytes are known. */
    int settledReady(long position, int bytes) {
        assert lanes.length == 1;
        removeReady(position, 0, bytes);
        return gone(position, bytes);
    }

    private Leases heldOrDying(long position) {
        if (leases.holder(position) != null) {
            return leases;
        }
        if (!condemned.isEmpty()) {
            condemned.remove(position);
        }
        return dying;
    }

    private int gone(long position, int bytes) {
        returns.remove(position);
        if (passing.isEmpty() || !passing.remove(position)) {
            return bytes;
        }
        passingBytes -= bytes;
        return 0;
    }

    /** An entry that is held, or dying, is ready again, and has failed so often. */
    void returned(long position, int failures) {
        Leases from = heldOrDying(position);
        int lane = from.lane(position);
        int bytes = from.bytes(position);
        from.remove(position);
        addReady(position, lane, bytes);
        returns.put(position, failures);
    }

    /** Positions, both included. */
    @FunctionalInterface
    interface Range {
        void positions(long from, long to);
    }

    /** All ready entries are gone; they are told of priority by priority, each in the order of delivery. */
    void settledAllReady(Range settled) {
        for (int lane = lanes.length - 1; lane >= 0; lane--) {
            ReadySet set = lanes[lane];
            for (long from = set.first(); from != ReadySet.NONE; from = set.first()) {
                long to = set.endOfRun(from) - 1;
                set.removeAll(from, to);
                passing.removeAll(from, to);
                settled.positions(from, to);
            }
        }
        ready = 0;
        readyBytes = 0;
        returns.retain(this::isThere);
        passingBytes = 0;
        for (long left = passing.first(); left != ReadySet.NONE; left = passing.next(left + 1)) {
            passingBytes += (leases.holder(left) == null ? dying : leases).bytes(left);
        }
    }

    /** What is ready of these positions, both included, is gone without a trace; gives how many those are. */
    long lost(long from, long to, Range settled) {
        long before = ready;
        for (ReadySet lane : lanes) {
            for (long first = lane.next(from); first <= to; first = lane.next(first)) {
                long last = Math.min(to, lane.endOfRun(first) - 1);
                ready -= lane.removeAll(first, last);
                settled.positions(first, last);
            }
        }
        passing.removeAll(from, to);
        readyBytes = ready == 0 ? 0 : readyBytes;
        returns.retain(this::isThere);
        return before - ready;
    }

    // Records as a replay tells them, when all entries that are there are ready.

    /** The state was checkpointed, or begins with a checkpoint, that covers everything there is. */
    void checkpointed() {
        checkpointTail = tail;
    }

    /** What a checkpoint begins with. */
    void restored(long newTail, long newLastStamp, long newReadyBytes) {
        tail = newTail;
        lastStamp = newLastStamp;
        readyBytes = newReadyBytes;
    }

    /** These positions of a priority, both included and beyond all others of it, are ready; their bytes are counted. */
    void restoredReady(int lane, long from, long to) {
        lanes[Math.min(lane, lanes.length - 1)].addAll(from, to);
        ready += to - from + 1;
    }

    void restoredReturns(long position, int failures) {
        returns.put(position, failures);
    }

    /** These positions, both included, are gone, as far as they are there. */
    void released(long from, long to) {
        for (ReadySet lane : lanes) {
            ready -= lane.removeAll(from, to);
        }
    }

    /** An entry was returned, and may be gone since. */
    void wasReturned(long position, int failures) {
        if (isReady(position)) {
            returns.put(position, failures);
        }
    }

    /** An entry that may be gone since is on its way to a dead-letter exchange. */
    void wasCondemned(long position, DeathReason reason, int lane, int bytes) {
        if (isReady(position)) {
            int number = Math.min(lane, lanes.length - 1);
            removeReady(position, number, bytes);
            dying.put(position, nobody, Leases.NO_DEADLINE, number, bytes);
            condemned.put(position, reason);
        }
    }

    /** Something has happened that counts for what stands below a position: what comes later gets that one at least. */
    void tailWas(long position) {
        tail = Math.max(tail, position);
    }

    /** Entries of this size are gone that the checkpoint knows. */
    void left(long bytes) {
        readyBytes -= bytes;
    }

    /** Everything was told; what comes now gets this position at least. */
    void replayed(long position) {
        tail = Math.max(tail, position);
        returns.retain(this::isThere);
        if (ready == 0) {
            readyBytes = 0;
        }
    }

    // What no record keeps.

    /** A ready entry is held from now on. */
    void lease(long position, Holder holder, long deadline, Envelope envelope, int bytes) {
        int lane = laneOf(envelope);
        removeReady(position, lane, bytes);
        leases.put(position, holder, deadline, lane, bytes);
    }

    /** A held entry is dying from now on. */
    void die(long position) {
        int lane = leases.lane(position);
        int bytes = leases.bytes(position);
        leases.remove(position);
        dying.put(position, nobody, Leases.NO_DEADLINE, lane, bytes);
    }

    /** A ready entry, of which this is known, is dying from now on. */
    void dieReady(long position, Envelope envelope, int bytes) {
        int lane = laneOf(envelope);
        removeReady(position, lane, bytes);
        dying.put(position, nobody, Leases.NO_DEADLINE, lane, bytes);
    }

    /** A dying entry is not to be ready after a restart either. */
    void dies(long position, DeathReason reason) {
        condemned.put(position, reason);
    }

    private void addReady(long position, int lane, int bytes) {
        lanes[lane].add(position);
        ready++;
        readyBytes += bytes;
    }

    private void removeReady(long position, int lane, int bytes) {
        boolean wasReady = lanes[lane].remove(position);
        assert wasReady : position + " was not ready";
        ready--;
        readyBytes = ready == 0 ? 0 : readyBytes - bytes;
    }

    private int laneOf(Envelope envelope) {
        if (lanes.length == 1) {
            return 0;
        }
        int priority = envelope.priority();
        return priority == Envelope.NO_PRIORITY ? defaultPriority : Math.min(priority, lanes.length - 1);
    }

    // What is asked.

    /** The position that the next entry gets. */
    long tail() {
        return tail;
    }

    long lastStamp() {
        return lastStamp;
    }

    long ready() {
        return ready;
    }

    long readyBytes() {
        return readyBytes;
    }

    Leases leases() {
        return leases;
    }

    /** Entries on their way out, which nobody can settle. */
    Leases dying() {
        return dying;
    }

    boolean isDying(long position) {
        return dying.holder(position) != null;
    }

    /** Dying entries that a restart is to find dying. */
    List<Long> condemned() {
        return new ArrayList<>(condemned.keySet());
    }

    /** Why such an entry dies; null for others. */
    @Nullable DeathReason reason(long position) {
        return condemned.get(position);
    }

    /** What a restart would count of an entry that is held. */
    int lastingBytesHeld(long position) {
        return passing.contains(position) ? 0 : leases.bytes(position);
    }

    /** Dying entries that a queue keeps until somebody else has them: not those that are settled in transactions. */
    int kept() {
        return dying.size() - settling;
    }

    long keptBytes() {
        return dying.bytes() - settlingBytes;
    }

    /** Entries of transactions that are not decided. */
    long undecided() {
        return undecided;
    }

    long undecidedBytes() {
        return undecidedBytes;
    }

    /** Positions below were in the newest checkpoint; 0 where there is none. */
    long checkpointTail() {
        return checkpointTail;
    }

    /** Entries that the log keeps. */
    long entries() {
        return ready + leases.size() + dying.size() + undecided;
    }

    /** Bytes of the entries that the log keeps. */
    long bytes() {
        return readyBytes + leases.bytes() + dying.bytes() + undecidedBytes;
    }

    /** The part of {@link #bytes} that a restart finds. */
    long lastingBytes() {
        return bytes() - passingBytes - undecidedBytes;
    }

    /** Entries that a restart would not find. */
    ReadySet passing() {
        return passing;
    }

    ReturnCounts returns() {
        return returns;
    }

    /** Failures of an entry that was returned, or {@link ReturnCounts#NEVER}. */
    int returns(long position) {
        return returns.get(position);
    }

    /** Whether an entry is ready, held or dying. */
    boolean isThere(long position) {
        return leases.holder(position) != null || isDying(position) || isReady(position);
    }

    boolean isReady(long position) {
        for (ReadySet lane : lanes) {
            if (lane.contains(position)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an entry at one of these positions, both included, is ready. */
    boolean isAnyReady(long from, long to) {
        for (ReadySet lane : lanes) {
            if (lane.next(from) <= to) {
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

    /** The first ready entry from a position on of the highest priority that has one, or {@link ReadySet#NONE}. */
    long next(long from) {
        for (int lane = lanes.length - 1; lane >= 0; lane--) {
            long next = lanes[lane].next(from);
            if (next != ReadySet.NONE) {
                return next;
            }
        }
        return ReadySet.NONE;
    }

    /** The least position from another on whose entry is ready or held, or {@link ReadySet#NONE}. */
    long nextReadable(long from) {
        long next = leases.next(from);
        for (ReadySet lane : lanes) {
            next = Math.min(next, lane.next(from));
        }
        return next;
    }

    int lanes() {
        return lanes.length;
    }

    /** The ready entries of one priority. */
    ReadySet lane(int lane) {
        return lanes[lane];
    }

    /** The first ready entry of one priority, or {@link ReadySet#NONE}. */
    long firstOf(int lane) {
        return lanes[lane].first();
    }
}
