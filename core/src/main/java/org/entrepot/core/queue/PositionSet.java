package org.entrepot.core.queue;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A set of positions, one bit each, in pages that exist only where a bit is set. Not safe for threads: part of a queue's
 * state.
 *
 * <p>Made for positions that lie near each other and move upwards: costs an eighth of a byte for each position between
 * neighbours, and eight bytes for each 4,096 positions between far ones.
 */
final class PositionSet {
    /** What {@link #first} and {@link #next} answer when there is none. */
    static final long NONE = Long.MAX_VALUE;

    private static final int WORD_BITS = 6;
    private static final int PAGE_BITS = 12;
    private static final int WORDS = 1 << (PAGE_BITS - WORD_BITS);

    private static final class Page {
        final long[] words = new long[WORDS];
    }

    /** A ring by page number: page n is at n modulo the length, for {@code low <= n < high}. */
    private @Nullable Page[] pages = new Page[4];

    private long low;
    private long high;
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    boolean contains(long position) {
        long number = position >>> PAGE_BITS;
        if (number < low || number >= high) {
            return false;
        }
        Page page = pages[slot(number)];
        return page != null && (page.words[word(position)] & bit(position)) != 0;
    }

    /** Whether the position was not in the set before. */
    boolean add(long position) {
        Page page = pageFor(position >>> PAGE_BITS);
        int word = word(position);
        if ((page.words[word] & bit(position)) != 0) {
            return false;
        }
        page.words[word] |= bit(position);
        size++;
        return true;
    }

    /** Whether the position was in the set. */
    boolean remove(long position) {
        if (!contains(position)) {
            return false;
        }
        long number = position >>> PAGE_BITS;
        Page page = pages[slot(number)];
        assert page != null;
        page.words[word(position)] &= ~bit(position);
        size--;
        if (size == 0) {
            clear();
        } else if (number == low && isBlank(page)) {
            pages[slot(number)] = null;
            while (low < high && pages[slot(low)] == null) {
                low++;
            }
        }
        return true;
    }

    void clear() {
        Arrays.fill(pages, null);
        size = 0;
        low = 0;
        high = 0;
    }

    /** The least position, or {@link #NONE}. */
    long first() {
        return size == 0 ? NONE : next(low << PAGE_BITS);
    }

    /** The least position that is at least {@code from}, or {@link #NONE}. */
    long next(long from) {
        long number = Math.max(from >>> PAGE_BITS, low);
        int word = number == from >>> PAGE_BITS ? word(from) : 0;
        long mask = number == from >>> PAGE_BITS ? -1L << from : -1L;
        for (; number < high; number++, word = 0, mask = -1L) {
            Page page = pages[slot(number)];
            if (page == null) {
                continue;
            }
            for (; word < WORDS; word++, mask = -1L) {
                long bits = page.words[word] & mask;
                if (bits != 0) {
                    return number << PAGE_BITS | (long) word << WORD_BITS | Long.numberOfTrailingZeros(bits);
                }
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
                grow(newLow, newHigh);
            }
            low = newLow;
            high = newHigh;
        }
        int slot = slot(number);
        Page page = pages[slot];
        if (page == null) {
            page = new Page();
            pages[slot] = page;
        }
        return page;
    }

    private void grow(long newLow, long newHigh) {
        int length = pages.length;
        while (newHigh - newLow > length) {
            length = Math.multiplyExact(length, 2);
        }
        @Nullable Page[] grown = new Page[length];
        for (long number = low; number < high; number++) {
            grown[(int) (number & (length - 1))] = pages[slot(number)];
        }
        pages = grown;
    }

    private int slot(long number) {
        return (int) (number & (pages.length - 1));
    }

    private static int word(long position) {
        return (int) (position >>> WORD_BITS) & (WORDS - 1);
    }

    private static long bit(long position) {
        return 1L << position;
    }

    private static boolean isBlank(Page page) {
        for (long word : page.words) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }
}
