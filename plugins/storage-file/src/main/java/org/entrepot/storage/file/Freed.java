package org.entrepot.storage.file;

import java.util.Arrays;

/**
 * Entries of the journal that are not live any more, counted by segment: neighbours are mostly in one. Used by one thread, and
 * again after it was applied.
 */
final class Freed {
    private long[] segments = new long[2];
    private long[] entries = new long[2];
    private long[] bytes = new long[2];
    private int size;

    void add(long place, int length) {
        long segment = Place.segment(place);
        if (size == 0 || segments[size - 1] != segment) {
            if (size == segments.length) {
                segments = Arrays.copyOf(segments, size * 2);
                entries = Arrays.copyOf(entries, size * 2);
                bytes = Arrays.copyOf(bytes, size * 2);
            }
            segments[size] = segment;
            entries[size] = 0;
            bytes[size] = 0;
            size++;
        }
        entries[size - 1]++;
        bytes[size - 1] += length;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Tells the journal's segments, and forgets; called under the journal's lock. */
    void apply(Journal journal) {
        for (int i = 0; i < size; i++) {
            Segment segment = journal.segment(segments[i]);
            if (segment != null) {
                segment.removed(entries[i], bytes[i]);
            }
        }
        size = 0;
    }
}
