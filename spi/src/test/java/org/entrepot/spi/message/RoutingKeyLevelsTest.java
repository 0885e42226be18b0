package org.entrepot.spi.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys of levels that may hold anything. */
class RoutingKeyLevelsTest {
    private static final List<List<String>> LEVELS = List.of(
            List.of(""),
            List.of("", ""),
            List.of("a", "b"),
            List.of("a.b", "."),
            List.of("*", "#", "**", "*a", "a#"),
            List.of("\0", "\0\0", "\0*", "*\0", "\0.\0", "\0\u0001"),
            List.of("\u00fc", "\u20ac*"));

    @Test
    void levelsAreReadAsTheyWereJoined() {
        for (List<String> levels : LEVELS) {
            assertThat(RoutingKey.join(levels).levels()).isEqualTo(levels);
        }
    }

    @Test
    void noLevelThatIsJoinedIsAWildcard() {
        assertThat(bytes(RoutingKey.join(List.of("*", "#", "a*"))))
                .isEqualTo("\0*.\0#.a*".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void keysWrittenWithDotsPassAsTheyAre() {
        for (String key : List.of("*.#", "a\0*", "\0", "a.b")) {
            assertThat(bytes(RoutingKey.of(key))).isEqualTo(key.getBytes(StandardCharsets.UTF_8));
            assertThat(String.join(".", RoutingKey.of(key).levels())).isEqualTo(key);
        }
    }

    private static byte[] bytes(RoutingKey key) {
        return key.bytes().toArray();
    }
}
