package org.entrepot.mqtt;

import org.entrepot.mqtt.wire.Reason;

/**
 * The answers that a client's publishes are to get, in the order in which they came (specification 4.6): a ring in arrays.
 * Owned by the connection's loop.
 *
 * <p>An answer is due when everything that it waits for is done, and is told once those before it are.
 */
final class PendingAnswers {
    private static final int CAPACITY_MIN = 16;

    /** An answer's number while it waits for no receipt; publishes are numbered from 1. */
    private static final long NONE = 0;

    private long[] numbers = new long[0];
    private int[] ids = new int[0];
    private byte[] types = new byte[0];
    private byte[] waits = new byte[0];
    private int[] reasons = new int[0];
    private long low;
    private long next;

    /** Takes answers in order. */
    @FunctionalInterface
    interface Sink {
        /** With a packet type and a code of {@link Reason}. */
        void answer(int type, int packetId, int reason);
    }

    boolean isEmpty() {
        return low == next;
    }

    /** Adds an answer that waits for one thing; gives its place, which it is known by. */
    long add(int type, int packetId) {
        if (next - low == ids.length) {
            grow();
        }
        int slot = slot(next);
        numbers[slot] = NONE;
        ids[slot] = packetId;
        types[slot] = (byte) type;
        waits[slot] = 1;
        reasons[slot] = Reason.SUCCESS;
        return next++;
    }

    /** What an answer waits for is the receipt of the session's publish of this number. */
    void published(long place, long number) {
        numbers[slot(place)] = number;
    }

    /** An answer waits for one thing more. */
    void waitForMore(long place) {
        waits[slot(place)]++;
    }

    /** One thing is done that an answer waited for; a reason other than success stays. */
    void done(long place, int reason) {
        int slot = slot(place);
        waits[slot]--;
        if (reason != Reason.SUCCESS) {
            reasons[slot] = reason;
        }
    }

    /** The session's publishes of these numbers have their receipts. */
    void receipts(long first, long last, int reason) {
        for (long place = low; place < next; place++) {
            int slot = slot(place);
            long number = numbers[slot];
            if (number > last) {
                return;
            }
            if (number >= first) {
                numbers[slot] = NONE;
                done(place, reason);
            }
        }
    }

    /** Tells what is due. */
    void tell(Sink sink) {
        while (low < next && waits[slot(low)] == 0) {
            int slot = slot(low++);
            sink.answer(types[slot], ids[slot], reasons[slot]);
        }
    }

    private int slot(long place) {
        return (int) place & (ids.length - 1);
    }

    private void grow() {
        int capacity = Math.max(CAPACITY_MIN, ids.length * 2);
        long[] moreNumbers = new long[capacity];
        int[] moreIds = new int[capacity];
        byte[] moreTypes = new byte[capacity];
        byte[] moreWaits = new byte[capacity];
        int[] moreReasons = new int[capacity];
        for (long place = low; place < next; place++) {
            int from = slot(place);
            int to = (int) place & (capacity - 1);
            moreNumbers[to] = numbers[from];
            moreIds[to] = ids[from];
            moreTypes[to] = types[from];
            moreWaits[to] = waits[from];
            moreReasons[to] = reasons[from];
        }
        numbers = moreNumbers;
        ids = moreIds;
        types = moreTypes;
        waits = moreWaits;
        reasons = moreReasons;
    }
}
