package org.entrepot.amqp.v091;

import java.util.TreeMap;
import org.entrepot.spi.session.QueueHandle;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of one channel that the client has not settled: by tag, where each stands in its queue. Owned by the
 * channel's loop.
 *
 * <p>Tags count from 1, so they index a ring: no object for a delivery, and nothing at all before the first one. One old
 * delivery that is never settled must not make the ring as long as everything delivered since; where the ring is full
 * but mostly settled, what is left of its older half moves to a sorted map.
 */
final class DeliveryTags {

    /** Entries the ring begins with. */
    static final int CAPACITY_MIN = 16;

    /** A ring of more entries than this is given back when it runs empty. */
    static final int CAPACITY_KEPT = 4096;

    private long next = 1;
    /** No delivery in the ring has a lower tag; those that do are stragglers. */
    private long low = 1;

    private int inRing;
    private @Nullable QueueHandle[] queues = new QueueHandle[0];
    private long[] positions = new long[0];
    private final TreeMap<Long, Straggler> stragglers = new TreeMap<>();

    private record Straggler(QueueHandle queue, long position) {}

    /** Takes what is settled, in the order of tags. */
    @FunctionalInterface
    interface Taker {
        void take(long tag, QueueHandle queue, long position);
    }

    /** Gives a delivery its tag and remembers it until it is settled. */
    long add(QueueHandle queue, long position) {
        if (inRing == 0) {
            low = next;
        }
        if (next - low == queues.length) {
            makeRoom();
        }
        int slot = slot(next);
        queues[slot] = queue;
        positions[slot] = position;
        inRing++;
        return next++;
    }

    /** Gives a tag to a delivery that is settled by being delivered. */
    long skip() {
        // An empty ring begins wherever the next entry comes; otherwise the slot must be there, as a hole.
        if (inRing > 0 && next - low == queues.length) {
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
        return queues.length;
    }

    /**
     * Hands one delivery to {@code taker} and forgets it.
     *
     * @return whether it was there
     */
    boolean take(long tag, Taker taker) {
        if (tag < low || inRing == 0) {
            Straggler straggler = stragglers.remove(tag);
            if (straggler == null) {
                return false;
            }
            taker.take(tag, straggler.queue, straggler.position);
            return true;
        }
        if (tag >= next) {
            return false;
        }
        int slot = slot(tag);
        QueueHandle queue = queues[slot];
        if (queue == null) {
            return false;
        }
        remove(slot);
        taker.take(tag, queue, positions[slot]);
        trim();
        return true;
    }

    /**
     * Hands every delivery up to {@code tag} to {@code taker} and forgets them. The tag itself must be unsettled.
     *
     * @return whether it was; if not, nothing was taken
     */
    boolean takeUpTo(long tag, Taker taker) {
        if (!contains(tag)) {
            return false;
        }
        takeStragglers(tag, taker);
        if (tag >= low) {
            takeFromRing(tag, taker);
        }
        return true;
    }

    /** Hands all deliveries to {@code taker} and forgets them. */
    void takeAll(Taker taker) {
        takeStragglers(Long.MAX_VALUE, taker);
        takeFromRing(next - 1, taker);
    }

    /** Brings back a delivery that was taken. */
    void restore(long tag, QueueHandle queue, long position) {
        assert tag < next && !contains(tag);
        if (inRing > 0 && tag >= low) {
            int slot = slot(tag);
            queues[slot] = queue;
            positions[slot] = position;
            inRing++;
        } else {
            stragglers.put(tag, new Straggler(queue, position));
        }
    }

    private boolean contains(long tag) {
        if (tag < low || inRing == 0) {
            return stragglers.containsKey(tag);
        }
        return tag < next && queues[slot(tag)] != null;
    }

    private void takeStragglers(long upTo, Taker taker) {
        while (!stragglers.isEmpty() && stragglers.firstKey() <= upTo) {
            var first = stragglers.pollFirstEntry();
            taker.take(first.getKey(), first.getValue().queue, first.getValue().position);
        }
    }

    private void takeFromRing(long upTo, Taker taker) {
        for (long tag = low; inRing > 0 && tag <= upTo; tag++) {
            int slot = slot(tag);
            QueueHandle queue = queues[slot];
            if (queue != null) {
                remove(slot);
                taker.take(tag, queue, positions[slot]);
            }
            low = tag + 1;
        }
        trim();
    }

    private void remove(int slot) {
        queues[slot] = null;
        inRing--;
    }

    /** Moves {@code low} up to the oldest delivery in the ring, and gives a large empty ring back. */
    private void trim() {
        if (inRing == 0) {
            low = next;
            if (queues.length > CAPACITY_KEPT) {
                queues = new QueueHandle[0];
                positions = new long[0];
            }
            return;
        }
        while (queues[slot(low)] == null) {
            low++;
        }
    }

    private void makeRoom() {
        if (queues.length == 0) {
            queues = new QueueHandle[CAPACITY_MIN];
            positions = new long[CAPACITY_MIN];
        } else if (inRing <= queues.length / 4) {
            moveOlderHalf();
        } else {
            grow();
        }
    }

    private void moveOlderHalf() {
        long middle = low + queues.length / 2;
        for (long tag = low; tag < middle; tag++) {
            int slot = slot(tag);
            QueueHandle queue = queues[slot];
            if (queue != null) {
                stragglers.put(tag, new Straggler(queue, positions[slot]));
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
        int capacity = Math.multiplyExact(queues.length, 2);
        QueueHandle[] moreQueues = new QueueHandle[capacity];
        long[] morePositions = new long[capacity];
        for (long tag = low; tag < next; tag++) {
            int from = slot(tag);
            int to = (int) tag & (capacity - 1);
            moreQueues[to] = queues[from];
            morePositions[to] = positions[from];
        }
        queues = moreQueues;
        positions = morePositions;
    }

    private int slot(long tag) {
        return (int) tag & (queues.length - 1);
    }
}
