package org.entrepot.core.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import org.slf4j.event.KeyValuePair;

/**
 * The log for people: time, level, who, what. A message is one line whatever is in it, so that nothing a client names
 * itself can look like a line of ours.
 */
final class TextLine extends LogLine {

    @Override
    void write(ILoggingEvent event, StringBuilder out) {
        time(event.getTimeStamp(), out);
        out.append(' ').append(event.getLevel());
        if (event.getLevel().levelStr.length() < 5) {
            out.append(' ');
        }
        if (!event.getLoggerName().equals(LogSetup.READY_LOGGER)) {
            out.append(' ').append(simpleName(event.getLoggerName())).append(':');
        }
        if (Level.DEBUG.isGreaterOrEqual(event.getLevel())) {
            out.append(" [").append(event.getThreadName()).append(']');
        }
        out.append(' ');
        escaped(event.getFormattedMessage(), out);
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                out.append(' ').append(pair.key).append('=');
                escaped(String.valueOf(pair.value), out);
            }
        }
        out.append('\n').append(trace(event));
    }

    private static String simpleName(String logger) {
        return logger.substring(logger.lastIndexOf('.') + 1);
    }

    private static void escaped(String text, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
    }
}
