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
    private int hash;

    private Level(RoutingKey key, int from, int to, int hash) {
        this.key = key;
        this.from = from;
        this.to = to;
        this.hash = hash;
    }

    /** The first level of a key that has at least one byte. */
    static Level first(RoutingKey key) {
        Level level = new Level(key, 0, 0, 0);
        level.extend(0);
        return level;
    }

    /** Moves to the next level of the same key; gives false where there is none. */
    boolean toNext() {
        if (to == key.length()) {
            return false;
        }
        extend(to + 1);
        return true;
    }

    boolean isOnly(char word) {
        return to - from == 1 && key.at(from) == word;
    }

    /** A level like this that stays as it is. */
    Level fixed() {
        return new Level(key, from, to, hash);
    }

    /** Begins at {@code start} and ends before the next separator. */
    private void extend(int start) {
        from = start;
        int end = start;
        int bytes = 0;
        while (end < key.length() && key.at(end) != RoutingKey.SEPARATOR) {
            bytes = 31 * bytes + key.at(end);
            end++;
        }
        to = end;
        hash = bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Level that && hash == that.hash && compare(that) == 0;
    }

    @Override
    public int hashCode() {
        return hash;
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
