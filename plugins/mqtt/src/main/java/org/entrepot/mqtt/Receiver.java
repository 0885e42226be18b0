package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import java.nio.charset.StandardCharsets;
import org.entrepot.mqtt.wire.PacketException;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.PublishCursor;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.mqtt.wire.Topics;
import org.entrepot.mqtt.wire.Utf8;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener.Receipt;
import org.entrepot.spi.session.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * What a client publishes: PUBLISH becomes a message in the broker, and the broker's receipts become answers. Owned by the
 * connection's loop.
 *
 * <p>This is the hot path. A publish to the topic of the last one costs a comparison of the topic's bytes, one array, and
 * the message's three small objects.
 *
 * <p>At QoS 2 an identifier is kept from PUBLISH to PUBREL, so that what comes again is not published again (specification
 * 4.3.3); in a session that lasts it is stored with the message in one transaction.
 */
final class Receiver {
    /** What a publish takes that waits, besides its message. */
    private static final int HELD_BYTES = 160;

    private static final Bytes MARK = Bytes.wrap(new byte[] {1});

    private final MqttConnection connection;
    private final Outbound outbound;
    private final MqttSettings settings;
    private final LoopTools tools;
    private final ClientOptions options;
    private final byte[] clientId;
    private final Session session;
    private final SessionState state;
    private final Retained retained;
    private final PendingAnswers answers = new PendingAnswers();
    /** Identifiers of QoS 2 that wait for their PUBREL. */
    private final IntObjectHashMap<Boolean> received = new IntObjectHashMap<>(2);

    private Aliased @Nullable [] aliases;
    private int unanswered;
    /** Those of them that earlier connections left, at the beginning of this one: its own quota does not count them. */
    private int left;

    private byte[] lastTopic = new byte[0];
    private @Nullable Address lastAddress;
    private @Nullable Envelope lastEnvelope;

    /** What a topic alias stands for. */
    private static final class Aliased {
        private final byte[] topic;
        private final Address address;

        Aliased(byte[] topic, Address address) {
            this.topic = topic;
            this.address = address;
        }
    }

    Receiver(
            MqttConnection connection,
            Outbound outbound,
            MqttSettings settings,
            ClientOptions options,
            Session session,
            SessionState state,
            Retained retained) {
        this.connection = connection;
        this.outbound = outbound;
        this.settings = settings;
        this.tools = connection.tools();
        this.options = options;
        this.clientId = options.clientId().getBytes(StandardCharsets.UTF_8);
        this.session = session;
        this.state = state;
        this.retained = retained;
    }

    /** An identifier of QoS 2 that an earlier connection of the session left. */
    void restored(int packetId) {
        received.put(packetId, Boolean.TRUE);
        unanswered++;
        left++;
    }

    /** A PUBLISH. */
    void publish(int head, ByteBuf buffer, int index, int length) {
        PublishCursor cursor = tools.cursor();
        cursor.parse(head, buffer, index, length, options.version5());
        Address to = address(cursor, buffer);
        if (cursor.responseTopicIndex() >= 0) {
            checkResponseTopic(cursor, buffer);
        }
        int qos = cursor.qos();
        int id = cursor.packetId();
        if (qos == 2 && received.containsKey(id)) {
            again(id, cursor, buffer, to);
            return;
        }
        long place = 0;
        if (qos > 0) {
            countIn();
            place = answers.add(qos == 1 ? Packets.PUBACK : Packets.PUBREC, id);
        }
        if (qos == 2) {
            received.put(id, Boolean.TRUE);
        }
        tools.traffic().received().add(1);
        tools.traffic().receivedBytes().add(cursor.payloadLength());
        Message message = Messages.of(cursor, buffer, clientId);
        Envelope envelope = envelope(cursor, to);
        boolean retain = cursor.retain();
        if (!session.busy() && !(qos == 2 && state.lasts())) {
            publish(to, message, envelope, qos, id, place, retain);
            return;
        }
        long answer = place;
        session.whenIdle(() -> publish(to, message, envelope, qos, id, answer, retain), message.size() + HELD_BYTES);
    }

    private void countIn() {
        unanswered++;
        if (options.version5() && unanswered - left > settings.receiveMaximum()) {
            throw new PacketException(
                    Reason.RECEIVE_MAXIMUM_EXCEEDED,
                    "more than " + settings.receiveMaximum() + " publishes without an answer");
        }
    }

    /**
     * A publish at QoS 2 whose identifier is known: it is answered again, unless its first answer is still to come. What is
     * to be retained is put again: the process may have ended before it was, and twice is as once.
     */
    private void again(int id, PublishCursor cursor, ByteBuf buffer, Address to) {
        if (cursor.retain()) {
            long place = answers.add(Packets.PUBREC, id);
            Message message = Messages.of(cursor, buffer, clientId);
            Envelope envelope = envelope(cursor, to);
            session.whenIdle(() -> put(message, envelope, true, place), message.size() + HELD_BYTES);
        } else if (!answers.isEmpty()) {
            long place = answers.add(Packets.PUBREC, id);
            answers.done(place, Reason.SUCCESS);
            tell();
        } else {
            outbound.answer(Packets.PUBREC, id, Reason.SUCCESS);
        }
    }

    private Address address(PublishCursor cursor, ByteBuf buffer) {
        int alias = cursor.alias();
        if (alias > settings.topicAliasMaximum()) {
            throw new PacketException(Reason.TOPIC_ALIAS_INVALID, "topic alias " + alias);
        }
        int index = cursor.topicIndex();
        int length = cursor.topicLength();
        if (length == 0 && alias != 0) {
            Aliased known = aliases == null ? null : aliases[alias - 1];
            if (known == null) {
                throw PacketException.protocol("topic alias " + alias + " that stands for nothing");
            }
            lastTopic = known.topic;
            lastAddress = known.address;
            return known.address;
        }
        Address address = isLastTopic(buffer, index, length) ? lastAddress : null;
        if (address == null) {
            address = lookUp(buffer, index, length);
        }
        if (alias != 0) {
            if (aliases == null) {
                aliases = new Aliased[settings.topicAliasMaximum()];
            }
            aliases[alias - 1] = new Aliased(lastTopic, address);
        }
        return address;
    }

    private boolean isLastTopic(ByteBuf buffer, int index, int length) {
        byte[] last = lastTopic;
        if (length != last.length || length == 0) {
            return false;
        }
        for (int i = length - 1; i >= 0; i--) {
            if (last[i] != buffer.getByte(index + i)) {
                return false;
            }
        }
        return true;
    }

    private Address lookUp(ByteBuf buffer, int index, int length) {
        if (!Utf8.isValid(buffer, index, length)) {
            throw PacketException.malformed("a topic name that is not well-formed UTF-8");
        }
        String fault = Topics.fault(buffer, index, length, settings.topicLevelsMax());
        if (!fault.isEmpty()) {
            throw length == 0 ? PacketException.protocol(fault) : new PacketException(Reason.TOPIC_NAME_INVALID, fault);
        }
        if (Topics.isSystem(buffer, index, length)) {
            throw new PacketException(Reason.NOT_AUTHORIZED, "a publish to a topic of the broker's own");
        }
        ByteBuf names = tools.key();
        byte[] exchange = state.exchangeBytes();
        names.writeBytes(exchange);
        Topics.writeKey(buffer, index, length, names);
        Address found =
                session.address(names, 0, exchange.length, exchange.length, names.readableBytes() - exchange.length);
        if (lastTopic.length != length) {
            lastTopic = new byte[length];
        } else if (aliases != null) {
            // An alias may have kept the array.
            lastTopic = lastTopic.clone();
        }
        buffer.getBytes(index, lastTopic);
        lastAddress = found;
        return found;
    }

    private static void checkResponseTopic(PublishCursor cursor, ByteBuf buffer) {
        String fault =
                Topics.fault(buffer, cursor.responseTopicIndex(), cursor.responseTopicLength(), Integer.MAX_VALUE);
        if (!fault.isEmpty()) {
            throw PacketException.protocol("a response topic that is " + fault);
        }
    }

    private Envelope envelope(PublishCursor cursor, Address to) {
        boolean durable = cursor.qos() > 0;
        long seconds = cursor.expirySeconds();
        Envelope last = lastEnvelope;
        if (last != null
                && last.routingKey().equals(to.key())
                && last.durable() == durable
                && seconds == PublishCursor.NO_EXPIRY
                && last.ttlMillis() == Envelope.NO_TTL) {
            return last;
        }
        Envelope fresh = Messages.envelope(to.exchange(), to.key(), durable, seconds);
        lastEnvelope = fresh;
        return fresh;
    }

    private void publish(Address to, Message message, Envelope envelope, int qos, int id, long place, boolean retain) {
        try {
            if (qos == 2 && state.lasts()) {
                publishOnce(to, message, envelope, id, place, retain);
                return;
            }
            Session.Routed routed = session.publish(to, message, envelope);
            if (qos > 0) {
                answers.published(place, session.published());
                told(routed, place);
            }
            if (retain) {
                retain(message, envelope, qos > 0, place);
            }
        } catch (BrokerException refusal) {
            refused(refusal, qos, id, place);
        }
    }

    /** A message and its identifier in one transaction. */
    private void publishOnce(Address to, Message message, Envelope envelope, int id, long place, boolean retain) {
        Transaction transaction = session.begin();
        Session.Routed routed = transaction.publish(to, message, envelope);
        Address mark = state.received(id);
        transaction.publish(mark, SessionState.note(MARK), SessionState.envelope(mark));
        transaction.commit().whenComplete((stored, failure) -> {
            if (failure != null || !stored) {
                answers.done(place, Reason.QUOTA_EXCEEDED);
            } else {
                told(routed, place);
                answers.done(place, Reason.SUCCESS);
            }
            tell();
        });
        if (retain) {
            retain(message, envelope, true, place);
        }
    }

    private void told(Session.Routed routed, long place) {
        if (routed == Session.Routed.NOWHERE && options.version5()) {
            answers.waitForMore(place);
            answers.done(place, Reason.NO_MATCHING_SUBSCRIBERS);
        }
    }

    private void retain(Message message, Envelope envelope, boolean answered, long place) {
        if (answered) {
            answers.waitForMore(place);
        }
        put(message, envelope, answered, place);
    }

    private void put(Message message, Envelope envelope, boolean answered, long place) {
        retained.put(message, envelope, connection.socket().eventLoop()).whenComplete((stored, failure) -> {
            if (answered) {
                boolean done = failure == null && stored;
                answers.done(place, done ? Reason.SUCCESS : Reason.QUOTA_EXCEEDED);
                tell();
            }
        });
    }

    private void refused(BrokerException refusal, int qos, int id, long place) {
        if (!options.version5() || qos == 0) {
            connection.fail(refusal);
            return;
        }
        if (qos == 2) {
            received.remove(id);
        }
        answers.done(place, Replies.reason(refusal));
        tell();
    }

    /**
     * Refuses a publish of which it may be stored that it was received. A client that is told so uses the identifier for
     * another message, which must not be taken for this one after a restart.
     */
    private void takeBack(int id, int reason) {
        session.whenIdle(
                () -> {
                    Address mark = state.received(id);
                    Transaction transaction = session.begin();
                    transaction.publish(mark, SessionState.note(Bytes.EMPTY), SessionState.envelope(mark));
                    transaction.commit().whenComplete((stored, failure) -> {
                        if (failure == null && stored) {
                            outbound.answer(Packets.PUBREC, id, reason);
                        } else {
                            connection.fail(BrokerException.connection(
                                    org.entrepot.spi.ErrorKind.RESOURCE_ERROR, "a publish could not be stored"));
                        }
                    });
                },
                HELD_BYTES);
    }

    /** A PUBREL: the identifier may be used again. */
    void released(int id) {
        if (received.remove(id) == null) {
            outbound.answer(Packets.PUBCOMP, id, options.version5() ? Reason.PACKET_ID_NOT_FOUND : Reason.SUCCESS);
            return;
        }
        if (!state.lasts()) {
            unanswered--;
            outbound.answer(Packets.PUBCOMP, id, Reason.SUCCESS);
            return;
        }
        long place = answers.add(Packets.PUBCOMP, id);
        session.whenIdle(
                () -> {
                    Address mark = state.received(id);
                    session.publish(mark, SessionState.note(Bytes.EMPTY), SessionState.envelope(mark));
                    answers.published(place, session.published());
                },
                HELD_BYTES);
    }

    /** Receipts of the session. */
    void receipts(long first, long last, Receipt receipt) {
        if (!answers.isEmpty()) {
            answers.receipts(first, last, receipt == Receipt.STORED ? Reason.SUCCESS : Reason.QUOTA_EXCEEDED);
            tell();
        }
    }

    private void tell() {
        answers.tell(this::answer);
    }

    private void answer(int type, int id, int reason) {
        if (type != Packets.PUBREC || reason >= Reason.UNSPECIFIED) {
            unanswered--;
        }
        if (reason >= Reason.UNSPECIFIED && !options.version5()) {
            // Before MQTT 5 there is no answer that says no: the client is to try again on a new connection.
            connection.fail(BrokerException.connection(
                    org.entrepot.spi.ErrorKind.RESOURCE_ERROR, "a publish was refused by a queue that is full"));
            return;
        }
        if (type == Packets.PUBREC && reason >= Reason.UNSPECIFIED) {
            received.remove(id);
            if (state.lasts()) {
                takeBack(id, reason);
                return;
            }
        }
        outbound.answer(type, id, options.version5() ? reason : Reason.SUCCESS);
    }
}
