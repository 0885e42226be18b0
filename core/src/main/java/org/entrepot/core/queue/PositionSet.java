package org.entrepot.core.queue;

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
        int bits;
    }

    private final PageRing<Page> pages = new PageRing<>();
    /** A blank page, so that positions that come and go cost no garbage. */
    private @Nullable Page spare;

    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    boolean contains(long position) {
        Page page = pages.get(position >>> PAGE_BITS);
        return page != null && (page.words[word(position)] & bit(position)) != 0;
    }

    /** Whether the position was not in the set before. */
    boolean add(long position) {
        long number = position >>> PAGE_BITS;
        Page page = pages.get(number);
        if (page == null) {
            page = spare == null ? new Page() : spare;
            spare = null;
            pages.put(number, page);
        }
        int word = word(position);
        if ((page.words[word] & bit(position)) != 0) {
            return false;
        }
        page.words[word] |= bit(position);
        page.bits++;
        size++;
        return true;
    }

    /** Whether the position was in the set. */
    boolean remove(long position) {
        long number = position >>> PAGE_BITS;
        Page page = pages.get(number);
        if (page == null || (page.words[word(position)] & bit(position)) == 0) {
            return false;
        }
        page.words[word(position)] &= ~bit(position);
        size--;
        if (--page.bits == 0) {
            pages.remove(number);
            spare = page;
        }
        return true;
    }

    /** The least position, or {@link #NONE}. */
    long first() {
        return next(0);
    }

    /** The least position that is at least {@code from}, or {@link #NONE}. */
    long next(long from) {
        long number = from >>> PAGE_BITS;
        long start = from;
        if (number < pages.low()) {
            number = pages.low();
            start = number << PAGE_BITS;
        }
        for (; number < pages.high(); number++, start = number << PAGE_BITS) {
            Page page = pages.get(number);
            if (page == null) {
                continue;
            }
            long mask = -1L << start;
            for (int word = word(start); word < WORDS; word++, mask = -1L) {
                long bits = page.words[word] & mask;
                if (bits != 0) {
                    return number << PAGE_BITS | (long) word << WORD_BITS | Long.numberOfTrailingZeros(bits);
                }
            }
        }
        return NONE;
    }

    private static int word(long position) {
        return (int) (position >>> WORD_BITS) & (WORDS - 1);
    }

    private static long bit(long position) {
        return 1L << position;
    }
}
