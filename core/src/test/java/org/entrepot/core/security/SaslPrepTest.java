package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SaslPrepTest {

    /** RFC 4013 section 3. */
    @ParameterizedTest
    @CsvSource({
        "I\u00adX, IX",
        "user, user",
        "USER, USER",
        "\u00aa, a",
        "\u2168, IX",
    })
    void examplesOfTheRfc(String text, String prepared) {
        assertThat(SaslPrep.of(text)).contains(prepared);
    }

    @Test
    void whatIsTypedInTwoWaysIsTheSame() {
        assertThat(SaslPrep.of("caf\u00e9")).isEqualTo(SaslPrep.of("cafe\u0301"));
        assertThat(SaslPrep.of("a\u00a0b")).contains("a b");
        assertThat(SaslPrep.of("\u6771\u4eac\ud83d\ude00")).contains("\u6771\u4eac\ud83d\ude00");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0007",
                "a\nb",
                "a\u0000",
                "\u007f",
                "\u0085",
                "\u2028",
                "\u200e",
                "\u202a",
                "\ufffd",
                "\ufffe",
                "\ufdd0",
                "\ue000",
                "\ud800",
                "\u2ff0",
                "\udb40\udc01",
                "",
                "\u00ad"
            })
    void whatIsProhibitedOrNothingIsNone(String text) {
        assertThat(SaslPrep.of(text)).isEmpty();
    }
}
