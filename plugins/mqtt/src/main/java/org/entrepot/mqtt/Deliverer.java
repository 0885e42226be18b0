package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.entrepot.mqtt.wire.PacketException;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.PublishWriter;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.mqtt.wire.StoredHeader;
import org.entrepot.mqtt.wire.Topics;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.session.Session;
import org.jspecify.annotations.Nullable;

/**
 * What a client is sent: deliveries become PUBLISH, and its answers settle them. Owned by the connection's loop.
 *
 * <p>Which subscriptions a message came for, and so its QoS and identifiers, is found out here, from the few that the session
 * has: nothing is stored about it with the message. A message that two of the session's queues have is sent for the one whose
 * deliveries are answered.
 */
final class Deliverer {
    private static final int EXPIRY_MILLIS = 1_000;

    private final Outbound outbound;
    private final ClientOptions options;
    private final byte[] clientId;
    private final Session session;
    private final SessionState state;
    private final Subscriptions subscriptions;
    private final Matched matched;
    private final PublishWriter writer;
    private final Traffic traffic;
    private final Inflight inflight = new Inflight();
    private final OnceDurable onceDurable;
    private final DeliveryNotes notes;
    /**
     * Identifiers of deliveries that the client has had on an earlier connection and that their queues have not delivered
     * again, in the order in which it answered them.
     */
    private final Map<Place, Integer> known = new LinkedHashMap<>(0);

    private final int aliasesMax;
    private @Nullable Map<RoutingKey, Integer> aliases;

    /**
     * Where a delivery stands, which is what is noted of one that the client has.
     *
     * @param queue the queue's number; {@link #OWN} for the session's own
     */
    private record Place(long queue, long position) {
        static final long OWN = 0;
        private static final int BYTES = 2 * Long.BYTES;

        static Place of(Bytes note) {
            ByteBuffer in = ByteBuffer.wrap(note.toArray());
            return new Place(in.getLong(), in.getLong());
        }

        Bytes note() {
            return Bytes.wrap(
                    ByteBuffer.allocate(BYTES).putLong(queue).putLong(position).array());
        }
    }

    Deliverer(
            MqttConnection connection,
            Outbound outbound,
            MqttSettings settings,
            ClientOptions options,
            Session session,
            SessionState state,
            Subscriptions subscriptions) {
        this.outbound = outbound;
        this.options = options;
        this.clientId = options.clientId().getBytes(StandardCharsets.UTF_8);
        this.session = session;
        this.state = state;
        this.subscriptions = subscriptions;
        this.onceDurable = new OnceDurable(session, state, this::deliverDurable);
        this.notes = new DeliveryNotes(session, state, this::noted);
        this.matched = connection.tools().matched();
        this.traffic = connection.tools().traffic();
        this.writer = new PublishWriter(options.version5(), options.packetMax());
        this.aliasesMax = Math.min(options.topicAliasMaximum(), settings.topicAliasesOut());
    }

    // ---- deliveries

    /** Deliveries that nobody answers: of subscriptions at QoS 0. */
    void deliverVolatile(Deliveries deliveries) {
        boolean simple = subscriptions.areSimple();
        for (int i = 0, size = deliveries.size(); i < size; i++) {
            Message message = deliveries.message(i);
            Envelope envelope = deliveries.envelope(i);
            if (simple && !isCopied(envelope) && writer.topic(envelope.routingKey()) && !isSystemTopic()) {
                matched.clear();
            } else if (!match(message, envelope) || matched.qos() > 0) {
                continue;
            }
            send(message, 0, false, shownRetain(message), 0, secondsLeft(deliveries, i));
        }
    }

    /** Deliveries of the session's queue. */
    void deliver(Deliveries deliveries) {
        QueueHandle queue = deliveries.queue();
        for (int i = 0, size = deliveries.size(); i < size; i++) {
            Message message = deliveries.message(i);
            long position = deliveries.position(i);
            if (!known.isEmpty() && isKnown(queue, Place.OWN, position)) {
                continue;
            }
            if (!match(message, deliveries.envelope(i))) {
                settle(queue, position);
                continue;
            }
            int qos = Math.min(qos(message, deliveries.envelope(i)), matched.qos());
            if (onceDurable.isHolding() || (qos == 2 && state.lasts())) {
                onceDurable.add(deliveries, i);
            } else if (qos == 0) {
                send(message, 0, false, shownRetain(message), 0, secondsLeft(deliveries, i));
                settle(queue, position);
            } else {
                int id = inflight.idOf(position);
                deliver(deliveries, i, qos, id, deliveries.redelivered(i));
            }
        }
        onceDurable.endBatch();
    }

    /** A delivery that was held and may go now; what it is sent for is looked up again, for it may have changed meanwhile. */
    private void deliverDurable(OnceDurable.Held held) {
        boolean wanted = match(held.message(), held.envelope());
        int qos = wanted ? Math.min(qos(held.message(), held.envelope()), matched.qos()) : 0;
        int id = qos == 0 ? 0 : inflight.idOf(held.position());
        long seconds = secondsLeft(held.envelope(), held.waitedMillis());
        boolean sent = wanted
                && send(held.message(), qos, held.redelivered() && qos > 0, shownRetain(held.message()), id, seconds);
        if (sent && qos > 0) {
            inflight.add(id, awaited(qos), held.queue(), held.position());
        } else {
            settle(held.queue(), held.position());
        }
    }

    private static byte awaited(int qos) {
        return qos == 1 ? Inflight.AWAITS_ACK : Inflight.AWAITS_RECEIVED;
    }

    /** Deliveries of a queue that a group shares. */
    void deliver(Deliveries deliveries, Subscription shared) {
        QueueHandle queue = deliveries.queue();
        for (int i = 0, size = deliveries.size(); i < size; i++) {
            Message message = deliveries.message(i);
            long position = deliveries.position(i);
            if (!known.isEmpty() && isKnown(queue, queue.id(), position)) {
                continue;
            }
            if (!match(shared, deliveries.envelope(i))) {
                settle(queue, position);
                continue;
            }
            matched.clear();
            matched.add(shared, false);
            int qos = Math.min(qos(message, deliveries.envelope(i)), shared.qos());
            if (qos == 0) {
                send(message, 0, false, shownRetain(message), 0, secondsLeft(deliveries, i));
                if (shared.qos() > 0) {
                    settle(queue, position);
                }
            } else {
                deliver(deliveries, i, qos, inflight.freeId(), false);
            }
        }
    }

    /** Sends a delivery that is answered; one that is too large for the client is over. */
    private void deliver(Deliveries deliveries, int i, int qos, int id, boolean duplicate) {
        Message message = deliveries.message(i);
        if (send(message, qos, duplicate, shownRetain(message), id, secondsLeft(deliveries, i))) {
            inflight.add(id, awaited(qos), deliveries.queue(), deliveries.position(i));
        } else {
            settle(deliveries.queue(), deliveries.position(i));
        }
    }

    /** Whether the client has had this delivery on an earlier connection. */
    private boolean isKnown(QueueHandle queue, long number, long position) {
        if (number == Place.OWN) {
            forgetGone(position);
        }
        Integer id = known.remove(new Place(number, position));
        if (id == null) {
            return false;
        }
        int slot = inflight.find(id);
        if (inflight.state(slot) == Inflight.COMPLETED) {
            inflight.remove(slot);
            notes.completed(id, queue, position);
        } else {
            inflight.queue(slot, queue);
        }
        return true;
    }

    /** A session's queue begins with what was delivered before, in order: what has not come again by now has expired. */
    private void forgetGone(long position) {
        for (Iterator<Map.Entry<Place, Integer>> each = known.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Place, Integer> next = each.next();
            Place place = next.getKey();
            if (place.queue() == Place.OWN && place.position() >= position) {
                return;
            }
            if (place.queue() == Place.OWN) {
                each.remove();
                gone(next.getValue());
            }
        }
    }

    private void gone(int id) {
        int slot = inflight.find(id);
        if (inflight.state(slot) == Inflight.COMPLETED) {
            inflight.remove(slot);
            notes.completed(id, null, 0);
        } else {
            inflight.state(slot, Inflight.AWAITS_COMPLETE_ONLY);
        }
    }

    /** Finds the subscriptions that a message came for, and its topic: of its keys the first that one of them matches. */
    private boolean match(Message message, Envelope envelope) {
        return match(message, envelope.routingKey())
                || matchAny(message, envelope.copies())
                || matchAny(message, envelope.blindCopies());
    }

    private boolean matchAny(Message message, List<RoutingKey> keys) {
        for (int i = 0; i < keys.size(); i++) {
            if (match(message, keys.get(i))) {
                return true;
            }
        }
        return false;
    }

    private boolean match(Message message, RoutingKey key) {
        if (!writer.topic(key)) {
            return false;
        }
        boolean own = message.format() == MqttMessageFormat.INSTANCE && StoredHeader.isFrom(message.header(), clientId);
        subscriptions.match(writer.topicBytes(), own, matched);
        return matched.any();
    }

    /** Finds the topic by which a message came to a group. */
    private boolean match(Subscription shared, Envelope envelope) {
        if (!isCopied(envelope)) {
            return writer.topic(envelope.routingKey()) && !(isSystemTopic() && startsWild(shared));
        }
        byte[] filter = shared.filterBytes();
        return matches(filter, envelope.routingKey())
                || envelope.copies().stream().anyMatch(key -> matches(filter, key))
                || envelope.blindCopies().stream().anyMatch(key -> matches(filter, key));
    }

    private boolean matches(byte[] filter, RoutingKey key) {
        return writer.topic(key) && Topics.matches(filter, writer.topicBytes());
    }

    /** Whether a message has further keys, by which it may have come. */
    private static boolean isCopied(Envelope envelope) {
        return !envelope.copies().isEmpty() || !envelope.blindCopies().isEmpty();
    }

    private boolean isSystemTopic() {
        ByteBuf topic = writer.topicBytes();
        return topic.getByte(topic.readerIndex()) == '$';
    }

    private static boolean startsWild(Subscription shared) {
        char first = shared.topicFilter().charAt(0);
        return first == '+' || first == '#';
    }

    /** The QoS that a message was published with; other protocols know only whether it is to last. */
    private static int qos(Message message, Envelope envelope) {
        if (message.format() == MqttMessageFormat.INSTANCE) {
            return StoredHeader.qos(message.header());
        }
        return envelope.durable() ? 1 : 0;
    }

    private boolean shownRetain(Message message) {
        return message.format() == MqttMessageFormat.INSTANCE
                && (StoredHeader.isFromStore(message.header())
                        || (matched.asPublished() && StoredHeader.isRetain(message.header())));
    }

    /** What is left of a message's time, rounded up so that it never looks as if it had none. */
    private static long secondsLeft(Deliveries deliveries, int i) {
        return secondsLeft(deliveries.envelope(i), deliveries.waitedMillis(i));
    }

    private static long secondsLeft(Envelope envelope, long waitedMillis) {
        long ttl = envelope.ttlMillis();
        if (ttl == Envelope.NO_TTL) {
            return PublishWriter.NO_EXPIRY;
        }
        long left = ttl - waitedMillis;
        return Math.max(1, (left + EXPIRY_MILLIS - 1) / EXPIRY_MILLIS);
    }

    /** Sends a retained message at QoS 0; nothing answers it. */
    void sendRetained(Message message, Envelope envelope, Subscription of) {
        if (!writer.topic(envelope.routingKey())) {
            return;
        }
        matched.clear();
        matched.add(of, false);
        send(message, 0, false, true, 0, secondsLeft(envelope, 0));
    }

    /** Sends a PUBLISH to the writer's topic; false where it is larger than the client takes. */
    private boolean send(Message message, int qos, boolean duplicate, boolean retain, int id, long seconds) {
        Bytes header = message.header();
        int properties = 0;
        if (message.format() == MqttMessageFormat.INSTANCE) {
            properties = StoredHeader.propertiesIndex(header);
        } else {
            header = options.version5() ? ConvertedProperties.of(message) : Bytes.EMPTY;
        }
        int propertiesLength = header.length() - properties;
        Bytes payload = message.body();
        int[] ids = matched.ids();
        int idCount = options.version5() ? matched.idCount() : 0;
        int length = payload.length();
        int alias = aliasesMax > 0 ? alias() : 0;
        boolean known = aliases != null && alias > 0 && alias <= aliases.size();
        if (!writer.fits(qos, propertiesLength, seconds, ids, idCount, alias, known, length)) {
            if (alias == 0 || !writer.fits(qos, propertiesLength, seconds, ids, idCount, 0, false, length)) {
                return false;
            }
            alias = 0;
            known = false;
        } else if (aliases != null && alias > 0 && !known) {
            aliases.put(writer.key(), alias);
        }
        ByteBuf out = outbound.room(writer.room(propertiesLength, idCount, length));
        writer.publish(
                out, qos, duplicate, retain, id, header, properties, seconds, ids, idCount, alias, known, payload);
        traffic.sent().add(1);
        traffic.sentBytes().add(payload.length());
        return true;
    }

    /** The alias of the writer's topic; the next that is free where the client knows none, 0 where none is left. */
    private int alias() {
        if (aliases == null) {
            aliases = new HashMap<>();
        }
        Integer known = aliases.get(writer.key());
        if (known != null) {
            return known;
        }
        return aliases.size() == aliasesMax ? 0 : aliases.size() + 1;
    }

    private void settle(QueueHandle queue, long position) {
        session.settle(queue, position, position, Outcome.ACCEPTED);
    }

    // ---- answers

    /** A PUBACK. */
    void acknowledged(int id) {
        int slot = inflight.find(id);
        if (slot != Inflight.NONE) {
            checkAnswer(Packets.PUBACK, inflight.state(slot) == Inflight.AWAITS_ACK);
            finish(slot);
        }
    }

    /** An answer to another QoS than that of the delivery breaks the protocol (specification 4.3). */
    private static void checkAnswer(int type, boolean expected) {
        if (!expected) {
            throw PacketException.protocol(Packets.name(type) + " that does not answer what was sent");
        }
    }

    /** A PUBREC. */
    void received(int id, int reason) {
        int slot = inflight.find(id);
        if (slot == Inflight.NONE) {
            if (reason < Reason.UNSPECIFIED) {
                outbound.answer(Packets.PUBREL, id, options.version5() ? Reason.PACKET_ID_NOT_FOUND : Reason.SUCCESS);
            }
            return;
        }
        checkAnswer(Packets.PUBREC, inflight.state(slot) != Inflight.AWAITS_ACK);
        if (reason >= Reason.UNSPECIFIED) {
            finish(slot);
        } else if (inflight.state(slot) == Inflight.AWAITS_RECEIVED) {
            inflight.state(slot, Inflight.AWAITS_COMPLETE);
            if (!state.lasts()) {
                outbound.answer(Packets.PUBREL, id, Reason.SUCCESS);
                return;
            }
            QueueHandle queue = Objects.requireNonNull(inflight.queue(slot));
            long number = queue.name().equals(state.queue()) ? Place.OWN : queue.id();
            notes.delivered(id, new Place(number, inflight.position(slot)).note());
        } else {
            outbound.answer(Packets.PUBREL, id, Reason.SUCCESS);
        }
    }

    /** It is stored that the client has it, and so it will not get it again. */
    private void noted(int id) {
        outbound.answer(Packets.PUBREL, id, Reason.SUCCESS);
    }

    /** A delivery that the client had on an earlier connection, by what is noted of it. */
    void restored(int id, Bytes note) {
        Place place = Place.of(note);
        known.put(place, id);
        // A group's queue may deliver it to another member, or to nobody any more: nothing waits for that.
        byte awaits = place.queue() == Place.OWN ? Inflight.AWAITS_COMPLETE : Inflight.AWAITS_COMPLETE_ONLY;
        inflight.add(id, awaits, null, place.position());
    }

    /** Reminds the client of what it had on an earlier connection. */
    void remindAll() {
        known.values().forEach(id -> outbound.answer(Packets.PUBREL, id, Reason.SUCCESS));
    }

    /** A PUBCOMP. */
    void completed(int id) {
        int slot = inflight.find(id);
        if (slot == Inflight.NONE) {
            return;
        }
        checkAnswer(Packets.PUBCOMP, inflight.state(slot) >= Inflight.AWAITS_COMPLETE);
        if (!state.lasts()) {
            finish(slot);
            return;
        }
        QueueHandle queue = inflight.queue(slot);
        long position = inflight.position(slot);
        if (queue == null && inflight.state(slot) != Inflight.AWAITS_COMPLETE_ONLY) {
            // The queue is about to deliver it again: until then it must be known that the client has it.
            inflight.state(slot, Inflight.COMPLETED);
            return;
        }
        inflight.remove(slot);
        if (queue == null) {
            known.values().remove(id);
        }
        notes.completed(id, queue, position);
    }

    private void finish(int slot) {
        QueueHandle queue = inflight.queue(slot);
        long position = inflight.position(slot);
        inflight.remove(slot);
        if (queue != null) {
            settle(queue, position);
        }
    }
}
