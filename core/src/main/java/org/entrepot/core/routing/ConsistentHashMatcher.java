package org.entrepot.core.routing;

import java.util.Map;
import org.entrepot.core.topology.BindingOrder;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * Matches one binding by a hash of the message's key, or of a header or property, in proportion to weights. Immutable.
 *
 * <p>Weighted rendezvous hashing: each destination gets a score from the message's hash and its own, and the highest
 * wins. When a destination comes or goes only what it wins moves, whatever the order in which they were bound; a weight
 * costs no memory. The work grows with the bindings.
 */
record ConsistentHashMatcher(HashSource source, TreePMap<BindingSpec, Candidate> candidates) implements PicksOne {

    ConsistentHashMatcher(HashSource source) {
        this(source, TreePMap.empty(BindingOrder.BY_ALL));
    }

    @Override
    public ConsistentHashMatcher with(BindingSpec binding) {
        return new ConsistentHashMatcher(source, candidates.plus(binding, Candidate.of(binding)));
    }

    @Override
    public ConsistentHashMatcher without(BindingSpec binding) {
        return new ConsistentHashMatcher(source, candidates.minus(binding));
    }

    @Override
    public boolean byKeyAlone() {
        return source.byKeyAlone();
    }

    @Override
    public void match(RoutingKey key, Message message, Matches matches) {
        long hash = source.hash(key, message);
        BindingSpec winner = null;
        double highest = Double.NEGATIVE_INFINITY;
        for (Map.Entry<BindingSpec, Candidate> entry : candidates.entrySet()) {
            double score = entry.getValue().score(hash);
            if (winner == null || score > highest) {
                winner = entry.getKey();
                highest = score;
            }
        }
        if (winner != null) {
            matches.add(winner);
        }
    }

    /** What competes for messages: a destination's own hash, and its weight. */
    record Candidate(long seed, int weight) {

        static Candidate of(BindingSpec binding) {
            long seed = Hash.of(
                    binding.destination().kind() + " " + binding.destination().name());
            return new Candidate(seed, ConsistentHashType.weight(binding.key()));
        }

        /** With this, chances are in proportion to weights: the highest of -w / ln(u) for u evenly in (0, 1). */
        double score(long hash) {
            double even = ((Hash.mix(hash ^ seed) >>> 11) + 0.5) * 0x1.0p-53;
            return -weight / Math.log(even);
        }
    }

    /** What of a message is hashed. */
    sealed interface HashSource {
        boolean byKeyAlone();

        long hash(RoutingKey key, Message message);

        /** The hash of a value, the same whatever type a number or text was sent with; a missing one is empty. */
        private static long hashOf(@Nullable Object value) {
            if (value == null) {
                return Hash.of("");
            }
            return value instanceof Bytes bytes ? Hash.of(bytes.toArray()) : Hash.of(value.toString());
        }
    }

    /** The message's key. */
    record Key() implements HashSource {
        @Override
        public boolean byKeyAlone() {
            return true;
        }

        @Override
        public long hash(RoutingKey key, Message message) {
            return Hash.of(key);
        }
    }

    /** A header. */
    record Header(String name) implements HashSource {
        @Override
        public boolean byKeyAlone() {
            return false;
        }

        @Override
        public long hash(RoutingKey key, Message message) {
            return HashSource.hashOf(message.format().headers(message.header()).get(name));
        }
    }

    /** A property, by the name that formats know. */
    record Property(String name) implements HashSource {
        @Override
        public boolean byKeyAlone() {
            return false;
        }

        @Override
        public long hash(RoutingKey key, Message message) {
            return HashSource.hashOf(message.format().property(message.header(), name));
        }
    }
}
