package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamePatternTest {

    private static boolean matches(String pattern, String name) {
        NamePattern.Reading reading = NamePattern.read(pattern);
        assertThat(reading.fault()).isEmpty();
        return reading.pattern().matches(name);
    }

    @ParameterizedTest
    @CsvSource({
        ".*, orders, true",
        "^$, orders, false",
        "orders, orders, true",
        "orders, my-orders-2, true",
        "^orders, my-orders, false",
        "orders$, my-orders, true",
        "^(amq\\.gen.*|amq\\.default)$, amq.gen-4XnL, true",
        "^(amq\\.gen.*|amq\\.default)$, amq.default, true",
        "^(amq\\.gen.*|amq\\.default)$, amqXdefault, false",
        "^team-[a-z]{2}-\\d+$, team-ab-17, true",
        "^team-[a-z]{2}-\\d+$, team-ab-, false",
        "(?i)ORDERS, orders, true",
    })
    void namesAreSearchedForThePattern(String pattern, String name, boolean expected) {
        assertThat(matches(pattern, name)).isEqualTo(expected);
    }

    @Test
    void theEmptyPatternMatchesOnlyTheEmptyName() {
        assertThat(matches("", "")).isTrue();
        assertThat(matches("", "orders")).isFalse();
        assertThat(matches("", "\n")).isFalse();
        assertThat(matches(".*", "")).isTrue();
    }

    @Test
    void anAnchoredPatternDoesNotMatchBeforeALineBreak() {
        assertThat(matches("^orders$", "orders\n")).isFalse();
        assertThat(matches("^orders$", "x\norders")).isFalse();
        assertThat(matches("^.*$", "a\nb")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"(a+)+$", "^(.*a){12}$", "(a|aa)+$", "^(a|a?)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*(.*)*x$"})
    void whatBlowsUpABacktrackingEngineTakesLinearTime(String pattern) {
        String name = "a".repeat(50_000) + "!";

        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {
            assertThat(matches(pattern, name)).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "((((((a{10}){10}){10}){10}){10}){10}){10}",
                "(a{1000}){1000}",
                "(?:(?:x{100}y){100}z){100}",
                "(a{1000}b{1000}[(]){3}",
                "(a{1000}b{1000}[](]){3}",
                "(a{1000}b{1000}[^](]){3}",
                "(a{1000}b{1000}[[:alpha:](]){3}",
                "(a{1000}b{1000}[\\](]){3}",
                "(a{1000}b{1000}\\(){3}",
                "(a{1000}b{1000}\\Q(\\E){3}",
                "([)]a{1000}b{1000}){3}",
                "(\\)a{1000}b{1000}){3}",
                "(\\Q)\\Ea{1000}b{1000}){3}",
                "(\\x{28}a{1000}b{1000}){3}",
                "(\\p{L}a{1000}b{1000}){3}",
                "(a{900,1000}){900,1000}",
                "(a{900,}){900,}",
                "(?P<n>a{1000}){1000}",
            })
    void repetitionsThatWouldFillTheHeapAreRefusedBeforeTheyAreUnrolled(String pattern) {
        NamePattern.Reading reading = NamePattern.read(pattern);

        assertThat(reading.fault())
                .hasValueSatisfying(fault -> assertThat(fault).contains("too many"));
        assertThat(reading.pattern().matches("a".repeat(1000))).isFalse();
    }

    @Test
    void nestingAndLengthHaveBounds() {
        assertThat(NamePattern.read("(".repeat(3000) + ")".repeat(3000)).fault())
                .isPresent();
        assertThat(NamePattern.read("(".repeat(4000)).fault()).isPresent();
        assertThat(NamePattern.read("a".repeat(4097)).fault()).isPresent();
        assertThat(NamePattern.read("(".repeat(50) + "a" + ")".repeat(50)).fault())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
                "^(a|b|c){1,3}\\.(x{2}y){3}$",
                "literal{brace} and {1,x} and {,5} and }",
                "\\p{Greek}{3}\\pN\\x{1f600}",
                "[]a{5}]{5}",
                "[^]]{5}",
                "\\Q(((({1000}{1000}\\E",
                "\\Qunclosed(",
                "a{1000}",
            })
    void usualPatternsAreWithinBounds(String pattern) {
        assertThat(NamePattern.read(pattern).fault()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^(?!amq\\.).*",
                "(?<=a)b",
                "(a)\\1",
                "[a-z",
                "(",
                ")",
                "a**",
                "x{2,1}",
                "a{1001}",
                "\\",
                "[",
                "[^",
                "[a\\"
            })
    void whatIsNoPatternOfRe2MatchesNothingAndSaysWhy(String pattern) {
        NamePattern.Reading reading = NamePattern.read(pattern);

        assertThat(reading.fault()).isPresent();
        assertThat(reading.pattern().matches("")).isFalse();
        assertThat(reading.pattern().matches("orders")).isFalse();
    }
}
