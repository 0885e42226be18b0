package org.entrepot.core.queue;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Who holds which delivered entry, by position. Part of a queue's state, and the part that no record keeps: after a
 * restart nobody holds anything.
 *
 * <p>A ring of pages by position, as {@link PositionSet}; one old entry that stays held costs a reference for each {@value
 * #PAGE_POSITIONS} positions above it, not more.
 */
final class Leases {
    static final long NONE = PositionSet.NONE;
    private static final int PAGE_BITS = 6;
    private static final int PAGE_POSITIONS = 1 << PAGE_BITS;

    private static final class Page {
        final @Nullable Holder[] holders = new Holder[PAGE_POSITIONS];
        long taken;
    }

    private @Nullable Page[] pages = new Page[4];
    private @Nullable Page spare;
    private long low;
    private long high;
    private int size;

    int size() {
        return size;
    }

    void put(long position, Holder holder) {
        Page page = pageFor(position >>> PAGE_BITS);
        int index = index(position);
        assert page.holders[index] == null : position + " is held already";
        page.holders[index] = holder;
        page.taken |= 1L << index;
        size++;
    }

    @Nullable Holder holder(long position) {
        long number = position >>> PAGE_BITS;
        if (number < low || number >= high) {
            return null;
        }
        Page page = pages[slot(number)];
        return page == null ? null : page.holders[index(position)];
    }

    void remove(long position) {
        long number = position >>> PAGE_BITS;
        Page page = pages[slot(number)];
        assert page != null && page.holders[index(position)] != null : position + " is not held";
        page.holders[index(position)] = null;
        page.taken &= ~(1L << index(position));
        size--;
        if (page.taken == 0) {
            pages[slot(number)] = null;
            spare = page;
            if (size == 0) {
                low = 0;
                high = 0;
            } else if (number == low) {
                while (pages[slot(low)] == null) {
                    low++;
                }
            }
        }
    }

    /** The least held position that is at least {@code from}, or {@link #NONE}. */
    long next(long from) {
        long number = from >>> PAGE_BITS;
        long mask = -1L << from;
        if (number < low) {
            number = low;
            mask = -1L;
        }
        for (; number < high; number++, mask = -1L) {
            Page page = pages[slot(number)];
            if (page != null && (page.taken & mask) != 0) {
                return number << PAGE_BITS | Long.numberOfTrailingZeros(page.taken & mask);
            }
        }
        return NONE;
    }

    private Page pageFor(long number) {
        if (low == high) {
            low = number;
            high = number + 1;
        } else {
            long newLow = Math.min(low, number);
            long newHigh = Math.max(high, number + 1);
            if (newHigh - newLow > pages.length) {
                grow(newHigh - newLow);
            }
            low = newLow;
            high = newHigh;
        }
        int slot = slot(number);
        Page page = pages[slot];
        if (page == null) {
            page = spare == null ? new Page() : spare;
            spare = null;
            pages[slot] = page;
        }
        return page;
    }

    private void grow(long span) {
        int length = pages.length;
        while (span > length) {
            length = Math.multiplyExact(length, 2);
        }
        @Nullable Page[] grown = new Page[length];
        for (long number = low; number < high; number++) {
            grown[(int) (number & (length - 1))] = pages[slot(number)];
        }
        pages = grown;
    }

    void clear() {
        Arrays.fill(pages, null);
        low = 0;
        high = 0;
        size = 0;
    }

    private int slot(long number) {
        return (int) (number & (pages.length - 1));
    }

    private static int index(long position) {
        return (int) position & (PAGE_POSITIONS - 1);
    }
}
