package org.entrepot.stomp;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of one session that the client has not settled: by number, of which subscription each is and where it stands
 * in that one's queue. Owned by the session's loop.
 *
 * <p>Numbers count from 1, so they index a ring: no object for a delivery, and nothing at all before the first one. One old
 * delivery that is never settled must not make the ring as long as everything delivered since; where the ring is full
 * but mostly settled, what is left of its older half moves to a sorted map.
 */
final class UnsettledDeliveries {

    /** Entries the ring begins with. */
    static final int CAPACITY_MIN = 16;

    /** A ring of more entries than this is given back when it runs empty. */
    static final int CAPACITY_KEPT = 4096;

    private long next = 1;
    /** No delivery in the ring has a lower number; those that do are stragglers. */
    private long low = 1;

    private int inRing;
    private @Nullable Subscription[] subscriptions = new Subscription[0];
    private long[] positions = new long[0];
    private final TreeMap<Long, Straggler> stragglers = new TreeMap<>();

    private record Straggler(Subscription subscription, long position) {}

    /** Takes what is settled, in the order of numbers. */
    @FunctionalInterface
    interface Taker {
        void take(Subscription subscription, long position);
    }

    /** Gives a delivery its number and remembers it until it is settled. */
    long add(Subscription subscription, long position) {
        if (inRing == 0) {
            low = next;
        }
        if (next - low == subscriptions.length) {
            makeRoom();
        }
        int slot = slot(next);
        subscriptions[slot] = subscription;
        positions[slot] = position;
        inRing++;
        return next++;
    }

    /** Gives a number to a delivery that is settled by being delivered. */
    long skip() {
        // An empty ring begins wherever the next entry comes; otherwise the slot must be there, as a hole.
        if (inRing > 0 && next - low == subscriptions.length) {
            makeRoom();
        }
        return next++;
    }

    /** How many deliveries are unsettled. */
    int size() {
        return inRing + stragglers.size();
    }

    /** Places that the ring has. */
    int capacity() {
        return subscriptions.length;
    }

    /** Hands one delivery to {@code taker} and forgets it; nothing happens where it is not unsettled. */
    void take(long number, Taker taker) {
        if (number < low || inRing == 0) {
            Straggler straggler = stragglers.remove(number);
            if (straggler == null) {
                return;
            }
            taker.take(straggler.subscription, straggler.position);
            return;
        }
        if (number >= next) {
            return;
        }
        int slot = slot(number);
        Subscription subscription = subscriptions[slot];
        if (subscription == null) {
            return;
        }
        remove(slot);
        taker.take(subscription, positions[slot]);
        trim();
    }

    /**
     * Hands every delivery up to {@code number}, which is one, to {@code taker} and forgets them.
     */
    void takeUpTo(long number, Taker taker) {
        assert find(number) != null;
        takeStragglers(number, taker);
        if (number >= low) {
            takeFromRing(number, taker);
        }
    }

    /** The subscription of a delivery that is unsettled; null for any other number. */
    @Nullable Subscription find(long number) {
        if (number < low || inRing == 0) {
            Straggler straggler = stragglers.get(number);
            return straggler == null ? null : straggler.subscription;
        }
        return number < next ? subscriptions[slot(number)] : null;
    }

    private void takeStragglers(long upTo, Taker taker) {
        while (!stragglers.isEmpty() && stragglers.firstKey() <= upTo) {
            var first = stragglers.pollFirstEntry();
            taker.take(first.getValue().subscription, first.getValue().position);
        }
    }

    private void takeFromRing(long upTo, Taker taker) {
        for (long number = low; inRing > 0 && number <= upTo; number++) {
            int slot = slot(number);
            Subscription subscription = subscriptions[slot];
            if (subscription != null) {
                remove(slot);
                taker.take(subscription, positions[slot]);
            }
            low = number + 1;
        }
        trim();
    }

    private void remove(int slot) {
        subscriptions[slot] = null;
        inRing--;
    }

    /** Moves {@code low} up to the oldest delivery in the ring, and gives a large empty ring back. */
    private void trim() {
        if (inRing == 0) {
            low = next;
            if (subscriptions.length > CAPACITY_KEPT) {
                subscriptions = new Subscription[0];
                positions = new long[0];
            }
            return;
        }
        while (subscriptions[slot(low)] == null) {
            low++;
        }
    }

    private void makeRoom() {
        if (subscriptions.length == 0) {
            subscriptions = new Subscription[CAPACITY_MIN];
            positions = new long[CAPACITY_MIN];
        } else if (inRing <= subscriptions.length / 4) {
            moveOlderHalf();
        } else {
            grow();
        }
    }

    private void moveOlderHalf() {
        long middle = low + subscriptions.length / 2;
        for (long number = low; number < middle; number++) {
            int slot = slot(number);
            Subscription subscription = subscriptions[slot];
            if (subscription != null) {
                stragglers.put(number, new Straggler(subscription, positions[slot]));
                remove(slot);
            }
        }
        if (inRing == 0) {
            low = next;
        } else {
            low = middle;
            trim();
        }
    }

    private void grow() {
        int capacity = Math.multiplyExact(subscriptions.length, 2);
        Subscription[] moreSubscriptions = new Subscription[capacity];
        long[] morePositions = new long[capacity];
        for (long number = low; number < next; number++) {
            int from = slot(number);
            int to = (int) number & (capacity - 1);
            moreSubscriptions[to] = subscriptions[from];
            morePositions[to] = positions[from];
        }
        subscriptions = moreSubscriptions;
        positions = morePositions;
    }

    private int slot(long number) {
        return (int) number & (subscriptions.length - 1);
    }
}
