package org.entrepot.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.Set;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;

/**
 * What a session is in the broker: its queues, named as RabbitMQ names them, and what is stored of its packet identifiers.
 * Owned by the connection's loop.
 *
 * <p>Subscriptions are bindings of the session's queue. A session that outlives its connection is its durable queue, and is
 * over when that is deleted, by the broker where nobody uses it for as long as the session lasts. A table beside it holds
 * the identifiers of publishes at QoS 2 that have been received, and of deliveries that the client has.
 */
final class SessionState {
    /** What the names of all queues of sessions begin with. */
    static final String PREFIX = "mqtt-subscription-";

    static final String ANSWERED = "qos1";
    static final String VOLATILE = "qos0";
    static final String IDENTIFIERS = "qos2";

    private static final String SHARED_PREFIX = "mqtt-shared-";
    private static final long MILLIS_PER_SECOND = 1_000;
    private static final long RESUMING_SECONDS = 60;

    /** How long what ends with its connection may be unused: no session lasts for this time, which tells that it has ended. */
    private static final long ENDED_MILLIS = 101;

    /** Where identifiers are noted, the most there can be both ways. */
    private static final long IDENTIFIERS_MAX = 2 * 65_535;

    /** A header without anything. */
    private static final Bytes NOTE_HEADER = Bytes.wrap(new byte[] {0, 0, 0});

    private static final String RECEIVED = "received.";
    private static final String DELIVERED = "delivered.";
    private static final String BARRIER = "barrier";

    private final Session session;
    private final MqttSettings settings;
    private final String clientId;
    private final byte[] exchange;
    private long expirySeconds;
    private boolean durable;

    SessionState(Session session, MqttSettings settings, ClientOptions options) {
        this.session = session;
        this.settings = settings;
        this.clientId = options.clientId();
        this.exchange = settings.exchange().getBytes(StandardCharsets.UTF_8);
        this.expirySeconds = options.expirySeconds();
        this.durable = options.expirySeconds() > 0;
    }

    /** Whether the session is kept when its connection ends, or was by the one before. */
    boolean lasts() {
        return durable;
    }

    /** An older session goes on that was kept. */
    void resumed() {
        durable = true;
    }

    long expirySeconds() {
        return expirySeconds;
    }

    void expirySeconds(long seconds) {
        expirySeconds = seconds;
    }

    byte[] exchangeBytes() {
        return exchange;
    }

    /** The queue of subscriptions whose deliveries are answered, and of all in a session that lasts. */
    String queue() {
        return PREFIX + clientId + ANSWERED;
    }

    /** The queue of subscriptions at QoS 0 in a session that does not last. */
    String volatileQueue() {
        return PREFIX + clientId + VOLATILE;
    }

    /** The table of packet identifiers. */
    String identifiers() {
        return PREFIX + clientId + IDENTIFIERS;
    }

    QueueSpec queueSpec() {
        return QueueSpec.plain(queue(), durable, !durable, false).withLimits(limits());
    }

    /** Whether a session that was kept has ended, and only its queue is still there. */
    static boolean hasEnded(QueueSpec queue) {
        return queue.limits().idleMillis().equals(OptionalLong.of(ENDED_MILLIS));
    }

    /** How long the session's queue may be unused. */
    QueueLimits limits() {
        return idle(durable ? expirySeconds : ClientOptions.NEVER);
    }

    /** The same until it has a consumer. */
    QueueLimits limitsWhileResuming() {
        return idle(Math.max(expirySeconds, RESUMING_SECONDS));
    }

    QueueSpec volatileSpec() {
        return QueueSpec.plain(volatileQueue(), false, true, false)
                .withLimits(new QueueLimits(
                        OptionalLong.of(settings.volatileMessages()),
                        OptionalLong.empty(),
                        QueueLimits.Overflow.DROP_HEAD,
                        OptionalLong.empty(),
                        OptionalLong.empty()));
    }

    QueueSpec identifiersSpec() {
        return QueueSpec.table(
                identifiers(),
                true,
                new QueueLimits(
                        OptionalLong.of(IDENTIFIERS_MAX),
                        OptionalLong.empty(),
                        QueueLimits.Overflow.REJECT_PUBLISH,
                        OptionalLong.empty(),
                        OptionalLong.empty()));
    }

    /** The queue that a group shares. */
    static String sharedQueue(Subscription subscription) {
        return SHARED_PREFIX + subscription.group() + "/" + subscription.topicFilter();
    }

    QueueSpec sharedSpec(Subscription subscription) {
        return QueueSpec.plain(sharedQueue(subscription), true, false, false).withLimits(sharedLimits());
    }

    /** A group's queue is kept for as long as its members' sessions are. */
    QueueLimits sharedLimits() {
        return idle(expirySeconds);
    }

    private static QueueLimits idle(long seconds) {
        OptionalLong millis = seconds == ClientOptions.NEVER
                ? OptionalLong.empty()
                : OptionalLong.of(seconds == 0 ? ENDED_MILLIS : seconds * MILLIS_PER_SECOND);
        return new QueueLimits(
                OptionalLong.empty(),
                OptionalLong.empty(),
                QueueLimits.Overflow.DROP_HEAD,
                OptionalLong.empty(),
                millis);
    }

    /** Whether this is the table of a session that has no queue any more, given the names of all sessions' queues. */
    static boolean isOrphan(String name, Set<String> all) {
        String stem = name.substring(0, Math.max(0, name.length() - IDENTIFIERS.length()));
        return name.endsWith(IDENTIFIERS) && !all.contains(stem + ANSWERED);
    }

    /** Where it is noted that a publish with this identifier was received. */
    Address received(int packetId) {
        return session.queueAddress(identifiers(), RoutingKey.of(RECEIVED + packetId));
    }

    /** Where it is noted that the client has the delivery with this identifier. */
    Address delivered(int packetId) {
        return session.queueAddress(identifiers(), RoutingKey.of(DELIVERED + packetId));
    }

    /** Where nothing ever is: what is taken back there is durable when all is that was stored before. */
    Address barrier() {
        return session.queueAddress(identifiers(), RoutingKey.of(BARRIER));
    }

    /** The identifier that a note of received publishes is about; 0 where it is none. */
    static int receivedId(RoutingKey key) {
        return id(key, RECEIVED);
    }

    /** The identifier that a note of deliveries is about; 0 where it is none. */
    static int deliveredId(RoutingKey key) {
        return id(key, DELIVERED);
    }

    private static int id(RoutingKey key, String prefix) {
        String text = key.toString();
        return text.startsWith(prefix) ? Integer.parseInt(text.substring(prefix.length())) : 0;
    }

    /** A note; an empty one takes it back. */
    static Message note(Bytes body) {
        return new Message(MqttMessageFormat.INSTANCE, NOTE_HEADER, body);
    }

    static Envelope envelope(Address note) {
        return Envelope.of(note.exchange(), note.key(), true);
    }
}
