package org.entrepot.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.Matcher;
import org.junit.jupiter.api.Test;

class TopicMatcherTest {
    private static final int SEEDS = 2_000;

    @Test
    void wordsAreComparedOneByOne() {
        assertMatches("a.b", "a.b");
        assertMatchesNot("a.b", "a.c", "a", "a.b.c", "ab", "a.b.", ".a.b");
    }

    @Test
    void aStarIsOneWordAnyOne() {
        assertMatches("a.*", "a.b", "a.");
        assertMatchesNot("a.*", "a", "a.b.c", "b.a");
        assertMatches("*.*.*", "a.b.c", "..");
        assertMatches("*", "a", "ü");
        assertMatchesNot("*", "", "a.b");
    }

    @Test
    void aHashIsAnyNumberOfWords() {
        assertMatches("#", "", "a", "a.b", ".", "a.b.c.d");
        assertMatches("a.#", "a", "a.", "a.b.c");
        assertMatchesNot("a.#", "", "b.a", "ab");
        assertMatches("#.a", "a", "b.a", "a.a", "..a");
        assertMatchesNot("#.a", "", "a.b");
        assertMatches("a.#.b", "a.b", "a.x.b", "a.b.b", "a.b.a.b");
        assertMatchesNot("a.#.b", "a", "b", "a.b.c");
        assertMatches("#.*", "a", "a.b");
        assertMatchesNot("#.*", "");
    }

    @Test
    void severalHashesInARowAreOne() {
        assertMatches("a.#.#.#.b", "a.b", "a.x.y.b");
        assertMatches("#.#", "", "a.b");
        assertMatches("#.*.#", "a", "a.b.c");
        assertMatchesNot("#.*.#", "");
    }

    @Test
    void theEmptyKeyAndTheEmptyPatternHaveNoWords() {
        assertMatches("", "");
        assertMatchesNot("", "a", ".");
        assertMatchesNot(".", "");
    }

    @Test
    void wildcardsAreWordsOfTheirOwn() {
        assertMatches("a*.b#", "a*.b#");
        assertMatchesNot("a*.b#", "ax.by");
    }

    @Test
    void wildcardsInKeysAreLiteral() {
        assertMatches("*.b", "#.b", "*.b");
        assertMatchesNot("a.b", "*.b", "#");
    }

    @Test
    void aDotInsideALevelSeparatesNothing() {
        RoutingKey pattern = RoutingKey.join(List.of("a.b", "c"));
        Matcher matcher = TopicMatcher.EMPTY.with(binding("q", pattern)).with(binding("r", RoutingKey.of("*.c")));
        assertThat(matched(matcher, pattern)).containsExactly("q", "r");
        assertThat(matched(matcher, RoutingKey.of("a.b.c"))).isEmpty();
    }

    @Test
    void levelsThatAreLiterallyWildcardsMatchThemselvesOnly() {
        for (String word : List.of("*", "#")) {
            RoutingKey literal = RoutingKey.join(List.of("a", word));
            Matcher matcher = TopicMatcher.EMPTY.with(binding("q", literal)).with(binding("r", RoutingKey.of("a.*")));
            assertThat(matched(matcher, literal)).containsExactly("q", "r");
            assertThat(matched(matcher, RoutingKey.of("a.b"))).containsExactly("r");
            assertThat(matched(matcher, RoutingKey.of("a"))).isEmpty();
        }
    }

    @Test
    void everyBindingIsReportedOnceHoweverManyWaysThereAre() {
        Matcher matcher = TopicMatcher.EMPTY
                .with(binding("q", RoutingKey.of("#.a.#")))
                .with(binding("q", RoutingKey.of("#.a.#.a.#")))
                .with(binding("r", RoutingKey.of("#.a.#")))
                .with(binding("r", RoutingKey.of("#")));
        assertThat(matched(matcher, RoutingKey.of("a.a.a.a"))).containsExactly("q", "q", "r", "r");
    }

    @Test
    void patternsThatMeanTheSameAreBindingsOfTheirOwn() {
        BindingSpec one = binding("q", RoutingKey.of("a.#"));
        BindingSpec other = binding("q", RoutingKey.of("a.#.#"));
        Matcher matcher = TopicMatcher.EMPTY.with(one).with(other);
        assertThat(matched(matcher, RoutingKey.of("a.b"))).hasSize(2);
        assertThat(matched(matcher.without(one), RoutingKey.of("a.b"))).hasSize(1);
        assertThat(matched(matcher.without(one).without(other), RoutingKey.of("a.b")))
                .isEmpty();
    }

    @Test
    void earlierMatchersStayAsTheyAre() {
        BindingSpec binding = binding("q", RoutingKey.of("a.*"));
        Matcher without = TopicMatcher.EMPTY.with(binding("r", RoutingKey.of("a.b")));
        Matcher with = without.with(binding);
        assertThat(matched(without, RoutingKey.of("a.b"))).containsExactly("r");
        assertThat(matched(with, RoutingKey.of("a.b"))).containsExactly("q", "r");
        assertThat(matched(with.without(binding), RoutingKey.of("a.b"))).containsExactly("r");
    }

    @Test
    void whatIsUnboundLeavesNothingBehind() {
        BindingSpec binding = binding("q", RoutingKey.of("a.*.#.b"));
        TopicMatcher matcher = TopicMatcher.EMPTY.with(binding).without(binding);
        assertThat(matcher.root().isEmpty()).isTrue();
    }

    @Test
    void manyHashesCostNoBlowUp() {
        String hashes = "#." + "#.".repeat(62) + "#";
        String between = "#" + ".a.#".repeat(64);
        String stars = "#" + ".*.#".repeat(64);
        Matcher matcher = TopicMatcher.EMPTY
                .with(binding("hashes", RoutingKey.of(hashes)))
                .with(binding("ending", RoutingKey.of(hashes + ".z")))
                .with(binding("between", RoutingKey.of(between)))
                .with(binding("between, ending", RoutingKey.of(between + ".z")))
                .with(binding("stars", RoutingKey.of(stars)))
                .with(binding("stars, ending", RoutingKey.of(stars + ".z")));
        RoutingKey key = RoutingKey.of("a" + ".a".repeat(120));
        List<String> matched = assertTimeoutPreemptively(Duration.ofSeconds(5), () -> matched(matcher, key));
        assertThat(matched).containsExactly("between", "hashes", "stars");
    }

    @Test
    void aPatternOfManyLevelsIsNoRecursion() {
        RoutingKey pattern = RoutingKey.of("a" + ".a".repeat(100_000));
        BindingSpec binding = binding("q", pattern);
        TopicMatcher matcher = TopicMatcher.EMPTY.with(binding);
        assertThat(matched(matcher, pattern)).containsExactly("q");
        assertThat(matcher.without(binding).root().isEmpty()).isTrue();
    }

    @Test
    void randomPatternsMatchWhatTheSlowWayMatches() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<BindingSpec> bound = new ArrayList<>();
            Matcher matcher = TopicMatcher.EMPTY;
            for (int i = 0; i < 20; i++) {
                if (!bound.isEmpty() && random.nextInt(4) == 0) {
                    matcher = matcher.without(bound.remove(random.nextInt(bound.size())));
                } else {
                    BindingSpec binding = binding("q" + i, RoutingKey.of(words(random, "ab*#", 6)));
                    bound.add(binding);
                    matcher = matcher.with(binding);
                }
            }
            for (int i = 0; i < 10; i++) {
                String key = words(random, "abc", 7);
                Set<String> expected = new TreeSet<>();
                for (BindingSpec binding : bound) {
                    if (SlowTopics.matches(binding.key().toString(), key)) {
                        expected.add(binding.destination().name());
                    }
                }
                assertThat(matched(matcher, RoutingKey.of(key)))
                        .as("seed %d, key '%s', bindings %s", seed, key, bound)
                        .containsExactlyElementsOf(expected);
            }
        }
    }

    /** Up to {@code most} words of one letter, some of them empty. */
    private static String words(Random random, String letters, int most) {
        int count = random.nextInt(most + 1);
        List<String> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            words.add(random.nextInt(12) == 0 ? "" : String.valueOf(letters.charAt(random.nextInt(letters.length()))));
        }
        return String.join(".", words);
    }

    private static void assertMatches(String pattern, String... keys) {
        Matcher matcher = TopicMatcher.EMPTY.with(binding("q", RoutingKey.of(pattern)));
        for (String key : keys) {
            assertThat(matched(matcher, RoutingKey.of(key)))
                    .as("'%s' against '%s'", key, pattern)
                    .containsExactly("q");
        }
    }

    private static void assertMatchesNot(String pattern, String... keys) {
        Matcher matcher = TopicMatcher.EMPTY.with(binding("q", RoutingKey.of(pattern)));
        for (String key : keys) {
            assertThat(matched(matcher, RoutingKey.of(key)))
                    .as("'%s' against '%s'", key, pattern)
                    .isEmpty();
        }
    }

    private static List<String> matched(Matcher matcher, RoutingKey key) {
        return Messages.matched(matcher, key, Messages.PLAIN);
    }

    private static BindingSpec binding(String queue, RoutingKey pattern) {
        return new BindingSpec("x", Destination.queue(queue), pattern, Map.of());
    }
}
