package org.entrepot.core.boot;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** One event as a line of the log. Used by the thread that writes the log. */
abstract class LogLine extends EncoderBase<ILoggingEvent> {
    private static final byte[] NOTHING = {};

    private final StringBuilder line = new StringBuilder(256);

    /** Writes one event. */
    abstract void write(ILoggingEvent event, StringBuilder out);

    @Override
    public final byte[] encode(ILoggingEvent event) {
        line.setLength(0);
        write(event, line);
        return line.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }

    /** UTC by RFC 3339 with milliseconds, such as 2026-12-01T09:30:00.125Z. */
    static void time(long epochMillis, StringBuilder out) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(Math.floorDiv(epochMillis, 1000L), 0, ZoneOffset.UTC);
        digits(time.getYear(), 4, out);
        out.append('-');
        digits(time.getMonthValue(), 2, out);
        out.append('-');
        digits(time.getDayOfMonth(), 2, out);
        out.append('T');
        digits(time.getHour(), 2, out);
        out.append(':');
        digits(time.getMinute(), 2, out);
        out.append(':');
        digits(time.getSecond(), 2, out);
        out.append('.');
        digits(Math.floorMod(epochMillis, 1000), 3, out);
        out.append('Z');
    }

    /** The stack trace of an event's exception, with its causes; empty without one. */
    static String trace(ILoggingEvent event) {
        IThrowableProxy fault = event.getThrowableProxy();
        return fault == null ? "" : ThrowableProxyUtil.asString(fault);
    }

    private static void digits(int number, int width, StringBuilder out) {
        String text = Integer.toString(number);
        out.append("0".repeat(Math.max(0, width - text.length()))).append(text);
    }
}
