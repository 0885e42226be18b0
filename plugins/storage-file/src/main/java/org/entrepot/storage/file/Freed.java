package org.entrepot.storage.file;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Entries that are not live any more, counted by segment of the journal, where neighbours are mostly in one, and by table. Used
 * by one thread, and again after it was applied.
 *
 * <p>It is applied together with the appending of the record that says so: a file that looks empty before could be deleted
 * without that record.
 */
final class Freed {
    private long[] segments = new long[2];
    private long[] entries = new long[2];
    private long[] bytes = new long[2];
    private int size;
    private final List<Table> tables = new ArrayList<>(0);
    private final LongList inTables = new LongList();

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

    void add(Table table, long count) {
        if (count > 0) {
            tables.add(table);
            inTables.add(count);
        }
    }

    boolean isEmpty() {
        return size == 0 && tables.isEmpty();
    }

    /** Tells segments and tables, and forgets; called under the journal's lock. */
    void apply(Journal journal) {
        for (int i = 0; i < size; i++) {
            Segment segment = journal.segment(segments[i]);
            if (segment != null) {
                segment.removed(entries[i], bytes[i]);
            }
        }
        size = 0;
        if (!tables.isEmpty()) {
            for (int i = 0; i < tables.size(); i++) {
                tables.get(i).removed(inTables.get(i));
            }
            tables.clear();
            inTables.clear();
        }
    }
}
