package org.entrepot.amqp.v091;

import java.util.Arrays;
import org.entrepot.spi.session.SessionListener.Receipt;

/**
 * Publisher confirms of one channel: turns the session's receipts into as few basic.ack and basic.nack as is correct.
 * Owned by the channel's loop.
 *
 * <p>Numbers count from 1 at confirm.select. Receipts may come in any order, and {@code multiple} covers everything
 * below: it is used only where everything below has its receipt. What lies above a gap is told one by one, at once,
 * because the gap may take long.
 */
final class Confirms {
    private static final byte NOTHING = 0;
    private static final byte STORED = 1;
    private static final byte REFUSED = 2;
    private static final byte TOLD = 3;

    /** Places the ring of states begins with. */
    static final int CAPACITY_MIN = 64;

    /** A larger ring is given back when it is no longer needed. */
    static final int CAPACITY_KEPT = 4096;

    /** The session's number of the last publish before the first that is confirmed. */
    private final long offset;

    private final Sink sink;

    /** Everything below was told to the client. */
    private long low = 1;

    /** Everything in {@code [low, next)} has the same receipt {@link #inOrder}, while the ring is not in use. */
    private long next = 1;

    private byte inOrder = STORED;

    /** The states of {@code [low, top)} while in use. */
    private boolean ringInUse;

    private byte[] ring = new byte[0];
    private long top = 1;

    /** Pairs of first and last of what has come since the last time anything was told, while the ring is in use. */
    private long[] fresh = new long[8];

    private int freshLength;

    /** Takes what is to be sent. */
    interface Sink {
        void ack(long number, boolean multiple);

        void nack(long number, boolean multiple);
    }

    /** Confirms for publishes after the session's publish {@code offset}. */
    Confirms(long offset, Sink sink) {
        this.offset = offset;
        this.sink = sink;
    }

    /** Takes a receipt, in the session's numbers. */
    void receipts(long firstOfSession, long lastOfSession, Receipt receipt) {
        long first = Math.max(1, firstOfSession - offset);
        long last = lastOfSession - offset;
        if (last < first) {
            return;
        }
        byte state = receipt == Receipt.STORED ? STORED : REFUSED;
        if (!ringInUse) {
            if (first == next && (next == low || state == inOrder)) {
                inOrder = state;
                next = last + 1;
                return;
            }
            useRing();
        }
        mark(first, last, state);
        addFresh(first, last);
    }

    /** Whether there is anything to tell. */
    boolean due() {
        return ringInUse ? freshLength > 0 : next > low;
    }

    /** Tells what has come since the last time. */
    void tell() {
        if (!ringInUse) {
            if (next > low) {
                run(inOrder, next - 1, next - low > 1);
                low = next;
            }
            return;
        }
        tellPrefix();
        tellAboveGap();
        freshLength = 0;
        if (low == top) {
            ringInUse = false;
            next = low;
            if (ring.length > CAPACITY_KEPT) {
                ring = new byte[0];
            }
        }
    }

    private void tellPrefix() {
        byte run = NOTHING;
        int length = 0;
        long end = low;
        while (low < top) {
            int slot = slot(low);
            byte state = ring[slot];
            if (state == NOTHING) {
                break;
            }
            if (state != TOLD) {
                if (state != run && length > 0) {
                    run(run, end, length > 1);
                    length = 0;
                }
                run = state;
                end = low;
                length++;
            }
            ring[slot] = NOTHING;
            low++;
        }
        if (length > 0) {
            run(run, end, length > 1);
        }
    }

    private void tellAboveGap() {
        for (int i = 0; i < freshLength; i += 2) {
            for (long number = Math.max(low, fresh[i]); number <= fresh[i + 1]; number++) {
                int slot = slot(number);
                byte state = ring[slot];
                if (state == STORED || state == REFUSED) {
                    run(state, number, false);
                    ring[slot] = TOLD;
                }
            }
        }
    }

    private void run(byte state, long number, boolean multiple) {
        if (state == STORED) {
            sink.ack(number, multiple);
        } else {
            sink.nack(number, multiple);
        }
    }

    private void useRing() {
        ringInUse = true;
        top = low;
        if (next > low) {
            mark(low, next - 1, inOrder);
            addFresh(low, next - 1);
        }
    }

    private void mark(long first, long last, byte state) {
        ensure(last - low + 1);
        for (long number = first; number <= last; number++) {
            assert ring[slot(number)] == NOTHING : "a second receipt for " + number;
            ring[slot(number)] = state;
        }
        top = Math.max(top, last + 1);
    }

    private void ensure(long places) {
        if (places <= ring.length) {
            return;
        }
        int capacity = Math.max(CAPACITY_MIN, ring.length);
        while (capacity < places) {
            capacity = Math.multiplyExact(capacity, 2);
        }
        byte[] larger = new byte[capacity];
        for (long number = low; number < top; number++) {
            larger[(int) number & (capacity - 1)] = ring[slot(number)];
        }
        ring = larger;
    }

    private void addFresh(long first, long last) {
        if (freshLength > 0 && fresh[freshLength - 1] == first - 1) {
            fresh[freshLength - 1] = last;
            return;
        }
        if (freshLength == fresh.length) {
            fresh = Arrays.copyOf(fresh, fresh.length * 2);
        }
        fresh[freshLength++] = first;
        fresh[freshLength++] = last;
    }

    private int slot(long number) {
        return (int) number & (ring.length - 1);
    }
}
