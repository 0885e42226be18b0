package org.entrepot.storage.file;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;

/** Neighbouring entries of pages that last, one stretch after the other; each ends with its page. Used by one thread. */
final class LastingStretches {
    private final Iterator<Map.Entry<Long, EntryPage>> pages;
    private long first;
    private long bits;
    private long from;
    private long to;

    LastingStretches(Collection<Map.Entry<Long, EntryPage>> pages) {
        this.pages = pages.iterator();
    }

    /** Goes on to the next stretch; false when there is none. */
    boolean next() {
        while (bits == 0) {
            if (!pages.hasNext()) {
                return false;
            }
            Map.Entry<Long, EntryPage> page = pages.next();
            first = page.getKey() << EntryPage.BITS;
            bits = page.getValue().known & page.getValue().lasting;
        }
        int begin = Long.numberOfTrailingZeros(bits);
        int length = Long.numberOfTrailingZeros(~(bits >>> begin));
        from = first + begin;
        to = from + length - 1;
        bits = begin + length == EntryPage.ENTRIES ? 0 : bits & -1L << (begin + length);
        return true;
    }

    long from() {
        return from;
    }

    long to() {
        return to;
    }
}
