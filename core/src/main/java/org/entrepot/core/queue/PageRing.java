package org.entrepot.core.queue;

import org.jspecify.annotations.Nullable;

/**
 * Pages by number, for numbers that lie near each other and move upwards: a ring that covers the span from the least to
 * the greatest number in use, at a reference each. Not safe for threads: part of a queue's state.
 */
final class PageRing<P> {
    private static final int LENGTH_FIRST = 4;

    /** Page n is at n modulo the length, for {@code low <= n < high}; everything else is null. */
    private @Nullable Object[] pages = new Object[LENGTH_FIRST];

    private long low;
    private long high;

    /** No page has a lesser number; where there are pages this is the least. */
    long low() {
        return low;
    }

    /** All pages have lesser numbers. */
    long high() {
        return high;
    }

    @SuppressWarnings("unchecked") // only put fills the array
    @Nullable P get(long number) {
        return number < low || number >= high ? null : (P) pages[slot(number)];
    }

    /** Puts a page where there is none. */
    void put(long number, P page) {
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
        assert pages[slot(number)] == null : "there is a page " + number;
        pages[slot(number)] = page;
    }

    /** Takes out a page that is there. */
    void remove(long number) {
        assert get(number) != null : "there is no page " + number;
        pages[slot(number)] = null;
        while (low < high && pages[slot(low)] == null) {
            low++;
        }
        if (low == high && pages.length > LENGTH_FIRST) {
            pages = new Object[LENGTH_FIRST];
        }
    }

    private void grow(long span) {
        int length = pages.length;
        while (span > length) {
            length = Math.multiplyExact(length, 2);
        }
        @Nullable Object[] grown = new Object[length];
        for (long number = low; number < high; number++) {
            grown[(int) (number & (length - 1))] = pages[slot(number)];
        }
        pages = grown;
    }

    private int slot(long number) {
        return (int) (number & (pages.length - 1));
    }
}
