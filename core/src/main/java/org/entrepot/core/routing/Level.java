package org.entrepot.core.routing;

import java.util.Comparator;
import org.entrepot.spi.message.RoutingKey;

/**
 * One level of a routing key: a run of its bytes, not copied. Immutable once it is in a trie; one that looks up is moved
 * from level to level of the key that is matched, so that matching allocates nothing by level.
 */
final class Level {
    static final Comparator<Level> BY_BYTES = Level::compare;

    private RoutingKey key;
    private int from;
    private int to;

    Level(RoutingKey key, int from, int to) {
        this.key = key;
        this.from = from;
        this.to = to;
    }

    /** Moves to the first level of {@code key}, which has at least one byte. */
    void toFirst(RoutingKey other) {
        key = other;
        from = 0;
        to = end(other, 0);
    }

    /** Moves to the next level of the same key; gives false where there is none. */
    boolean toNext() {
        if (to == key.length()) {
            return false;
        }
        from = to + 1;
        to = end(key, from);
        return true;
    }

    boolean isOnly(char word) {
        return to - from == 1 && key.at(from) == word;
    }

    /** A level like this that stays as it is. */
    Level fixed() {
        return new Level(key, from, to);
    }

    private static int end(RoutingKey key, int from) {
        int end = from;
        while (end < key.length() && key.at(end) != RoutingKey.SEPARATOR) {
            end++;
        }
        return end;
    }

    private int compare(Level other) {
        int length = to - from;
        int otherLength = other.to - other.from;
        int common = Math.min(length, otherLength);
        for (int i = 0; i < common; i++) {
            int order = key.at(from + i) - other.key.at(other.from + i);
            if (order != 0) {
                return order;
            }
        }
        return length - otherLength;
    }
}
