package org.entrepot.stomp;

import java.nio.charset.StandardCharsets;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.Address;
import org.entrepot.stomp.wire.FrameBody;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;
import org.entrepot.stomp.wire.LineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages of SEND frames. Owned by its session's loop.
 *
 * <p>This is the hot path: one array for header and body, and the message's three small objects.
 */
final class Publisher {
    private static final String IMPERSONATOR = "impersonator";
    private static final String TRUE = "true";
    private static final byte[] TRUE_BYTES = TRUE.getBytes(StandardCharsets.US_ASCII);
    private static final long PRIORITY_MAX = 255;

    /** Bodies up to this share an array with their header. */
    private static final int SMALL_BYTES_MAX = 64 << 10;

    /** Ten years: the longest that RabbitMQ takes. */
    private static final long TTL_MILLIS_MAX = 315_360_000_000L;

    private static final long NO_NUMBER = Long.MIN_VALUE;

    private final StompMessageFormat format;
    private final int messageBytesMax;
    private final Principal principal;
    private final LineBuffer lines = new LineBuffer();

    // The last envelope, which the next is probably like.
    private @Nullable Address lastAddress;
    private @Nullable Envelope lastEnvelope;

    Publisher(Connection broker, StompMessageFormat format) {
        this.format = format;
        this.messageBytesMax = broker.messageBytesMax();
        this.principal = broker.principal();
    }

    /** What the broker is to know of a SEND. */
    Envelope envelope(FrameHead head, Address address) {
        boolean durable = head.flag(Header.PERSISTENT, false);
        int priority = priority(head);
        long ttlMillis = ttlMillis(head);
        Envelope last = lastEnvelope;
        if (last != null
                && lastAddress == address
                && last.durable() == durable
                && last.priority() == priority
                && last.ttlMillis() == ttlMillis) {
            return last;
        }
        Envelope fresh = Envelope.of(address.exchange(), address.key(), durable);
        if (priority != Envelope.NO_PRIORITY || ttlMillis != Envelope.NO_TTL) {
            fresh = new Envelope(
                    fresh.exchange(),
                    fresh.routingKey(),
                    fresh.copies(),
                    fresh.blindCopies(),
                    durable,
                    priority,
                    ttlMillis);
        }
        lastEnvelope = fresh;
        lastAddress = address;
        return fresh;
    }

    private static int priority(FrameHead head) {
        long priority = head.number(Header.PRIORITY, Envelope.NO_PRIORITY);
        return priority < 0 || priority > PRIORITY_MAX ? Envelope.NO_PRIORITY : (int) priority;
    }

    private static long ttlMillis(FrameHead head) {
        if (!head.has(Header.EXPIRATION)) {
            return Envelope.NO_TTL;
        }
        long millis = head.number(Header.EXPIRATION, NO_NUMBER);
        if (millis < 0 || millis > TTL_MILLIS_MAX) {
            String reason = millis == NO_NUMBER
                    ? "no_integer"
                    : millis < 0 ? "{value_negative," + millis + "}" : "{value_too_large," + millis + "}";
            throw failed("invalid expiration '" + head.text(Header.EXPIRATION) + "': " + reason);
        }
        return millis;
    }

    /**
     * The message of a SEND.
     *
     * @param replyTo what stands for its reply-to; null for what it says itself
     */
    Message message(FrameHead head, FrameBody body, @Nullable String replyTo) {
        header(head, replyTo);
        checkSize(body.length());
        int length = lines.length();
        if (body.length() > SMALL_BYTES_MAX) {
            return new Message(format, Bytes.wrap(lines.toArray()), body.toBytes());
        }
        byte[] array = new byte[length + body.length()];
        lines.copyTo(array);
        body.copyTo(array, length);
        return new Message(format, Bytes.wrap(array, 0, length), Bytes.wrap(array, length, body.length()));
    }

    /** The same for a frame that waited, whose body is a message's already. */
    Message message(FrameHead head, Bytes body, @Nullable String replyTo) {
        header(head, replyTo);
        checkSize(body.length());
        return new Message(format, Bytes.wrap(lines.toArray()), body);
    }

    private void checkSize(int body) {
        if (body > messageBytesMax - lines.length()) {
            throw failed("message size " + body + " is larger than configured max size " + messageBytesMax);
        }
    }

    /** The lines that go with the message. */
    private void header(FrameHead head, @Nullable String replyTo) {
        lines.clear();
        for (int i = 0, count = head.size(); i < count; i++) {
            Header header = head.header(i);
            if (header == null) {
                head.writeLine(i, lines);
            } else {
                line(head, i, header, replyTo);
            }
        }
    }

    private void line(FrameHead head, int i, Header header, @Nullable String replyTo) {
        switch (header) {
            // What a MESSAGE says of itself, not of what was sent.
            case DESTINATION, CONTENT_LENGTH, SUBSCRIPTION, REDELIVERED, ACK -> {}
            case PERSISTENT -> {
                if (head.matches(header, TRUE_BYTES)) {
                    head.writeLine(i, lines);
                } else if (head.flag(header, false)) {
                    lines.line(header.text(), TRUE);
                }
            }
            case PRIORITY -> {
                int priority = priority(head);
                if (priority != Envelope.NO_PRIORITY) {
                    lines.line(header.text(), Integer.toString(priority));
                }
            }
            case TIMESTAMP -> {
                long seconds = head.number(header, NO_NUMBER);
                if (seconds != NO_NUMBER) {
                    lines.line(header.text(), Long.toString(seconds));
                }
            }
            case REPLY_TO ->
                lines.line(header.text(), Destination.replyTo(replyTo == null ? head.text(header, "") : replyTo));
            case USER_ID -> {
                checkUser(head);
                head.writeLine(i, lines);
            }
            default -> head.writeLine(i, lines);
        }
    }

    private void checkUser(FrameHead head) {
        String named = head.text(Header.USER_ID, "");
        if (!named.equals(principal.name()) && !principal.tags().contains(IMPERSONATOR)) {
            throw failed(
                    "user_id property set to '" + named + "' but authenticated user was '" + principal.name() + "'");
        }
    }

    private static BrokerException failed(String text) {
        return BrokerException.session(ErrorKind.PRECONDITION_FAILED, text);
    }
}
