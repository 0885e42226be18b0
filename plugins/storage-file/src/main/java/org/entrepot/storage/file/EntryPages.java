package org.entrepot.storage.file;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The pages of one log by position. Owned as the log. */
final class EntryPages {
    private static final long NONE = -1;

    private final TreeMap<Long, EntryPage> byNumber = new TreeMap<>();
    /** The page that was found last, for most calls are about its neighbourhood. */
    private @Nullable EntryPage lastPage;

    private long lastNumber = NONE;

    /** Does something with the slots of a page from one to another, both included. */
    @FunctionalInterface
    interface Part {
        /**
         * A page's turn.
         *
         * @param first the position of the page's first slot
         */
        void of(EntryPage page, long first, int from, int to);
    }

    Collection<EntryPage> all() {
        return byNumber.values();
    }

    /** Pages by their numbers, from that of a position on. */
    Collection<Map.Entry<Long, EntryPage>> from(long position) {
        return byNumber.tailMap(EntryPage.number(position), true).entrySet();
    }

    /** The page of a position, or null. */
    @Nullable EntryPage find(long position) {
        long number = EntryPage.number(position);
        if (number == lastNumber) {
            return lastPage;
        }
        EntryPage page = byNumber.get(number);
        if (page != null) {
            lastNumber = number;
            lastPage = page;
        }
        return page;
    }

    /** The page of an entry that is known. */
    EntryPage get(long position) {
        return Objects.requireNonNull(find(position), "no entry there");
    }

    /** The page of a position, which is made where there is none. */
    EntryPage findOrMake(long position) {
        EntryPage page = find(position);
        if (page == null) {
            page = new EntryPage();
            lastNumber = EntryPage.number(position);
            lastPage = page;
            byNumber.put(lastNumber, page);
        }
        return page;
    }

    /** Does something with all pages of positions from one to another, both included; those that are empty then go. */
    void each(long from, long to, Part part) {
        Map.Entry<Long, EntryPage> next = byNumber.ceilingEntry(EntryPage.number(from));
        while (next != null && next.getKey() <= EntryPage.number(to)) {
            long first = next.getKey() << EntryPage.BITS;
            int last = EntryPage.slot(Math.min(to, first + EntryPage.ENTRIES - 1));
            part.of(next.getValue(), first, EntryPage.slot(Math.max(from, first)), last);
            dropIfEmpty(next.getValue(), first);
            next = byNumber.higherEntry(next.getKey());
        }
    }

    /** A page is of no use once it knows nothing. */
    void dropIfEmpty(EntryPage page, long position) {
        if (page.known == 0) {
            byNumber.remove(EntryPage.number(position));
            if (lastNumber == EntryPage.number(position)) {
                forgetLast();
            }
        }
    }

    void dropEmpty() {
        byNumber.values().removeIf(page -> page.known == 0);
        forgetLast();
    }

    void clear() {
        byNumber.clear();
        forgetLast();
    }

    private void forgetLast() {
        lastNumber = NONE;
        lastPage = null;
    }

    /** The least position that is known and at least this one, or -1. */
    long next(long from) {
        return next(from, false);
    }

    /** The least position whose entry lasts and that is at least this one, or -1. */
    long nextLasting(long from) {
        return next(from, true);
    }

    private long next(long from, boolean lasting) {
        for (Map.Entry<Long, EntryPage> entry : from(from)) {
            EntryPage page = entry.getValue();
            long bits = lasting ? page.known & page.lasting : page.known;
            if (entry.getKey() == EntryPage.number(from)) {
                bits &= -1L << EntryPage.slot(from);
            }
            if (bits != 0) {
                return entry.getKey() << EntryPage.BITS | Long.numberOfTrailingZeros(bits);
            }
        }
        return NONE;
    }

    /** The least position that is known and not in memory and at least this one, or -1. */
    long nextUnloaded(long from) {
        for (Map.Entry<Long, EntryPage> entry : from(from)) {
            EntryPage page = entry.getValue();
            int start = entry.getKey() == EntryPage.number(from) ? EntryPage.slot(from) : 0;
            for (int at = start; at < EntryPage.ENTRIES; at++) {
                if (page.knows(at) && page.messages[at] == null) {
                    return entry.getKey() << EntryPage.BITS | at;
                }
            }
        }
        return NONE;
    }
}
