package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicPatternTest {

    private static String with(String username, String pattern) {
        return TopicPattern.with(Map.of("username", username, "vhost", "/"), pattern)
                .orElseThrow();
    }

    private static boolean matches(String username, String pattern, String key) {
        NamePattern.Reading reading = NamePattern.read(with(username, pattern));
        assertThat(reading.fault()).isEmpty();
        return reading.pattern().matches(key);
    }

    @Test
    void variablesArePutIn() {
        assertThat(with("alice", "^{username}\\.{vhost}\\.{username}$")).isEqualTo("^alice\\.\\/\\.alice$");
        assertThat(TopicPattern.with(Map.of("client_id", "c1"), "^{client_id}$"))
                .contains("^c1$");
        assertThat(with("alice", "no variables {2} {user} {username")).isEqualTo("no variables {2} {user} {username");
    }

    @Test
    void aPatternWithAVariableThatIsNotKnownIsNone() {
        assertThat(TopicPattern.with(Map.of("username", "alice"), "^{client_id}$"))
                .isEmpty();
    }

    @Test
    void whatIsPutInIsNotReadAgain() {
        assertThat(with("{vhost}", "^{username}$")).isEqualTo("^\\{vhost\\}$");
        assertThat(with("alice", "^\\{username}$")).isEqualTo("^\\{username}$");
        assertThat(with("alice", "^\\\\{username}$")).isEqualTo("^\\\\alice$");
    }

    /** Each character alone and between others, outside and inside a character class, stands for itself only. */
    @Test
    void everyCharacterOfANameIsLiteral() {
        for (char c = 0; c < 0x250; c++) {
            for (String name : new String[] {"" + c, "a" + c + "z", c + "*", "^" + c, "\\E" + c}) {
                assertThat(matches(name, "^{username}$", name))
                        .as("%x", (int) c)
                        .isTrue();
                assertThat(matches(name, "^{username}$", name + "x")).isFalse();
                assertThat(matches(name, "^{username}$", "m")).isEqualTo(name.equals("m"));
                for (char other = ' '; other < 0x7f; other++) {
                    boolean expected = name.indexOf(other) >= 0;
                    if (matches(name, "^[{username}]$", "" + other) != expected) {
                        throw new AssertionError("'" + name + "' in a class, and '" + other + "'");
                    }
                }
            }
        }
    }

    @Test
    void namesOfAnyScriptAreLiteral() {
        assertThat(matches("東京😀é", "^{username}\\.", "東京😀é.x")).isTrue();
        assertThat(matches("東京😀é", "^{username}\\.", "東京😀e.x")).isFalse();
    }
}
