package org.entrepot.mqtt.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.entrepot.spi.message.RoutingKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Topic names and filters (specification 4.7), and the routing keys and patterns that they are. */
class TopicsTest {
    private static final List<String> NAMES = List.of("", "a", "b", "a.b", ".", "*", "**", "a*", "$", "$SYS", "é", "✓");
    private static final List<String> WILDCARDS = List.of("+", "#");

    private static boolean matches(String filter, String name) {
        return Topics.matches(filter.getBytes(StandardCharsets.UTF_8), buffer(name));
    }

    private static ByteBuf buffer(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    /** The specification in few words. */
    private static boolean reference(String filter, String name) {
        if (name.startsWith("$") && (filter.startsWith("+") || filter.startsWith("#"))) {
            return false;
        }
        return reference(List.of(filter.split("/", -1)), List.of(name.split("/", -1)));
    }

    private static boolean reference(List<String> filter, List<String> name) {
        if (filter.isEmpty()) {
            return name.isEmpty();
        }
        if (filter.get(0).equals("#")) {
            return true;
        }
        return !name.isEmpty()
                && (filter.get(0).equals("+") || filter.get(0).equals(name.get(0)))
                && reference(filter.subList(1, filter.size()), name.subList(1, name.size()));
    }

    private static String name(Random random) {
        StringBuilder name = new StringBuilder();
        int levels = 1 + random.nextInt(4);
        for (int i = 0; i < levels; i++) {
            name.append(i == 0 ? "" : "/").append(NAMES.get(random.nextInt(NAMES.size())));
        }
        return name.isEmpty() ? "a" : name.toString();
    }

    private static String filter(Random random) {
        String[] levels = name(random).split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            if (random.nextInt(4) == 0) {
                levels[i] = WILDCARDS.get(i == levels.length - 1 ? random.nextInt(2) : 0);
            }
        }
        String filter = String.join("/", levels);
        return filter.isEmpty() ? "+" : filter;
    }

    @Test
    void randomFiltersMatchWhatTheSpecificationSays() {
        Random random = new Random(7);
        int matched = 0;
        for (int i = 0; i < 300_000; i++) {
            String filter = filter(random);
            String name = name(random);
            assertThat(matches(filter, name)).as("%s on %s", filter, name).isEqualTo(reference(filter, name));
            matched += matches(filter, name) ? 1 : 0;
        }
        assertThat(matched).as("filters that match").isGreaterThan(10_000);
    }

    @ParameterizedTest
    @CsvSource({
        "sport/tennis/player1/#, sport/tennis/player1, true",
        "sport/tennis/player1/#, sport/tennis/player1/ranking, true",
        "sport/#, sport, true",
        "sport/tennis/+, sport/tennis/player1/ranking, false",
        "sport/+, sport, false",
        "sport/+, sport/, true",
        "+/+, /finance, true",
        "/+, /finance, true",
        "+, /finance, false",
        "#, $SYS/uptime, false",
        "+/uptime, $SYS/uptime, false",
        "$SYS/#, $SYS/uptime, true",
        "$SYS/+, $SYS/uptime, true",
        "#, a/$SYS, true",
        "ACCOUNTS, Accounts, false",
        "a/, a, false",
        "/, /, true",
        "a//b, a//b, true",
        "a/+/b, a//b, true"
    })
    void theExamplesOfTheSpecificationHold(String filter, String name, boolean expected) {
        assertThat(matches(filter, name)).isEqualTo(expected);
    }

    @Test
    void aNameMayStandAnywhereInItsBuffer() {
        ByteBuf buffer = buffer("xxa/bxx").skipBytes(2);
        buffer.writerIndex(5);

        assertThat(Topics.matches("a/+".getBytes(StandardCharsets.UTF_8), buffer))
                .isTrue();
        assertThat(Topics.matches("a/bxx".getBytes(StandardCharsets.UTF_8), buffer))
                .isFalse();
    }

    @Test
    void aNameSurvivesBeingAKey() {
        Random random = new Random(3);
        Map<RoutingKey, String> keys = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            String name = name(random);
            RoutingKey key = Topics.key(name);
            assertThat(Topics.topic(key)).isEqualTo(name);
            String other = keys.put(key, name);
            assertThat(other == null ? name : other).as("what else is %s", key).isEqualTo(name);
        }
    }

    @Test
    void aFilterSurvivesBeingAPattern() {
        Random random = new Random(4);
        Map<RoutingKey, String> patterns = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            String filter = filter(random);
            RoutingKey pattern = Topics.pattern(filter);
            assertThat(Topics.filter(pattern)).isEqualTo(filter);
            String other = patterns.put(pattern, filter);
            assertThat(other == null ? filter : other)
                    .as("what else is %s", pattern)
                    .isEqualTo(filter);
        }
    }

    @Test
    void aFilterWithoutWildcardsIsTheKeyOfItsName() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            String name = name(random);
            assertThat(Topics.pattern(name)).as(name).isEqualTo(Topics.key(name));
        }
    }

    @Test
    void keysAreWhatOtherProtocolsMakeOfTheSameLevels() {
        Random random = new Random(6);
        for (int i = 0; i < 20_000; i++) {
            String name = name(random);
            assertThat(Topics.key(name)).as(name).isEqualTo(RoutingKey.join(List.of(name.split("/", -1))));
        }
    }

    @ParameterizedTest
    @CsvSource({"a/b, a.b", "a/+/c, a.*.c", "a/#, a.#", "#, #", "+, *", "/a/, .a."})
    void slashesAreDotsAndPlusIsAStar(String filter, String pattern) {
        assertThat(Topics.pattern(filter)).isEqualTo(RoutingKey.of(pattern));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.+", "a+", "#", "a.#", "a\0", "\0x", "a\0\0", "a\u0001", "a\u007F", "\u0085.a"})
    void aKeyThatIsNoTopicIsNone(String key) {
        assertThat(Topics.topic(RoutingKey.of(key))).isEmpty();
    }

    @Test
    void aKeyThatIsNotUtf8IsNoTopic() {
        byte[] bytes = {'a', '.', (byte) 0xC3, '.', 'b'};
        assertThat(Topics.topic(RoutingKey.copyOf(Unpooled.wrappedBuffer(bytes), 0, bytes.length)))
                .isEmpty();
        assertThat(Topics.topic(RoutingKey.of("ä.✓"))).isEqualTo("ä/✓");
    }

    @Test
    void theKeyOfAnotherProtocolMayHaveAStar() {
        assertThat(Topics.topic(RoutingKey.of("a.*"))).isEqualTo("a/*");
    }

    @ParameterizedTest
    @CsvSource({
        "'', an empty topic name",
        "a/+, a topic name with a wildcard",
        "a#, a topic name with a wildcard",
        "a/b/c/d, a topic name of more than 3 levels"
    })
    void aNameHasNoWildcardsAndNotTooManyLevels(String name, String fault) {
        ByteBuf buffer = buffer(name);
        assertThat(Topics.fault(buffer, 0, buffer.readableBytes(), 3)).isEqualTo(fault);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "/", "//", " ", "a b", "$SYS", "a/b/c", "*", "a.b"})
    void manyNamesAreFine(String name) {
        ByteBuf buffer = buffer(name);
        assertThat(Topics.fault(buffer, 0, buffer.readableBytes(), 3)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a+", "+a", "a/+b/c", "a/b+", "#/a", "a#", "a/#b", "a/b#", "##", "#/", "++", "a/#/"})
    void aWildcardHasItsLevelAlone(String filter) {
        assertThat(Topics.filterFault(filter, 9)).isEqualTo("a topic filter with a misplaced wildcard");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#", "+", "a/#", "a/+", "+/a", "+/+/#", "/#", "/+", "+/", "a", "$SYS/#", "a/b/c"})
    void manyFiltersAreFine(String filter) {
        assertThat(Topics.filterFault(filter, 3)).isEmpty();
    }

    @Test
    void aFilterIsNotEmptyAndHasNotTooManyLevels() {
        assertThat(Topics.filterFault("", 3)).isEqualTo("an empty topic filter");
        assertThat(Topics.filterFault("a/b/c/d", 3)).isEqualTo("a topic filter of more than 3 levels");
    }
}
