package org.entrepot.mqtt;

import org.entrepot.spi.session.QueueHandle;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries that a client has not answered, by packet identifier: a hash table in arrays, for there is one entry a
 * delivery. Owned by the connection's loop.
 */
final class Inflight {
    /** Nothing is under this identifier. */
    static final int NONE = -1;

    /** A PUBACK is to come. */
    static final byte AWAITS_ACK = 1;
    /** A PUBREC is to come. */
    static final byte AWAITS_RECEIVED = 2;
    /** A PUBCOMP is to come. */
    static final byte AWAITS_COMPLETE = 3;
    /** A PUBCOMP is to come, and no queue has it to deliver any more. */
    static final byte AWAITS_COMPLETE_ONLY = 4;
    /** The PUBCOMP has come, and its queue is still to deliver it again. */
    static final byte COMPLETED = 5;

    private static final int IDS = 65_535;
    private static final int CAPACITY_MIN = 16;

    private int[] ids = new int[0];
    private byte[] states = new byte[0];
    private long[] positions = new long[0];
    private @Nullable QueueHandle[] queues = new QueueHandle[0];
    private int size;
    private int next = 1;

    int size() {
        return size;
    }

    /**
     * The identifier of a position of the session's own queue: the same whenever it is delivered, so that a client knows
     * again what it has received. Where that one is in use, by what is 65,535 further, it is another.
     */
    int idOf(long position) {
        int id = (int) (position % IDS) + 1;
        return find(id) == NONE ? id : freeId();
    }

    /** An identifier that is not in use; there are more of them than a client may leave unanswered. */
    int freeId() {
        do {
            next = next % IDS + 1;
        } while (find(next) != NONE);
        return next;
    }

    /** Adds a delivery; the queue is null where it is not known yet. */
    void add(int id, byte state, @Nullable QueueHandle queue, long position) {
        if (size * 2 >= ids.length) {
            grow();
        }
        int slot = slot(id);
        while (ids[slot] != 0) {
            slot = (slot + 1) & (ids.length - 1);
        }
        set(slot, id, state, queue, position);
        size++;
    }

    private void set(int slot, int id, byte state, @Nullable QueueHandle queue, long position) {
        ids[slot] = id;
        states[slot] = state;
        queues[slot] = queue;
        positions[slot] = position;
    }

    /** Where an identifier's delivery is, or {@link #NONE}; good until the next change. */
    int find(int id) {
        if (size == 0) {
            return NONE;
        }
        for (int slot = slot(id); ids[slot] != 0; slot = (slot + 1) & (ids.length - 1)) {
            if (ids[slot] == id) {
                return slot;
            }
        }
        return NONE;
    }

    byte state(int slot) {
        return states[slot];
    }

    void state(int slot, byte state) {
        states[slot] = state;
    }

    long position(int slot) {
        return positions[slot];
    }

    @Nullable QueueHandle queue(int slot) {
        return queues[slot];
    }

    /** The queue of a delivery has become known. */
    void queue(int slot, QueueHandle queue) {
        queues[slot] = queue;
    }

    void remove(int slot) {
        int mask = ids.length - 1;
        int hole = slot;
        int at = (hole + 1) & mask;
        while (ids[at] != 0) {
            int home = slot(ids[at]);
            // Whether the entry may move back into the hole: its home is not between the two.
            if (((at - home) & mask) >= ((at - hole) & mask)) {
                set(hole, ids[at], states[at], queues[at], positions[at]);
                hole = at;
            }
            at = (at + 1) & mask;
        }
        set(hole, 0, (byte) 0, null, 0);
        size--;
    }

    private int slot(int id) {
        return id & (ids.length - 1);
    }

    private void grow() {
        int[] oldIds = ids;
        byte[] oldStates = states;
        QueueHandle[] oldQueues = queues;
        long[] oldPositions = positions;
        int capacity = Math.max(CAPACITY_MIN, oldIds.length * 2);
        ids = new int[capacity];
        states = new byte[capacity];
        queues = new QueueHandle[capacity];
        positions = new long[capacity];
        size = 0;
        for (int i = 0; i < oldIds.length; i++) {
            if (oldIds[i] != 0) {
                add(oldIds[i], oldStates[i], oldQueues[i], oldPositions[i]);
            }
        }
    }
}
