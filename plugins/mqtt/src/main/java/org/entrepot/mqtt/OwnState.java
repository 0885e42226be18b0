package org.entrepot.mqtt;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.entrepot.spi.Broker;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.BrokerIdentity;
import org.entrepot.spi.OwnSession;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Address;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;
import org.entrepot.spi.session.Transaction;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.TopologyChange;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the plugin keeps in a virtual host for all its clients: retained messages and wills that are still to come, in
 * tables, by a session of its own. Any thread may call it, where nothing else is said.
 */
final class OwnState implements SessionListener {
    /** The table of retained messages, by topic. */
    static final String RETAINED = "mqtt-retained";
    /** The table of wills, by client identifier. */
    static final String WILLS = "mqtt-wills";

    private static final Logger log = LoggerFactory.getLogger(OwnState.class);
    private static final int READ_BYTES = 1 << 20;
    private static final long TIDY_MILLIS = 30_000;
    private static final int STORE_BYTES = 256;

    private final MqttSettings settings;
    private final Clock clock;
    private final RetainedMessages retained = new RetainedMessages(this);
    private final Wills wills = new Wills(this);
    private @Nullable OwnSession own;
    /** Stores that wait for their receipt, in order. Owned by the session's loop, as all below. */
    private final ArrayDeque<Store> stores = new ArrayDeque<>();

    private int count;

    /** A publish, and who waits for it. */
    private record Store(long number, CompletableFuture<Boolean> answer) {}

    private OwnState(MqttSettings settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** Opens what a virtual host has, or makes it; completes on any thread. */
    static CompletionStage<OwnState> open(Broker broker, String virtualHost, MqttSettings settings, Clock clock) {
        OwnState state = new OwnState(settings, clock);
        CompletableFuture<OwnState> opened = new CompletableFuture<>();
        broker.openSession(virtualHost, state).whenComplete((own, failure) -> {
            if (failure != null) {
                opened.completeExceptionally(failure);
                return;
            }
            state.own = own;
            own.loop()
                    .execute(() -> state.begin().whenComplete((begun, fault) -> {
                        if (fault == null) {
                            opened.complete(state);
                        } else {
                            opened.completeExceptionally(fault);
                        }
                    }));
        });
        return opened;
    }

    private OwnSession own() {
        OwnSession present = own;
        if (present == null) {
            throw new IllegalStateException("the session is being opened");
        }
        return present;
    }

    private Session session() {
        return own().session();
    }

    private CompletionStage<Void> begin() {
        return session()
                .change(List.of(
                        new TopologyChange.DeclareExchange(new ExchangeSpec(
                                SessionQueues.MEMBERS, "direct", true, false, true, null, java.util.Map.of())),
                        new TopologyChange.DeclareExchange(ExchangeSpec.plain(SystemTopics.EXCHANGE, "topic", true)),
                        new TopologyChange.DeclareQueue(QueueSpec.table(RETAINED, true, QueueLimits.NONE)),
                        new TopologyChange.DeclareQueue(QueueSpec.table(WILLS, true, QueueLimits.NONE))))
                .thenCompose(declared -> read(RETAINED, 0, retained::restored))
                .thenCompose(read -> read(WILLS, 0, wills::restored))
                .thenAccept(read -> tidyLater());
    }

    private CompletionStage<Void> read(String table, long from, ObjIntConsumer<Deliveries> each) {
        return session()
                .read(table, from, READ_BYTES, deliveries -> {
                    for (int i = 0; i < deliveries.size(); i++) {
                        each.accept(deliveries, i);
                    }
                })
                .thenCompose(
                        next -> next < 0 ? CompletableFuture.<Void>completedFuture(null) : read(table, next, each));
    }

    Retained retained() {
        return retained;
    }

    /** Tells of the broker from now on. */
    void tellSystemTopics(Supplier<Collection<Traffic>> traffic, BrokerIdentity identity) {
        SystemTopics topics = new SystemTopics(this, traffic, identity);
        execute(topics::tell);
    }

    Wills wills() {
        return wills;
    }

    MqttSettings settings() {
        return settings;
    }

    long nowMillis() {
        return clock.millis();
    }

    /** Runs something on the session's loop. */
    void execute(Runnable work) {
        own().loop().execute(work);
    }

    Executor loop() {
        return own().loop();
    }

    Future<?> schedule(Runnable work, long delayMillis) {
        return own().schedule(work, delayMillis);
    }

    // On the session's loop.

    /** Puts a message into a table under the envelope's key; the stage completes on the loop: whether it is stored. */
    CompletionStage<Boolean> store(String table, Envelope envelope, Message message) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        session()
                .whenIdle(
                        () -> {
                            try {
                                Address to = session().queueAddress(table, envelope.routingKey());
                                Envelope stored = envelope.durable() ? envelope : durable(envelope);
                                session().publish(to, message, stored);
                                stores.add(new Store(session().published(), answer));
                            } catch (BrokerException refusal) {
                                answer.completeExceptionally(refusal);
                            }
                        },
                        message.size() + STORE_BYTES);
        return answer;
    }

    private static Envelope durable(Envelope envelope) {
        return new Envelope(
                envelope.exchange(),
                envelope.routingKey(),
                envelope.copies(),
                envelope.blindCopies(),
                true,
                envelope.priority(),
                envelope.ttlMillis());
    }

    /**
     * Publishes a message to a topic in the plugin's own name, and takes back what a table has under a key, both or neither;
     * where a queue is full, the latter alone.
     */
    void publishInstead(Message message, Envelope envelope, String table, RoutingKey taken) {
        session()
                .whenIdle(
                        () -> {
                            Envelope erasing = Envelope.of("", taken, true);
                            try {
                                Transaction transaction = session().begin();
                                transaction.publish(
                                        session().address(envelope.exchange(), envelope.routingKey()),
                                        message,
                                        envelope);
                                transaction.publish(
                                        session().queueAddress(table, taken), SessionState.note(Bytes.EMPTY), erasing);
                                transaction.commit().whenComplete((stored, failure) -> {
                                    if (failure != null || !stored) {
                                        log.warn(
                                                "The MQTT plugin could not publish to '{}': a queue is full",
                                                envelope.routingKey());
                                        store(table, erasing, SessionState.note(Bytes.EMPTY));
                                    }
                                });
                            } catch (BrokerException refusal) {
                                log.warn(
                                        "The MQTT plugin could not publish to '{}': {}",
                                        envelope.routingKey(),
                                        refusal.text());
                                store(table, erasing, SessionState.note(Bytes.EMPTY));
                            }
                        },
                        message.size() + STORE_BYTES);
    }

    /** Publishes a message to a topic in the plugin's own name. */
    void publish(String exchange, RoutingKey key, Message message, boolean durable, long expirySeconds) {
        session()
                .whenIdle(
                        () -> {
                            try {
                                session()
                                        .publish(
                                                session().address(exchange, key),
                                                message,
                                                Messages.envelope(exchange, key, durable, expirySeconds));
                            } catch (BrokerException refusal) {
                                log.warn("The MQTT plugin could not publish to '{}': {}", key, refusal.text());
                            }
                        },
                        message.size() + STORE_BYTES);
    }

    /** Retains a message that is not stored. */
    void keep(Message message, Envelope envelope) {
        retained.keep(message, envelope, 0);
    }

    /** How many topics have a retained message. */
    int retainedCount() {
        return count;
    }

    /** Whether one topic more may have a retained message. */
    boolean hasRoom() {
        return count < settings.retainedMax();
    }

    /** So many topics more, or fewer, have one. */
    void count(int change) {
        count += change;
    }

    private void tidyLater() {
        schedule(this::tidy, TIDY_MILLIS);
    }

    /** Removes what has expired, and the tables of sessions that have. */
    private void tidy() {
        retained.removeExpired();
        Set<String> names = session().queueNames(SessionState.PREFIX).stream().collect(Collectors.toSet());
        for (String name : names) {
            if (SessionState.isOrphan(name, names)) {
                session()
                        .whenIdle(
                                () -> session()
                                        .change(new TopologyChange.DeleteQueue(name, false, false))
                                        .whenComplete((deleted, failure) -> {
                                            if (failure != null) {
                                                log.debug(
                                                        "Queue '{}' of a session that is over is still there",
                                                        name,
                                                        failure);
                                            }
                                        }),
                                STORE_BYTES);
            }
        }
        tidyLater();
    }

    @Override
    public void receipts(long first, long last, Receipt receipt) {
        for (Iterator<Store> each = stores.iterator(); each.hasNext(); ) {
            Store store = each.next();
            if (store.number() > last) {
                return;
            }
            if (store.number() >= first) {
                each.remove();
                store.answer().complete(receipt == Receipt.STORED);
            }
        }
    }

    @Override
    public void failed(BrokerException reason) {
        log.debug("The MQTT plugin's session ends: {}", reason.text());
    }
}
