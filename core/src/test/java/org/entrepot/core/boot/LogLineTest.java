package org.entrepot.core.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LogLineTest {
    private final LoggerContext context = new LoggerContext();

    @BeforeEach
    void giveContext() {
        context.setMDCAdapter(new LogbackMDCAdapter());
    }

    @Test
    void aLineForPeopleHasTimeLevelNameAndMessage() {
        assertThat(text(new TextLine(), event(Level.WARN, "port in use", null)))
                .isEqualTo("2026-11-30T09:05:07.042Z WARN  Listeners: port in use\n");
    }

    @Test
    void theThreadIsShownWhereDetailsAre() {
        assertThat(text(new TextLine(), event(Level.DEBUG, "x", null)))
                .isEqualTo("2026-11-30T09:05:07.042Z DEBUG Listeners: [loop-1] x\n");
    }

    @Test
    void aMessageCannotPretendToBeSeveralLines() {
        assertThat(text(new TextLine(), event(Level.INFO, "user a\n2026 ERROR b\u001b[2J\u0085", null)))
                .endsWith("Listeners: user a\\u000a2026 ERROR b\\u001b[2J\\u0085\n");
    }

    @Test
    void anExceptionFollowsItsMessage() {
        String line = text(new TextLine(), event(Level.ERROR, "fault", new IllegalStateException("why")));

        assertThat(line)
                .contains("fault\njava.lang.IllegalStateException: why\n\tat ")
                .endsWith("\n");
    }

    @Test
    void aLineForProgramsIsOneObject() {
        LoggingEvent event = event(Level.ERROR, "a \"b\"\n\\", new IllegalStateException("why"));
        event.addKeyValuePair(new KeyValuePair("queue", "q\t1"));

        String line = text(new JsonLine(), event);

        assertThat(line)
                .startsWith("{\"time\":\"2026-11-30T09:05:07.042Z\",\"level\":\"ERROR\","
                        + "\"logger\":\"org.entrepot.core.listener.Listeners\",\"thread\":\"loop-1\","
                        + "\"msg\":\"a \\\"b\\\"\\n\\\\\",\"queue\":\"q\\t1\","
                        + "\"err\":\"java.lang.IllegalStateException: why\\n\\tat ")
                .endsWith("\"}\n");
        assertThat(line.indexOf('\n')).isEqualTo(line.length() - 1);
    }

    private LoggingEvent event(Level level, String message, Throwable fault) {
        LoggingEvent event = new LoggingEvent(
                "", context.getLogger("org.entrepot.core.listener.Listeners"), level, message, fault, null);
        event.setInstant(Instant.parse("2026-11-30T09:05:07.042Z"));
        event.setThreadName("loop-1");
        return event;
    }

    private static String text(LogLine line, LoggingEvent event) {
        return new String(line.encode(event), StandardCharsets.UTF_8);
    }
}
