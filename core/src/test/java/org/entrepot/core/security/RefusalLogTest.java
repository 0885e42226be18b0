package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefusalLogTest {
    private final ArrayDeque<Runnable> minutes = new ArrayDeque<>();
    private final RefusalLog refusals = new RefusalLog((work, delayMillis) -> {
        assertThat(delayMillis).isEqualTo(60_000);
        minutes.add(work);
    });

    private void minutePasses() {
        Runnable end = minutes.poll();
        if (end != null) {
            end.run();
        }
    }

    @Test
    void aRefusalIsWrittenOnceAMinuteWithItsCount() {
        try (LogLines log = new LogLines(RefusalLog.class)) {
            for (int i = 0; i < 1000; i++) {
                refusals.refused("10.0.0.1", "PLAIN on amqp", "user 'alice' gave a wrong password");
            }
            refusals.refused("10.0.0.2", "PLAIN on amqp", "user 'alice' gave a wrong password");
            assertThat(log.lines())
                    .containsExactly(
                            "Refused a login from 10.0.0.1 (PLAIN on amqp): user 'alice' gave a wrong password",
                            "Refused a login from 10.0.0.2 (PLAIN on amqp): user 'alice' gave a wrong password");

            minutePasses();
            assertThat(log.lines().subList(2, log.lines().size()))
                    .containsExactly("Refused a login from 10.0.0.1 999 more times within a minute: user 'alice' gave a"
                            + " wrong password");

            refusals.refused("10.0.0.1", "PLAIN on amqp", "user 'alice' gave a wrong password");
            assertThat(log.lines()).hasSize(4);
            minutePasses();
            minutePasses();
            assertThat(log.lines()).hasSize(4);
        }
    }

    @Test
    void aFloodOfDifferentNamesIsSummedUp() {
        try (LogLines log = new LogLines(RefusalLog.class)) {
            for (int i = 0; i < 10_000; i++) {
                refusals.refused("10.0.0.1", "PLAIN on amqp", "user 'name" + i + "' is not known");
            }
            assertThat(log.lines()).hasSize(RefusalLog.LINES_PER_MINUTE_MAX);
            minutePasses();
            assertThat(log.lines())
                    .hasSize(RefusalLog.LINES_PER_MINUTE_MAX + 1)
                    .last()
                    .isEqualTo("Refused 9900 further logins within a minute, from other addresses or users");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\r\nforged",
                "a\u001b[31mred",
                "a\u009b31m",
                "a\u0000b",
                "a\u2028b",
                "a\u202egpj.exe",
                "a\u0007\b\f\u000b",
                "${jndi:x}\n{}",
            })
    void hostileTextMakesOneHarmlessLine(String text) {
        try (LogLines log = new LogLines(RefusalLog.class)) {
            refusals.refused(text, text, text);

            assertThat(log.lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line.codePoints())
                            .noneMatch(c -> c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x202e));
        }
    }

    @Test
    void longTextIsCut() {
        try (LogLines log = new LogLines(RefusalLog.class)) {
            refusals.refused("10.0.0.1", "PLAIN on amqp", "x".repeat(1_000_000));

            assertThat(log.lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line.length()).isLessThan(1000));
        }
    }

    @Test
    void aFailingAuthenticatorIsToldOnceAMinuteAsAFaultOfItsOwn() {
        try (LogLines log = new LogLines(RefusalLog.class)) {
            for (int i = 0; i < 5; i++) {
                refusals.failed("ldap", new IllegalStateException("no route"));
            }
            minutePasses();

            assertThat(log.lines())
                    .isEqualTo(List.of(
                            "The authenticator ldap failed; logins go on without it",
                            "The authenticator ldap failed 4 more times within a minute with"
                                    + " java.lang.IllegalStateException"));
        }
    }
}
