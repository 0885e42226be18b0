package org.entrepot.core.queue;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who holds which delivered entry, and until when, by position, with what the queue has to know of it when it leaves or
 * comes back: it may be out of memory by then. Part of a queue's state, and the part that no record keeps: after a restart
 * nobody holds anything.
 *
 * <p>Pages of holders in chapters of pages. One old entry that stays held costs a reference for each 4,096 positions above
 * it, not more.
 */
final class Leases {
    /** What {@link #next} answers when there is none. */
    static final long NONE = PositionSet.NONE;

    /** The {@link #deadline} of a lease without one. */
    static final long NO_DEADLINE = Long.MAX_VALUE;

    private static final int PAGE_BITS = 6;
    private static final int PAGE_POSITIONS = 1 << PAGE_BITS;
    private static final int CHAPTER_BITS = 6;
    private static final int CHAPTER_PAGES = 1 << CHAPTER_BITS;
    private static final int LANE_MASK = 0xff;

    private static final class Page {
        final @Nullable Holder[] holders = new Holder[PAGE_POSITIONS];
        final int[] bytes = new int[PAGE_POSITIONS];
        final byte[] lanes = new byte[PAGE_POSITIONS];
        /** Made when a lease has a deadline. */
        long @Nullable [] deadlines;

        long taken;
    }

    private static final class Chapter {
        final @Nullable Page[] pages = new Page[CHAPTER_PAGES];
        long taken;
    }

    private final PageRing<Chapter> chapters = new PageRing<>();
    private @Nullable Chapter spareChapter;
    private @Nullable Page sparePage;
    /** The page that was looked into last; the next look is probably into it as well. */
    private @Nullable Page lastPage;

    private long lastNumber = -1;
    private int size;
    private long bytes;

    int size() {
        return size;
    }

    /** Bytes of all entries in it. */
    long bytes() {
        return bytes;
    }

    void put(long position, Holder holder, long deadline, int lane, int entryBytes) {
        Page page = pageFor(position);
        int index = index(position);
        assert page.holders[index] == null : position + " is held already";
        page.holders[index] = holder;
        page.bytes[index] = entryBytes;
        page.lanes[index] = (byte) lane;
        page.taken |= 1L << index;
        if (deadline != NO_DEADLINE && page.deadlines == null) {
            page.deadlines = new long[PAGE_POSITIONS];
            Arrays.fill(page.deadlines, NO_DEADLINE);
        }
        if (page.deadlines != null) {
            page.deadlines[index] = deadline;
        }
        size++;
        bytes += entryBytes;
    }

    @Nullable Holder holder(long position) {
        Page page = page(position);
        return page == null ? null : page.holders[index(position)];
    }

    /** By when a held entry must be settled, or {@link #NO_DEADLINE}. */
    long deadline(long position) {
        Page page = page(position);
        return page == null || page.deadlines == null ? NO_DEADLINE : page.deadlines[index(position)];
    }

    /** The priority of an entry that is held. */
    int lane(long position) {
        return there(position).lanes[index(position)] & LANE_MASK;
    }

    /** The size of an entry that is held. */
    int bytes(long position) {
        return there(position).bytes[index(position)];
    }

    private Page there(long position) {
        return Objects.requireNonNull(page(position), "nobody holds it");
    }

    /** Whether the entry was held. */
    boolean remove(long position) {
        Page page = page(position);
        int index = index(position);
        if (page == null || page.holders[index] == null) {
            return false;
        }
        page.holders[index] = null;
        page.taken &= ~(1L << index);
        size--;
        bytes -= page.bytes[index];
        if (page.taken == 0) {
            drop(position, page);
        }
        return true;
    }

    /** The least held position that is at least {@code from}, or {@link #NONE}. */
    long next(long from) {
        long number = from >>> PAGE_BITS >>> CHAPTER_BITS;
        long start = from;
        if (number < chapters.low()) {
            number = chapters.low();
            start = number << CHAPTER_BITS << PAGE_BITS;
        }
        for (; number < chapters.high(); number++, start = number << CHAPTER_BITS << PAGE_BITS) {
            Chapter chapter = chapters.get(number);
            if (chapter != null) {
                long position = nextIn(chapter, number, start);
                if (position != NONE) {
                    return position;
                }
            }
        }
        return NONE;
    }

    private static long nextIn(Chapter chapter, long number, long start) {
        long mask = -1L << start;
        for (long left = chapter.taken & (-1L << (start >>> PAGE_BITS)); left != 0; left &= left - 1) {
            int at = Long.numberOfTrailingZeros(left);
            Page page = Objects.requireNonNull(chapter.pages[at]);
            long held = at == pageIndex(start) ? page.taken & mask : page.taken;
            if (held != 0) {
                return (number << CHAPTER_BITS | at) << PAGE_BITS | Long.numberOfTrailingZeros(held);
            }
        }
        return NONE;
    }

    private @Nullable Page page(long position) {
        long pageNumber = position >>> PAGE_BITS;
        if (pageNumber == lastNumber) {
            return lastPage;
        }
        Chapter chapter = chapters.get(pageNumber >>> CHAPTER_BITS);
        Page page = chapter == null ? null : chapter.pages[pageIndex(position)];
        if (page != null) {
            lastNumber = pageNumber;
            lastPage = page;
        }
        return page;
    }

    private Page pageFor(long position) {
        Page known = page(position);
        if (known != null) {
            return known;
        }
        long number = position >>> PAGE_BITS >>> CHAPTER_BITS;
        Chapter chapter = chapters.get(number);
        if (chapter == null) {
            chapter = spareChapter == null ? new Chapter() : spareChapter;
            spareChapter = null;
            chapters.put(number, chapter);
        }
        int at = pageIndex(position);
        Page page = sparePage == null ? new Page() : sparePage;
        sparePage = null;
        chapter.pages[at] = page;
        chapter.taken |= 1L << at;
        return page;
    }

    private void drop(long position, Page page) {
        long number = position >>> PAGE_BITS >>> CHAPTER_BITS;
        Chapter chapter = Objects.requireNonNull(chapters.get(number));
        int at = pageIndex(position);
        chapter.pages[at] = null;
        chapter.taken &= ~(1L << at);
        sparePage = page;
        if (page == lastPage) {
            lastNumber = -1;
            lastPage = null;
        }
        if (chapter.taken == 0) {
            chapters.remove(number);
            spareChapter = chapter;
        }
    }

    private static int pageIndex(long position) {
        return (int) (position >>> PAGE_BITS) & (CHAPTER_PAGES - 1);
    }

    private static int index(long position) {
        return (int) position & (PAGE_POSITIONS - 1);
    }
}
