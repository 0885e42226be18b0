package org.entrepot.stomp;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.entrepot.spi.message.RoutingKey;
import org.jspecify.annotations.Nullable;

/**
 * What the header "destination" names. Immutable.
 *
 * @param exchange where a message goes, "" for the default exchange
 * @param name the routing key, the pattern or the queue's name
 */
record Destination(Kind kind, String exchange, String name) {
    private static final String EXCHANGE = "/exchange";
    private static final String TOPIC = "/topic";
    private static final String QUEUE = "/queue";
    private static final String AMQ_QUEUE = "/amq/queue";
    private static final String REPLY_QUEUE = "/reply-queue/";
    private static final String TEMPORARY = "/temp-queue";

    private static final String KINDS = String.join(", ", TEMPORARY, EXCHANGE, TOPIC, QUEUE, AMQ_QUEUE, REPLY_QUEUE);

    /** What a reply-to begins with that is a destination and not a bare queue's name. */
    private static final List<String> REPLY_PREFIXES = List.of(EXCHANGE, TOPIC, QUEUE, AMQ_QUEUE, REPLY_QUEUE);

    private static final String DEFAULT_EXCHANGE = "";

    /** The sorts of destination, with what texts call them. */
    enum Kind {
        /** A queue that is declared when it is first named. */
        QUEUE("queue"),
        /** A queue that is there already. */
        AMQ_QUEUE("amqqueue"),
        /** A queue that somebody waits for an answer in. */
        REPLY_QUEUE("reply_queue"),
        TOPIC("topic"),
        EXCHANGE("exchange"),
        /** A queue of the session's own for answers, which only a reply-to may name. */
        TEMPORARY("temp_queue");

        private final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    /** Reads a destination; throws a refusal for what is none. */
    static Destination parse(String text, String topicExchange) {
        String[] parts = text.split("/", -1);
        if (parts.length == 1) {
            return queue(Kind.QUEUE, parts[0]);
        }
        if (parts[0].isEmpty()) {
            switch (parts[1]) {
                case "queue" -> {
                    return queue(Kind.QUEUE, only(Kind.QUEUE, parts, 2));
                }
                case "topic" -> {
                    return new Destination(Kind.TOPIC, topicExchange, unescaped(only(Kind.TOPIC, parts, 2)));
                }
                case "exchange" -> {
                    return exchange(parts);
                }
                case "temp-queue" -> {
                    return queue(Kind.TEMPORARY, only(Kind.TEMPORARY, parts, 2));
                }
                case "amq" -> {
                    if (parts.length > 2 && parts[2].equals("queue")) {
                        return queue(Kind.AMQ_QUEUE, only(Kind.AMQ_QUEUE, parts, 3));
                    }
                }
                case "reply-queue" -> {
                    if (parts.length > 2) {
                        String rest = text.substring(REPLY_QUEUE.length());
                        return queue(Kind.REPLY_QUEUE, nonEmpty(Kind.REPLY_QUEUE, rest));
                    }
                }
                default -> {}
            }
        }
        throw new Refusal(
                "Unknown destination",
                "'" + text + "' is not a valid destination.\nValid destination types are: " + KINDS + ".\n");
    }

    private static Destination queue(Kind kind, String name) {
        if (name.isEmpty()) {
            throw new Refusal("Invalid destination", "Destination cannot be blank");
        }
        return new Destination(kind, DEFAULT_EXCHANGE, unescaped(name));
    }

    private static Destination exchange(String[] parts) {
        if (parts.length < 3 || parts.length > 4 || parts[2].isEmpty()) {
            throw invalid(Kind.EXCHANGE, rest(parts, 2));
        }
        return new Destination(Kind.EXCHANGE, unescaped(parts[2]), parts.length == 4 ? unescaped(parts[3]) : "");
    }

    private static String only(Kind kind, String[] parts, int index) {
        if (parts.length != index + 1 || parts[index].isEmpty()) {
            throw invalid(kind, rest(parts, index));
        }
        return parts[index];
    }

    private static String nonEmpty(Kind kind, String rest) {
        if (rest.isEmpty()) {
            throw invalid(kind, "/");
        }
        return rest;
    }

    private static String rest(String[] parts, int from) {
        StringBuilder rest = new StringBuilder();
        for (int i = from; i < parts.length; i++) {
            rest.append('/').append(parts[i]);
        }
        return rest.toString();
    }

    private static Refusal invalid(Kind kind, String rest) {
        return new Refusal("Invalid destination", "'" + rest + "' is not a valid " + kind.label + " destination\n");
    }

    /** As RabbitMQ has it, a slash can be written so, and nothing else. */
    private static String unescaped(String part) {
        return part.replace("%2F", "/");
    }

    /** A reply-to as subscribers see it: a bare queue's name gets a prefix that makes it a destination. */
    static String replyTo(String replyTo) {
        for (String prefix : REPLY_PREFIXES) {
            if (replyTo.startsWith(prefix)) {
                return replyTo;
            }
        }
        return REPLY_QUEUE + replyTo;
    }

    /** A reply-to as other protocols take it: a bare queue's name where it names one. */
    static String bareReplyTo(String replyTo) {
        return replyTo.startsWith(REPLY_QUEUE) ? replyTo.substring(REPLY_QUEUE.length()) : replyTo;
    }

    /** The topic of a reply-to, with '/' between its levels; null where it names none. */
    static @Nullable String topicOf(String replyTo) {
        return replyTo.startsWith(TOPIC + "/")
                ? unescaped(replyTo.substring(TOPIC.length() + 1)).replace('.', '/')
                : null;
    }

    /** The reply-to for a topic that has '/' between its levels. */
    static String replyToTopic(String topic) {
        return TOPIC + "/" + topic.replace('/', '.');
    }

    /** The destination of a message for its subscribers, without a character that a header must escape. */
    static String of(String exchange, RoutingKey key) {
        StringBuilder text = new StringBuilder();
        if (exchange.isEmpty()) {
            text.append(QUEUE);
        } else if (exchange.equals("amq.topic")) {
            text.append(TOPIC);
        } else {
            text.append(EXCHANGE).append('/');
            byte[] name = exchange.getBytes(StandardCharsets.UTF_8);
            for (byte b : name) {
                escape(text, b);
            }
            if (key.length() == 0) {
                return text.toString();
            }
        }
        text.append('/');
        for (int i = 0; i < key.length(); i++) {
            escape(text, key.at(i));
        }
        return text.toString();
    }

    private static void escape(StringBuilder text, byte b) {
        if (b == '/' || b == '%' || b < ' ') {
            text.append('%').append(digit(b >> 4)).append(digit(b));
        } else {
            text.append((char) b);
        }
    }

    private static char digit(int value) {
        return Character.toUpperCase(Character.forDigit(value & 0xF, 16));
    }
}
