package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HashTrieTest {
    private static final int SEEDS = 200;

    @Test
    void itHoldsWhatAHashMapHoldsWhateverIsDone() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int keys = 1 + random.nextInt(300);
            // Hashes of few bits make many collide, those of one bit all.
            int hashes = 1 << random.nextInt(17);
            Map<Key, Integer> expected = new HashMap<>();
            HashTrie<Key, Integer> trie = empty();
            for (int i = 0; i < 600; i++) {
                Key key = new Key(random.nextInt(keys), hashes);
                if (random.nextInt(3) == 0) {
                    expected.remove(key);
                    trie = trie.without(key);
                } else {
                    expected.put(key, i);
                    trie = trie.with(key, i);
                }
            }
            assertThat(trie.size()).as("seed %d", seed).isEqualTo(expected.size());
            assertThat(trie.values()).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(expected.values());
            for (int name = 0; name < keys; name++) {
                Key key = new Key(name, hashes);
                assertThat(trie.get(key)).as("seed %d, %s", seed, key).isEqualTo(expected.get(key));
            }
        }
    }

    @Test
    void earlierMapsStayAsTheyAre() {
        HashTrie<Key, Integer> one = empty().with(new Key(1, 1), 1);
        HashTrie<Key, Integer> two = one.with(new Key(2, 1), 2);
        two.with(new Key(1, 1), 3);
        two.without(new Key(1, 1));
        assertThat(one.values()).containsExactly(1);
        assertThat(two.values()).containsExactly(1, 2);
    }

    @Test
    void theOrderOfItsValuesDoesNotDependOnItsHistory() {
        HashTrie<Key, Integer> one = empty();
        HashTrie<Key, Integer> other = empty();
        for (int i = 0; i < 1_000; i++) {
            one = one.with(new Key(i, 256), i);
        }
        for (int i = 1_999; i >= 0; i--) {
            other = other.with(new Key(i, 256), i);
        }
        for (int i = 1_000; i < 2_000; i++) {
            other = other.without(new Key(i, 256));
        }
        assertThat(new ArrayList<>(other.values())).isEqualTo(new ArrayList<>(one.values()));
    }

    @Test
    void whatIsEmptiedIsEmpty() {
        HashTrie<Key, Integer> trie = empty();
        for (int i = 0; i < 100; i++) {
            trie = trie.with(new Key(i, 8), i);
        }
        for (int i = 0; i < 100; i++) {
            trie = trie.without(new Key(i, 8)).without(new Key(i, 8));
        }
        assertThat(trie.isEmpty()).isTrue();
        assertThat(trie.values()).isEmpty();
    }

    @Test
    void textsMadeToCollideCostNoMoreThanOthers() {
        List<String> colliding = new ArrayList<>(List.of(""));
        for (int i = 0; i < 15; i++) {
            List<String> longer = new ArrayList<>();
            for (String text : colliding) {
                longer.add(text + "Aa");
                longer.add(text + "BB");
            }
            colliding = longer;
        }
        List<String> names = colliding;
        HashTrie<String, Integer> trie = assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            HashTrie<String, Integer> built = HashTrie.empty(Comparator.naturalOrder());
            for (String name : names) {
                built = built.with(name, name.length());
            }
            return built;
        });
        assertThat(trie.size()).isEqualTo(1 << 15);
        assertThat(trie.get(names.get(12_345))).isEqualTo(30);
    }

    private static HashTrie<Key, Integer> empty() {
        return HashTrie.empty(Comparator.comparingInt(Key::name));
    }

    /** A key whose hash is one of so many. */
    private record Key(int name, int hashes) {
        @Override
        public int hashCode() {
            return name % hashes;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key that && name == that.name;
        }
    }
}
