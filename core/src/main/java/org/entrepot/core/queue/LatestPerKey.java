package org.entrepot.core.queue;

import java.util.HashMap;
import java.util.Map;
import org.entrepot.spi.message.RoutingKey;

/**
 * Which entry of a table is the newest of each key, and that older ones go. Part of a {@link QueueMachine}.
 *
 * <p>Newer is what has the greater position, and an erasure stands just below the position that the next entry gets. So it
 * does not matter in which order entries, transactions and records of a replay come to be known: of a key there is in the end
 * what there would be if they had come in the order of their positions.
 *
 * <p>Clients choose the keys' bytes; that keys can be compared is what keeps the map fast where they are made to collide.
 */
final class LatestPerKey {
    /** What a key is taken to cost in memory besides its bytes. */
    private static final int KEY_OVERHEAD = 128;

    /** {@link #bytesOf} a key that is not there. */
    static final int NOTHING = -1;

    private final QueueState state;
    private final Exits exits;
    private final QueueCounters counters;
    private final Map<RoutingKey, Row> rows = new HashMap<>();
    /** Below which position a key is erased, as long as entries of lesser positions may still come to be known. */
    private final Map<RoutingKey, Long> erased = new HashMap<>(0);

    private long keyBytes;

    /** Where the entry of a key stands, and how many bytes its body has. */
    private static final class Row {
        private long position;
        private int bytes;
    }

    LatestPerKey(QueueState state, Exits exits, QueueCounters counters) {
        this.state = state;
        this.exits = exits;
        this.counters = counters;
    }

    /** Bytes of the body of what a key has, or {@link #NOTHING}. */
    int bytesOf(RoutingKey key) {
        Row row = rows.get(key);
        return row == null ? NOTHING : row.bytes;
    }

    /** An entry is in the queue: an older one of its key goes, or itself, where there is a newer one. */
    void came(RoutingKey key, long position, int bytes) {
        Row row = rows.get(key);
        Long erasedBelow = erased.isEmpty() ? null : erased.get(key);
        if ((row != null && row.position > position) || (erasedBelow != null && position < erasedBelow)) {
            settle(position, bytes);
            return;
        }
        if (row == null) {
            row = new Row();
            rows.put(key, row);
            keyBytes += key.length() + KEY_OVERHEAD;
        } else {
            settle(row.position, row.bytes);
        }
        row.position = position;
        row.bytes = bytes;
    }

    /** What a key has below a position goes, also what comes to be known later. */
    void erase(RoutingKey key, long below) {
        erased.merge(key, below, Math::max);
        Row row = rows.get(key);
        if (row != null && row.position < below) {
            remove(key);
            settle(row.position, row.bytes);
        }
        forgetErasures();
    }

    /** Nothing has become known yet of what is there: a key is erased below a position. */
    void wasErased(RoutingKey key, long below) {
        erased.merge(key, below, Math::max);
    }

    /** Entries of transactions were decided, or everything there is has become known. */
    void forgetErasures() {
        if (state.undecided() == 0) {
            erased.clear();
        }
    }

    private void settle(long position, int bytes) {
        counters.replaced++;
        exits.settleReady(position, bytes);
    }

    /** An entry has left for another reason. */
    void left(RoutingKey key, long position) {
        Row row = rows.get(key);
        if (row != null && row.position == position) {
            remove(key);
        }
    }

    private void remove(RoutingKey key) {
        rows.remove(key);
        keyBytes -= key.length() + KEY_OVERHEAD;
    }

    /** Entries at these positions, both included, are lost. */
    void forget(long from, long to) {
        rows.entrySet().removeIf(entry -> {
            Row row = entry.getValue();
            boolean lost = row.position >= from && row.position <= to;
            keyBytes -= lost ? entry.getKey().length() + KEY_OVERHEAD : 0;
            return lost;
        });
    }

    /** All entries have left. */
    void clear() {
        rows.clear();
        keyBytes = 0;
    }

    /** Keys that there is something of. */
    int size() {
        return rows.size();
    }

    /** Bytes that the keys take in memory, roughly. */
    long keyBytes() {
        return keyBytes;
    }
}
