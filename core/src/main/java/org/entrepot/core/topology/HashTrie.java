package org.entrepot.core.topology;

import java.util.AbstractCollection;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * A map that is looked up on the way of messages. Immutable: a change makes a new one that shares all but a path of a few
 * nodes.
 *
 * <p>A hash array mapped trie (Bagwell, 2001): 32 branches a node, so that 30,000 keys are three nodes deep where a
 * binary tree is fifteen; it is the misses of the processor's cache that count. Keys of equal hashes are kept in a sorted
 * tree, so that clients who choose names that collide gain nothing by it. The shape depends on the content alone.
 *
 * @param <K> must have equals and hashCode that agree with the comparator
 */
public final class HashTrie<K, V> {
    private static final int BITS = 5;
    private static final int MASK = (1 << BITS) - 1;

    private final Comparator<? super K> order;
    private final @Nullable Node root;
    private final int size;

    private HashTrie(Comparator<? super K> order, @Nullable Node root, int size) {
        this.order = order;
        this.root = root;
        this.size = size;
    }

    /**
     * A map without keys.
     *
     * @param order tells keys of equal hashes apart
     */
    public static <K, V> HashTrie<K, V> empty(Comparator<? super K> order) {
        return new HashTrie<>(order, null, 0);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** The value of a key; null where there is none. Allocates nothing. */
    public @Nullable V get(K key) {
        int hash = spread(key.hashCode());
        Node node = root;
        int shift = 0;
        while (node instanceof Branch branch) {
            node = branch.child(hash >>> shift);
            shift += BITS;
        }
        if (node == null || ((End) node).hash() != hash) {
            return null;
        }
        return HashTrie.<K, V>end(node).get(key);
    }

    /** This map with a value for a key. */
    public HashTrie<K, V> with(K key, V value) {
        int hash = spread(key.hashCode());
        End<K, V> before = findEnd(hash);
        End<K, V> after = before == null ? new Leaf<>(hash, key, value) : before.with(key, value, order);
        int grown = size + after.size() - (before == null ? 0 : before.size());
        return new HashTrie<>(order, put(root, 0, after), grown);
    }

    /** This map without a key. */
    public HashTrie<K, V> without(K key) {
        int hash = spread(key.hashCode());
        End<K, V> before = findEnd(hash);
        if (root == null || before == null || before.get(key) == null) {
            return this;
        }
        End<K, V> after = before.without(key);
        return new HashTrie<>(order, after == null ? remove(root, 0, hash) : put(root, 0, after), size - 1);
    }

    /** The values, in no particular order. */
    public Collection<V> values() {
        return new Values();
    }

    private @Nullable End<K, V> findEnd(int hash) {
        Node node = root;
        int shift = 0;
        while (node instanceof Branch branch) {
            node = branch.child(hash >>> shift);
            shift += BITS;
        }
        return node == null || ((End<?, ?>) node).hash() != hash ? null : HashTrie.<K, V>end(node);
    }

    /** Puts an end in the place of the one of its hash, or where there is none. */
    private static Node put(@Nullable Node node, int shift, End<?, ?> end) {
        if (node == null) {
            return end;
        }
        if (node instanceof Branch branch) {
            int bits = end.hash() >>> shift;
            return branch.with(bits, put(branch.child(bits), shift + BITS, end));
        }
        End<?, ?> other = (End<?, ?>) node;
        if (other.hash() == end.hash()) {
            return end;
        }
        return put(Branch.of(other.hash() >>> shift, other), shift, end);
    }

    private static @Nullable Node remove(Node node, int shift, int hash) {
        if (!(node instanceof Branch branch)) {
            return null;
        }
        int bits = hash >>> shift;
        Node child = branch.child(bits);
        if (child == null) {
            return branch;
        }
        Node left = remove(child, shift + BITS, hash);
        return left == null ? branch.without(bits) : branch.with(bits, left).collapsed();
    }

    /** Spreads what hash codes differ in over all bits; one to one, so that equal means equal before. */
    private static int spread(int hashCode) {
        int hash = (hashCode ^ (hashCode >>> 16)) * 0x9e3779b1;
        return hash ^ (hash >>> 15);
    }

    @SuppressWarnings("unchecked") // all ends of a map have its types
    private static <K, V> End<K, V> end(Node node) {
        return (End<K, V>) node;
    }

    private sealed interface Node {}

    /** Keys that have the same hash, mostly one. */
    private sealed interface End<K, V> extends Node {
        int hash();

        int size();

        @Nullable V get(K key);

        End<K, V> with(K key, V value, Comparator<? super K> order);

        /** Null where nothing is left. */
        @Nullable End<K, V> without(K key);
    }

    private record Leaf<K, V>(int hash, K key, V value) implements End<K, V> {
        @Override
        public int size() {
            return 1;
        }

        @Override
        public @Nullable V get(K other) {
            return key.equals(other) ? value : null;
        }

        @Override
        public End<K, V> with(K other, V newValue, Comparator<? super K> order) {
            if (key.equals(other)) {
                return new Leaf<>(hash, key, newValue);
            }
            TreePMap<K, V> both = TreePMap.empty(order);
            return new Bucket<>(hash, both.plus(key, value).plus(other, newValue));
        }

        @Override
        public @Nullable End<K, V> without(K other) {
            return null;
        }
    }

    /** Two keys or more. */
    private record Bucket<K, V>(int hash, TreePMap<K, V> entries) implements End<K, V> {
        @Override
        public int size() {
            return entries.size();
        }

        @Override
        public @Nullable V get(K key) {
            return entries.get(key);
        }

        @Override
        public End<K, V> with(K key, V value, Comparator<? super K> order) {
            return new Bucket<>(hash, entries.plus(key, value));
        }

        @Override
        public End<K, V> without(K key) {
            TreePMap<K, V> others = entries.minus(key);
            return others.size() > 1
                    ? new Bucket<>(hash, others)
                    : new Leaf<>(
                            hash,
                            others.firstEntry().getKey(),
                            others.firstEntry().getValue());
        }
    }

    /** Up to 32 children, by five bits of the hash; those that are there are in the array, in order. */
    private static final class Branch implements Node {
        private final int bitmap;
        private final Node[] children;

        private Branch(int bitmap, Node[] children) {
            this.bitmap = bitmap;
            this.children = children;
        }

        static Branch of(int bits, Node child) {
            return new Branch(1 << (bits & MASK), new Node[] {child});
        }

        @Nullable Node child(int bits) {
            int bit = 1 << (bits & MASK);
            return (bitmap & bit) == 0 ? null : children[index(bit)];
        }

        Branch with(int bits, Node child) {
            int bit = 1 << (bits & MASK);
            int index = index(bit);
            if ((bitmap & bit) != 0) {
                Node[] changed = children.clone();
                changed[index] = child;
                return new Branch(bitmap, changed);
            }
            Node[] more = new Node[children.length + 1];
            System.arraycopy(children, 0, more, 0, index);
            more[index] = child;
            System.arraycopy(children, index, more, index + 1, children.length - index);
            return new Branch(bitmap | bit, more);
        }

        @Nullable Node without(int bits) {
            if (children.length == 1) {
                return null;
            }
            int bit = 1 << (bits & MASK);
            int index = index(bit);
            Node[] less = new Node[children.length - 1];
            System.arraycopy(children, 0, less, 0, index);
            System.arraycopy(children, index + 1, less, index, less.length - index);
            return new Branch(bitmap & ~bit, less).collapsed();
        }

        /** A lone end needs no branch above it. */
        Node collapsed() {
            return children.length == 1 && children[0] instanceof End ? children[0] : this;
        }

        private int index(int bit) {
            return Integer.bitCount(bitmap & (bit - 1));
        }
    }

    private final class Values extends AbstractCollection<V> {
        @Override
        public int size() {
            return size;
        }

        @Override
        public Iterator<V> iterator() {
            return new ValueIterator();
        }
    }

    private final class ValueIterator implements Iterator<V> {
        private final Deque<Node> ahead = new ArrayDeque<>();
        private Iterator<V> bucket = Collections.emptyIterator();
        private int left = size;

        ValueIterator() {
            if (root != null) {
                ahead.push(root);
            }
        }

        @Override
        public boolean hasNext() {
            return left > 0;
        }

        @Override
        public V next() {
            if (left == 0) {
                throw new NoSuchElementException();
            }
            left--;
            while (!bucket.hasNext()) {
                Node node = ahead.pop();
                if (node instanceof Branch branch) {
                    for (int i = branch.children.length - 1; i >= 0; i--) {
                        ahead.push(branch.children[i]);
                    }
                } else if (node instanceof Leaf<?, ?>) {
                    return ((Leaf<K, V>) HashTrie.<K, V>end(node)).value();
                } else {
                    bucket = ((Bucket<K, V>) HashTrie.<K, V>end(node))
                            .entries()
                            .values()
                            .iterator();
                }
            }
            return bucket.next();
        }
    }
}
