package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.entrepot.amqp.v091.wire.DeliveredHeader;
import org.entrepot.amqp.v091.wire.HeaderCursor;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.PublishCursor;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * Publishes of one channel: method, header and body frames become a message that is published when it is complete. Owned
 * by the channel's loop.
 *
 * <p>This is the hot path. A publish like the last one costs a comparison of the exchange's and the key's bytes and of
 * four properties, one array, and the message's three small objects.
 */
final class Publisher {

    /** What a held publish takes besides its message. */
    private static final int HELD_BYTES = 160;

    /** What a basic.return takes besides its message. */
    private static final int RETURN_BYTES = 640;

    private static final String IMPERSONATOR = "impersonator";

    private final AmqpChannel channel;
    private final AmqpConnection connection;
    private final Outbound outbound;
    private final Session session;
    private final AmqpMessageFormat format;
    private final int messageBytesMax;
    private final Principal principal;
    private final byte[] user;
    private final PublishAssembler assembler;

    private Expected expected = Expected.METHOD;
    private long skipped;

    // The publish that is being read.
    private boolean mandatory;
    private boolean replyToChannel;
    /** Where it goes; null when the session was too busy to be asked, and then the names are kept. */
    private @Nullable Address address;

    private String exchange = "";
    private RoutingKey key = RoutingKey.EMPTY;
    private @Nullable Envelope envelope;

    // The last one, which the next is probably like.
    private @Nullable Address lastAddress;
    private @Nullable Address lastEnvelopeAddress;
    private @Nullable Envelope lastEnvelope;

    private enum Expected {
        METHOD,
        HEADER,
        BODY,
        /** The body of a message that is refused already. */
        SKIPPED_BODY
    }

    Publisher(
            AmqpChannel channel,
            AmqpConnection connection,
            Outbound outbound,
            Session session,
            Connection broker,
            AmqpMessageFormat format) {
        this.channel = channel;
        this.connection = connection;
        this.outbound = outbound;
        this.session = session;
        this.format = format;
        this.messageBytesMax = broker.messageBytesMax();
        this.principal = broker.principal();
        this.user = principal.name().getBytes(StandardCharsets.UTF_8);
        this.assembler = new PublishAssembler(connection.unfinished());
    }

    /** A method frame has come: throws when content is due. */
    void expectMethod() {
        switch (expected) {
            case METHOD -> {}
            case HEADER ->
                throw unexpected("expected content header for class 60, got non content header frame instead");
            case BODY, SKIPPED_BODY -> throw unexpected("expected content body, got non content body frame instead");
        }
    }

    /** A basic.publish. */
    void method(ByteBuf buffer, int index, int length) {
        PublishCursor cursor = connection.publishCursor();
        cursor.parse(buffer, index, length);
        if (cursor.immediate()) {
            throw new WireException(ReplyCode.NOT_IMPLEMENTED, "immediate=true", Methods.BASIC_PUBLISH);
        }
        mandatory = cursor.mandatory();
        expected = Expected.HEADER;
        Address last = lastAddress;
        if (last != null
                && last.matches(
                        buffer,
                        cursor.exchangeIndex(),
                        cursor.exchangeLength(),
                        cursor.keyIndex(),
                        cursor.keyLength())) {
            address = last;
        } else if (channel.idle()) {
            Address found = session.address(
                    buffer, cursor.exchangeIndex(), cursor.exchangeLength(), cursor.keyIndex(), cursor.keyLength());
            address = found;
            lastAddress = found;
        } else {
            address = null;
            exchange = buffer.toString(cursor.exchangeIndex(), cursor.exchangeLength(), StandardCharsets.UTF_8);
            key = RoutingKey.copyOf(buffer, cursor.keyIndex(), cursor.keyLength());
        }
    }

    /** A content header frame. */
    void header(ByteBuf buffer, int index, int length) {
        if (expected != Expected.HEADER) {
            expectMethod();
            throw unexpected("expected method frame, got non method frame instead");
        }
        HeaderCursor cursor = connection.headerCursor();
        cursor.parse(buffer, index, length);
        try {
            check(cursor, buffer);
            envelope = envelope(cursor);
        } catch (WireException | BrokerException refusal) {
            refuse(refusal, cursor.bodySize());
            return;
        }
        assembler.begin(cursor);
        expected = Expected.BODY;
        if (assembler.remaining() == 0) {
            complete();
        }
    }

    /** A body frame, or a part of one. */
    void body(ByteBuf buffer, int index, int length) {
        switch (expected) {
            case BODY -> {
                checkFits(length, assembler.remaining());
                assembler.append(buffer, index, length);
                if (assembler.remaining() == 0) {
                    complete();
                }
            }
            case SKIPPED_BODY -> {
                checkFits(length, skipped);
                skipped -= length;
                if (skipped == 0) {
                    expected = Expected.METHOD;
                }
            }
            case HEADER -> expectMethod();
            case METHOD -> throw unexpected("expected method frame, got non method frame instead");
        }
    }

    /** Drops what has come of a message. */
    void abandon() {
        assembler.abandon();
        expected = Expected.METHOD;
    }

    private static void checkFits(int length, long remaining) {
        if (length > remaining) {
            throw new WireException(
                    ReplyCode.FRAME_ERROR, "content body frame exceeds remaining content size", Methods.BASIC_PUBLISH);
        }
    }

    private static WireException unexpected(String text) {
        return new WireException(ReplyCode.UNEXPECTED_FRAME, text, Methods.BASIC_PUBLISH);
    }

    private void check(HeaderCursor cursor, ByteBuf buffer) {
        if (cursor.bodySize() > messageBytesMax - cursor.headerLength()) {
            throw AmqpChannel.preconditionFailed(
                    "message size " + cursor.bodySize() + " is larger than configured max size " + messageBytesMax);
        }
        if (cursor.userIdIndex() != HeaderCursor.ABSENT) {
            checkUser(buffer, cursor.userIdIndex(), cursor.userIdLength());
        }
        replyToChannel = cursor.replyToIndex() != HeaderCursor.ABSENT
                && ReplyTo.isPseudoQueue(buffer, cursor.replyToIndex(), cursor.replyToLength());
    }

    private void checkUser(ByteBuf buffer, int index, int length) {
        boolean same = length == user.length;
        for (int i = 0; same && i < length; i++) {
            same = buffer.getByte(index + i) == user[i];
        }
        if (!same && !principal.tags().contains(IMPERSONATOR)) {
            throw AmqpChannel.preconditionFailed("user_id property set to '"
                    + buffer.toString(index, length, StandardCharsets.UTF_8) + "' but authenticated user was '"
                    + principal.name() + "'");
        }
    }

    private Envelope envelope(HeaderCursor cursor) {
        boolean durable = cursor.persistent();
        int priority = cursor.priority();
        long ttlMillis = cursor.ttlMillis();
        boolean copies = cursor.hasCopies();
        Address present = address;
        Envelope last = lastEnvelope;
        if (last != null
                && !copies
                && present == lastEnvelopeAddress
                && last.durable() == durable
                && last.priority() == priority
                && last.ttlMillis() == ttlMillis) {
            return last;
        }
        Envelope fresh = new Envelope(
                present == null ? exchange : present.exchange(),
                present == null ? key : present.key(),
                copies ? cursor.copies() : List.of(),
                copies ? cursor.blindCopies() : List.of(),
                durable,
                priority,
                ttlMillis);
        if (present != null && !copies) {
            lastEnvelope = fresh;
            lastEnvelopeAddress = present;
        }
        return fresh;
    }

    /** Refuses a message whose header is wrong, in its turn; its body is still to come. */
    private void refuse(RuntimeException refusal, long bodySize) {
        skipped = bodySize;
        expected = bodySize == 0 ? Expected.METHOD : Expected.SKIPPED_BODY;
        channel.run(
                () -> {
                    throw refusal;
                },
                Methods.BASIC_PUBLISH,
                HELD_BYTES);
    }

    private void complete() {
        expected = Expected.METHOD;
        Message message = new Message(format, assembler.header(), assembler.finish());
        Envelope present = Objects.requireNonNull(envelope);
        Address known = address;
        if (known != null && !replyToChannel && channel.transaction() == null && channel.idle()) {
            try {
                publish(known, message, present, mandatory);
            } catch (RuntimeException fault) {
                channel.fail(AmqpError.of(fault, Methods.BASIC_PUBLISH));
            }
        } else {
            boolean returned = mandatory;
            boolean rewritten = replyToChannel;
            channel.run(
                    () -> publishUnusual(known, message, present, returned, rewritten),
                    Methods.BASIC_PUBLISH,
                    message.size() + HELD_BYTES);
        }
    }

    /** A publish that was held, belongs to a transaction, or names the channel's own reply address. */
    private void publishUnusual(
            @Nullable Address known, Message message, Envelope envelope, boolean mandatory, boolean replyToChannel) {
        Address to = known == null ? session.address(envelope.exchange(), envelope.routingKey()) : known;
        Message actual = replyToChannel ? withReplyAddress(message) : message;
        GatheredTransaction transaction = channel.transaction();
        if (transaction == null) {
            publish(to, actual, envelope, mandatory);
        } else {
            if (!envelope.exchange().isEmpty()) {
                session.inspectExchange(envelope.exchange());
            }
            transaction.publish(to, actual, envelope, mandatory);
        }
    }

    private Message withReplyAddress(Message message) {
        Bytes header = DeliveredHeader.withReplyTo(message.header(), channel.replyAddress());
        return new Message(format, header, message.body());
    }

    /** Publishes now, and gives a mandatory message back that went nowhere. */
    private void publish(Address to, Message message, Envelope envelope, boolean mandatory) {
        if (session.publish(to, message, envelope) == Session.Routed.NOWHERE && mandatory) {
            giveBack(message, envelope);
        }
    }

    /** The same when it takes effect with a transaction. */
    void publish(Transaction in, Address to, Message message, Envelope envelope, boolean mandatory) {
        if (in.publish(to, message, envelope) == Session.Routed.NOWHERE && mandatory) {
            giveBack(message, envelope);
        }
    }

    private void giveBack(Message message, Envelope envelope) {
        outbound.deliveryWriter()
                .returned(
                        outbound.room(message.size() + RETURN_BYTES),
                        channel.number(),
                        ReplyCode.NO_ROUTE,
                        envelope.exchange(),
                        envelope.routingKey(),
                        message.header(),
                        message.body());
    }
}
