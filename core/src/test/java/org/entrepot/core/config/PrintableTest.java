package org.entrepot.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {

    @Test
    void ordinaryTextOfAnyLanguageStays() {
        assertThat(Printable.of("guest", 20)).isEqualTo("guest");
        assertThat(Printable.of("Zürich 東京 \ud83d\ude00", 20)).isEqualTo("Zürich 東京 \ud83d\ude00");
        assertThat(Printable.of("", 20)).isEmpty();
    }

    @Test
    void whatBreaksLinesOrSteersTerminalsIsEscaped() {
        assertThat(Printable.of("a\r\nb\u001b[31m\u0000\u0085\u2028\u202e\u009b\u200f", 100))
                .isEqualTo("a\\u000d\\u000ab\\u001b[31m\\u0000\\u0085\\u2028\\u202e\\u009b\\u200f");
        assertThat(Printable.of("\ud800x\ufeff\udb40\udc41", 100)).isEqualTo("\\ud800x\\ufeff\\u{e0041}");
    }

    @Test
    void longTextIsCutAtAWholeCharacter() {
        assertThat(Printable.of("0123456789", 10)).isEqualTo("0123456789");
        assertThat(Printable.of("0123456789x", 10)).isEqualTo("0123456...");
        assertThat(Printable.of("01234\n6789x", 10)).isEqualTo("01234...");
        assertThat(Printable.of("x".repeat(1_000_000), 10)).hasSize(10);
    }
}
