package org.entrepot.stomp;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.PropertyNames;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.stomp.wire.Header;
import org.entrepot.stomp.wire.HeaderLines;
import org.entrepot.stomp.wire.LineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The lines that a MESSAGE has of its message: those that were sent, where they were sent by STOMP and nothing happened to the
 * message, else written anew. Owned by its session's loop.
 */
final class Rendering {
    private static final String FIRST = "x-first-death-";
    private static final String LAST = "x-last-death-";
    private static final String DELIVERY_COUNT = "x-delivery-count";

    /** What the broker says itself: nothing that a client sent under these names counts. */
    private static final Set<String> DEATH_HEADERS = Set.of(
            FIRST + "queue", FIRST + "reason", FIRST + "exchange", LAST + "queue", LAST + "reason", LAST + "exchange");

    private final MessageFormat stomp;

    Rendering(MessageFormat stomp) {
        this.stomp = stomp;
    }

    /**
     * The lines of a message.
     *
     * @param returns how often it was returned, for queues that say so; 0 for others
     */
    Bytes lines(Message message, Envelope envelope, Annotations annotations, int returns) {
        boolean sentByStomp = message.format() == stomp;
        if (sentByStomp && annotations.deaths().isEmpty() && returns == 0) {
            return message.header();
        }
        LineBuffer lines = new LineBuffer();
        boolean died = !annotations.deaths().isEmpty();
        if (sentByStomp) {
            kept(message.header(), died, returns > 0, lines);
        } else {
            properties(message, envelope, died, lines);
            headers(message, died, returns > 0, lines);
        }
        if (died) {
            List<Death> deaths = annotations.deaths();
            Death first = annotations.first();
            death(lines, FIRST, first == null ? deaths.get(deaths.size() - 1) : first);
            death(lines, LAST, deaths.get(0));
        }
        if (returns > 0) {
            lines.line(DELIVERY_COUNT, Integer.toString(returns));
        }
        return Bytes.wrap(lines.toArray());
    }

    private static void kept(Bytes header, boolean died, boolean returned, LineBuffer out) {
        HeaderLines lines = new HeaderLines(header);
        while (lines.next()) {
            boolean replaced = lines.header() == null
                    ? isReplaced(lines.name(), died, returned)
                    : died && lines.header() == Header.EXPIRATION;
            if (!replaced) {
                lines.writeTo(out);
            }
        }
    }

    private static boolean isReplaced(String name, boolean died, boolean returned) {
        return (died && DEATH_HEADERS.contains(name)) || (returned && name.equals(DELIVERY_COUNT));
    }

    private static void death(LineBuffer out, String prefix, Death death) {
        line(out, prefix + "exchange", death.exchange());
        line(out, prefix + "queue", death.queue());
        line(out, prefix + "reason", reason(death));
    }

    /** Appends a line, unless it has a zero byte: that would pass for the end of a frame where clients look for one. */
    private static void line(LineBuffer out, String name, String value) {
        if (name.indexOf('\0') < 0 && value.indexOf('\0') < 0) {
            out.line(name, value);
        }
    }

    private static String reason(Death death) {
        return switch (death.reason()) {
            case REJECTED -> "rejected";
            case EXPIRED -> "expired";
            case MAXLEN -> "maxlen";
            case DELIVERY_LIMIT -> "delivery_limit";
        };
    }

    // ---- messages of other protocols

    private static void properties(Message message, Envelope envelope, boolean died, LineBuffer out) {
        property(message, PropertyNames.CONTENT_TYPE, Header.CONTENT_TYPE, out);
        property(message, PropertyNames.CONTENT_ENCODING, Header.CONTENT_ENCODING, out);
        if (envelope.durable()) {
            out.line(Header.PERSISTENT.text(), "true");
        }
        if (envelope.priority() != Envelope.NO_PRIORITY) {
            out.line(Header.PRIORITY.text(), Integer.toString(envelope.priority()));
        }
        property(message, PropertyNames.CORRELATION_ID, Header.CORRELATION_ID, out);
        replyTo(message, out);
        if (!died && envelope.ttlMillis() != Envelope.NO_TTL) {
            out.line(Header.EXPIRATION.text(), Long.toString(envelope.ttlMillis()));
        }
        property(message, PropertyNames.MESSAGE_ID, Header.AMQP_MESSAGE_ID, out);
        property(message, PropertyNames.TIMESTAMP, Header.TIMESTAMP, out);
        property(message, PropertyNames.TYPE, Header.TYPE, out);
        property(message, PropertyNames.USER_ID, Header.USER_ID, out);
        property(message, PropertyNames.APP_ID, Header.APP_ID, out);
    }

    private static void replyTo(Message message, LineBuffer out) {
        String replyTo = text(message.format().property(message.header(), PropertyNames.REPLY_TO));
        String topic = text(message.format().property(message.header(), PropertyNames.REPLY_TO_TOPIC));
        if (replyTo != null) {
            line(out, Header.REPLY_TO.text(), Destination.replyTo(replyTo));
        } else if (topic != null) {
            line(out, Header.REPLY_TO.text(), Destination.replyToTopic(topic));
        }
    }

    private static void property(Message message, String name, Header header, LineBuffer out) {
        String value = text(message.format().property(message.header(), name));
        if (value != null) {
            line(out, header.text(), value);
        }
    }

    private static void headers(Message message, boolean died, boolean returned, LineBuffer out) {
        for (Map.Entry<String, Object> each :
                message.format().headers(message.header()).entrySet()) {
            String value = text(each.getValue());
            if (value != null
                    && each.getKey().indexOf('\0') < 0
                    && !isTaken(each.getKey())
                    && !isReplaced(each.getKey(), died, returned)) {
                line(out, each.getKey(), value);
            }
        }
    }

    /** Whether a header of this name would pass for one of the MESSAGE itself, or for a property. */
    private static boolean isTaken(String name) {
        Header header = Header.named(name);
        if (header == null) {
            return false;
        }
        return switch (header) {
            case DESTINATION, CONTENT_LENGTH, SUBSCRIPTION, MESSAGE_ID, REDELIVERED, ACK -> true;
            default -> StompMessageFormat.isProperty(header);
        };
    }

    /** A key as STOMP writes it: levels with dots between them, whatever was a dot within one. */
    RoutingKey key(Message message, Envelope envelope) {
        RoutingKey key = envelope.routingKey();
        if (message.format() != stomp) {
            for (int i = 0, length = key.length(); i < length; i++) {
                if (key.at(i) == 0) {
                    return RoutingKey.of(String.join(".", key.levels()));
                }
            }
        }
        return key;
    }

    /** As RabbitMQ has it, text and whole numbers become headers, and most else is left out. */
    private static @Nullable String text(@Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        if (value instanceof Long number) {
            return number.toString();
        }
        return value instanceof Instant instant ? Long.toString(instant.getEpochSecond()) : null;
    }
}
