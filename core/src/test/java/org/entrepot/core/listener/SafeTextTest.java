package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SafeTextTest {

    @Test
    void plainTextStaysTheSameObject() {
        String text = "queue 'größe' of 日本";
        assertThat(SafeText.of(text, 100)).isSameAs(text);
    }

    @Test
    void whatEndsALineOrSteersATerminalIsEscaped() {
        assertThat(SafeText.of("a\r\nb\tc\u0000\u001b[31m\u007f\u0085\u2028\u202ed", 100))
                .isEqualTo("a\\u000d\\u000ab\\u0009c\\u0000\\u001b[31m\\u007f\\u0085\\u2028\\u202ed");
    }

    @Test
    void longTextIsCutAlsoWhenEscapesMakeItLong() {
        assertThat(SafeText.of("x".repeat(50), 10)).isEqualTo("xxxxxxxxxx...");
        assertThat(SafeText.of("x".repeat(10), 10)).isEqualTo("xxxxxxxxxx");
        assertThat(SafeText.of("\n".repeat(1_000_000), 12)).isEqualTo("\\u000a\\u000a...");
    }
}
