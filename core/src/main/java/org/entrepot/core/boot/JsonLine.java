package org.entrepot.core.boot;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.Map;
import org.slf4j.event.KeyValuePair;

/** The log for programs: one JSON object a line, with time, level, logger, thread, msg, and err for an exception. */
final class JsonLine extends LogLine {

    @Override
    void write(ILoggingEvent event, StringBuilder out) {
        out.append("{\"time\":\"");
        time(event.getTimeStamp(), out);
        out.append('"');
        field("level", event.getLevel().levelStr, out);
        field("logger", event.getLoggerName(), out);
        field("thread", event.getThreadName(), out);
        field("msg", event.getFormattedMessage(), out);
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                field(pair.key, String.valueOf(pair.value), out);
            }
        }
        for (Map.Entry<String, String> entry : event.getMDCPropertyMap().entrySet()) {
            field(entry.getKey(), entry.getValue(), out);
        }
        String trace = trace(event);
        if (!trace.isEmpty()) {
            field("err", trace, out);
        }
        out.append("}\n");
    }

    private static void field(String name, String value, StringBuilder out) {
        out.append(",\"");
        escaped(name, out);
        out.append("\":\"");
        escaped(value, out);
        out.append('"');
    }

    private static void escaped(String text, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (Character.isISOControl(c)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
    }
}
