package org.entrepot.core.session;

import org.entrepot.spi.session.SessionListener;
import org.entrepot.spi.session.SessionListener.Receipt;

/**
 * Which publishes of a session still wait for a queue, and what is to be told of the others: a ring by number. Owned by
 * the session's loop.
 */
final class Receipts {
    private static final int SIZE_FIRST = 16;
    private static final int[] NONE = {};

    /** Targets that a publish waits for, by number modulo the length; {@link #REFUSED} is added once one has refused. */
    private int[] remaining = NONE;

    private int[] sizes = NONE;

    private static final int REFUSED = 1 << 30;

    /** All below are answered. */
    private long low = 1;
    /** The number of the next publish. */
    private long next = 1;

    private long bytes;

    /** Answered publishes that the listener has not heard of: one run of numbers with one result. */
    private long runFirst;

    private long runLast;
    private boolean runStored;

    private final SessionListener listener;
    private final OutstandingBytes all;

    /** Receipts of a session, whose bytes are among {@code all}. */
    Receipts(SessionListener listener, OutstandingBytes all) {
        this.listener = listener;
        this.all = all;
    }

    /** The number of the last publish. */
    long published() {
        return next - 1;
    }

    /** Publishes without an answer. */
    long outstanding() {
        return next - low;
    }

    /** Bytes of publishes without an answer. */
    long outstandingBytes() {
        return bytes;
    }

    /** A publish is about to be offered to so many queues; gives its number. */
    long begin(int targets, int size) {
        long number = next;
        if (next - low == remaining.length) {
            grow();
        }
        next++;
        int slot = slot(number);
        remaining[slot] = targets;
        sizes[slot] = size;
        bytes += size;
        all.add(size);
        if (targets == 0) {
            complete(number, slot);
        }
        return number;
    }

    /** One queue has answered. */
    void answered(long number, boolean stored) {
        int slot = slot(number);
        assert number >= low && number < next && (remaining[slot] & ~REFUSED) > 0;
        if (!stored) {
            remaining[slot] |= REFUSED;
        }
        remaining[slot]--;
        if ((remaining[slot] & ~REFUSED) == 0) {
            complete(number, slot);
        }
    }

    private void complete(long number, int slot) {
        boolean stored = (remaining[slot] & REFUSED) == 0;
        remaining[slot] = 0;
        bytes -= sizes[slot];
        all.add(-sizes[slot]);
        sizes[slot] = 0;
        if (runFirst != 0 && number == runLast + 1 && stored == runStored) {
            runLast = number;
        } else {
            tell();
            runFirst = number;
            runLast = number;
            runStored = stored;
        }
        while (low < next && remaining[slot(low)] == 0) {
            low++;
        }
    }

    /** Tells the listener what it has not heard of. */
    void tell() {
        if (runFirst != 0) {
            long first = runFirst;
            runFirst = 0;
            listener.receipts(first, runLast, runStored ? Receipt.STORED : Receipt.REFUSED);
        }
    }

    boolean hasNews() {
        return runFirst != 0;
    }

    private void grow() {
        int length = Math.max(SIZE_FIRST, remaining.length * 2);
        int[] grown = new int[length];
        int[] grownSizes = new int[length];
        for (long number = low; number < next; number++) {
            grown[(int) (number & (length - 1))] = remaining[slot(number)];
            grownSizes[(int) (number & (length - 1))] = sizes[slot(number)];
        }
        remaining = grown;
        sizes = grownSizes;
    }

    private int slot(long number) {
        return (int) (number & (remaining.length - 1));
    }
}
