package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubAckPayload;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckPayload;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.entrepot.mqtt.wire.PacketException;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;
import org.jspecify.annotations.Nullable;

/** A client's session, while it is connected. Owned by the connection's loop. */
final class MqttSession implements SessionListener {
    /** What a SUBSCRIBE takes that waits, for each filter. */
    private static final int FILTER_BYTES = 200;

    private final MqttConnection connection;
    private final Outbound outbound;
    private final MqttShared shared;
    private final Connection broker;
    private final ClientOptions options;
    private final Subscriptions subscriptions = new Subscriptions();
    private @Nullable Session session;
    private @Nullable SessionState state;
    private @Nullable SessionQueues queues;
    private @Nullable Receiver receiver;
    private @Nullable Deliverer deliverer;
    private @Nullable OwnState own;
    private @Nullable RetainedReplay replay;
    private boolean accepted;
    private boolean saidGoodbye;
    private boolean closed;

    MqttSession(
            MqttConnection connection, Outbound outbound, MqttShared shared, Connection broker, ClientOptions options) {
        this.connection = connection;
        this.outbound = outbound;
        this.shared = shared;
        this.broker = broker;
        this.options = options;
    }

    private Session session() {
        return Objects.requireNonNull(session);
    }

    private SessionQueues queues() {
        return Objects.requireNonNull(queues);
    }

    private Receiver receiver() {
        return Objects.requireNonNull(receiver);
    }

    private Deliverer deliverer() {
        return Objects.requireNonNull(deliverer);
    }

    private OwnState own() {
        return Objects.requireNonNull(own);
    }

    /** Whether the client is told reasons in words, which it has room for. */
    boolean wantsReasons() {
        return options.problemInformation() && options.packetMax() >= Replies.REASON_PACKET_MAX;
    }

    // ---- beginning

    /** Finds the client's older session, or makes it a new one; whether there was one that goes on. */
    CompletionStage<Boolean> start() {
        Session opened = broker.openSession(this);
        session = opened;
        SessionState made = new SessionState(opened, shared.settings(), options);
        state = made;
        CompletableFuture<Boolean> started = new CompletableFuture<>();
        shared.state(broker.virtualHost())
                .whenComplete((kept, failure) -> connection.socket().eventLoop().execute(() -> {
                    if (!connection.shakesHands()) {
                        // The client is gone, and its session closed.
                        return;
                    }
                    if (failure != null) {
                        started.completeExceptionally(failure);
                        return;
                    }
                    start(opened, made, kept).whenComplete((present, fault) -> {
                        if (fault == null) {
                            started.complete(present);
                        } else {
                            started.completeExceptionally(fault);
                        }
                    });
                }));
        return started;
    }

    private CompletionStage<Boolean> start(Session opened, SessionState made, OwnState kept) {
        own = kept;
        deliverer = new Deliverer(connection, outbound, shared.settings(), options, opened, made, subscriptions);
        receiver = new Receiver(connection, outbound, shared.settings(), options, opened, made, kept.retained());
        queues = new SessionQueues(opened, made, shared.settings(), options, subscriptions, deliverer());
        return options.cleanStart() ? queues().begin().thenApply(begun -> false) : queues().resumeOrBegin(receiver());
    }

    /** The client knows that it was let in: deliveries may begin. */
    void accepted() {
        accepted = true;
        traffic().connected().add(1);
        traffic().subscribed().add(subscriptions.size());
        own().wills().connected(options.clientId(), options.cleanStart());
        deliverer().remindAll();
        after(queues().serve(), served -> {});
    }

    // ---- what the client sends

    void publish(int head, ByteBuf buffer, int index, int length) {
        receiver().publish(head, buffer, index, length);
    }

    /** A PUBACK, PUBREC, PUBREL or PUBCOMP. */
    void answer(int type, int packetId, int reason) {
        switch (type) {
            case Packets.PUBACK -> deliverer().acknowledged(packetId);
            case Packets.PUBREC -> deliverer().received(packetId, reason);
            case Packets.PUBREL -> receiver().released(packetId);
            default -> deliverer().completed(packetId);
        }
    }

    void subscribe(MqttSubscribeMessage message) {
        List<MqttTopicSubscription> wanted = message.payload().topicSubscriptions();
        for (MqttTopicSubscription one : wanted) {
            checkFilter(one.topicFilter());
            if (one.option().isNoLocal() && Subscription.isShared(one.topicFilter())) {
                throw PacketException.protocol("no local in a shared subscription");
            }
        }
        session().whenIdle(() -> subscribe(message, wanted), wanted.size() * FILTER_BYTES);
    }

    /** What is no topic filter breaks the protocol; what is one, but has too many levels, is refused on its own. */
    private static void checkFilter(String filter) {
        String fault = Subscription.fault(filter, Integer.MAX_VALUE);
        if (!fault.isEmpty()) {
            throw PacketException.malformed(fault);
        }
    }

    private void subscribe(MqttSubscribeMessage message, List<MqttTopicSubscription> wanted) {
        int id = options.version5()
                ? (int) Replies.number(
                        message.idAndPropertiesVariableHeader().properties(), MqttProperties.SUBSCRIPTION_IDENTIFIER, 0)
                : 0;
        int packetId = message.variableHeader().messageId();
        List<Integer> codes = new ArrayList<>(wanted.size());
        List<Subscription> replayed = new ArrayList<>(1);
        CompletionStage<Void> all = each(wanted, 0, one -> {
            String filter = one.topicFilter();
            String fault = Subscription.fault(filter, shared.settings().topicLevelsMax());
            if (!fault.isEmpty()) {
                codes.add(Reason.TOPIC_FILTER_INVALID);
                return done();
            }
            Subscription subscription = Subscription.of(
                    filter,
                    one.qualityOfService().value(),
                    one.option().isNoLocal(),
                    one.option().isRetainAsPublished(),
                    id);
            boolean isNew = subscriptions.get(filter) == null;
            if (isNew && subscriptions.size() >= shared.settings().subscriptionsMax()) {
                codes.add(Reason.QUOTA_EXCEEDED);
                return done();
            }
            return queues().subscribe(subscription).handle((subscribed, failure) -> {
                if (failure != null) {
                    codes.add(refused(failure));
                } else {
                    codes.add(subscription.qos());
                    traffic().subscribed().add(isNew ? 1 : 0);
                    if (!subscription.isShared() && replays(one, isNew)) {
                        replayed.add(subscription);
                    }
                }
                return null;
            });
        });
        after(all, finished -> {
            outbound.send(new MqttSubAckMessage(
                    answerHeader(MqttMessageType.SUBACK),
                    new MqttMessageIdAndPropertiesVariableHeader(packetId, MqttProperties.NO_PROPERTIES),
                    new MqttSubAckPayload(codes.stream().map(this::shown).toList())));
            replayed.forEach(this::replay);
        });
    }

    /** The reason code of a refusal, which is written down. */
    private int refused(Throwable failure) {
        if (closed) {
            // The session went in the middle of it, and nobody hears the answer.
            return Reason.UNSPECIFIED;
        }
        BrokerException refusal = Replies.refusal(failure);
        broker.complain(refusal.text());
        return Replies.reason(refusal);
    }

    /** The reason code that a client gets to see. */
    private int shown(int code) {
        boolean tells = options.version5() && shared.settings().tellsReasons();
        return tells || code < Reason.UNSPECIFIED ? code : Reason.UNSPECIFIED;
    }

    private static boolean replays(MqttTopicSubscription wanted, boolean isNew) {
        return switch (wanted.option().retainHandling()) {
            case SEND_AT_SUBSCRIBE -> true;
            case SEND_AT_SUBSCRIBE_IF_NOT_YET_EXISTS -> isNew;
            case DONT_SEND_AT_SUBSCRIBE -> false;
        };
    }

    private void replay(Subscription subscription) {
        RetainedReplay present = replay;
        if (present == null) {
            present = new RetainedReplay(session(), queues(), deliverer(), connection.socket(), own().retained());
            replay = present;
        }
        present.add(subscription);
    }

    private static MqttFixedHeader answerHeader(MqttMessageType type) {
        return new MqttFixedHeader(type, false, MqttQoS.AT_MOST_ONCE, false, 0);
    }

    void unsubscribe(MqttUnsubscribeMessage message) {
        List<String> filters = message.payload().topics();
        filters.forEach(MqttSession::checkFilter);
        session().whenIdle(() -> unsubscribe(message, filters), filters.size() * FILTER_BYTES);
    }

    private void unsubscribe(MqttUnsubscribeMessage message, List<String> filters) {
        List<Short> codes = new ArrayList<>(filters.size());
        CompletionStage<Void> all = each(filters, 0, filter -> {
            Subscription gone = subscriptions.get(filter);
            if (gone == null) {
                codes.add((short) Reason.NO_SUBSCRIPTION_EXISTED);
                return done();
            }
            traffic().unsubscribed().add(1);
            return queues().unsubscribe(gone).handle((unsubscribed, failure) -> {
                codes.add((short) (failure == null ? Reason.SUCCESS : refused(failure)));
                return null;
            });
        });
        after(
                all,
                finished -> outbound.send(new MqttUnsubAckMessage(
                        answerHeader(MqttMessageType.UNSUBACK),
                        new MqttMessageIdAndPropertiesVariableHeader(
                                message.variableHeader().messageId(), MqttProperties.NO_PROPERTIES),
                        options.version5() ? new MqttUnsubAckPayload(codes) : null)));
    }

    /** A DISCONNECT: the connection ends as soon as that is done which must be done before. */
    void disconnected(MqttMessage message) {
        long expiry = state().expirySeconds();
        if (message.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader said) {
            saidGoodbye = (said.reasonCode() & 0xFF) == Reason.SUCCESS;
            expiry = Replies.number(said.properties(), MqttProperties.SESSION_EXPIRY_INTERVAL, expiry);
        } else {
            saidGoodbye = true;
        }
        if (options.expirySeconds() == 0 && expiry != 0) {
            saidGoodbye = false;
            broker.complain("raised a session expiry of 0 when it disconnected");
            Replies.disconnect(outbound, Reason.PROTOCOL_ERROR, "");
            connection.end();
            return;
        }
        if (expiry == state().expirySeconds()) {
            session().whenIdle(connection::end, 0);
            return;
        }
        long most = shared.settings().sessionExpirySeconds().orElse(ClientOptions.NEVER);
        state().expirySeconds(Math.min(expiry, most));
        session().whenIdle(() -> queues().changeExpiry().whenComplete((changed, failure) -> connection.end()), 0);
    }

    private SessionState state() {
        return Objects.requireNonNull(state);
    }

    /** The socket can take more. */
    void writable() {
        if (replay != null) {
            replay.goOn();
        }
    }

    // ---- one after the other

    /** Does something with an item that may take its time. */
    @FunctionalInterface
    private interface Step<T> {
        CompletionStage<Void> take(T item);
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    /** One item after the other; those that take no time take no stack either. */
    private static <T> CompletionStage<Void> each(List<T> items, int from, Step<T> step) {
        for (int i = from; i < items.size(); i++) {
            CompletableFuture<Void> taken = step.take(items.get(i)).toCompletableFuture();
            if (!taken.isDone()) {
                int next = i + 1;
                return taken.thenCompose(result -> each(items, next, step));
            }
            if (taken.isCompletedExceptionally()) {
                return taken;
            }
        }
        return done();
    }

    private <T> void after(CompletionStage<T> stage, java.util.function.Consumer<? super T> next) {
        stage.whenComplete((value, failure) -> {
            if (closed) {
                return;
            }
            try {
                if (failure == null) {
                    next.accept(value);
                } else {
                    connection.fail(Replies.refusal(failure));
                }
            } catch (RuntimeException | AssertionError fault) {
                // Thrown on, it would vanish in the stage.
                connection.fail(Replies.refusal(fault));
            }
        });
    }

    // ---- what the broker tells

    @Override
    public void receipts(long first, long last, Receipt receipt) {
        if (receiver != null) {
            receiver.receipts(first, last, receipt);
        }
    }

    @Override
    public void failed(BrokerException reason) {
        connection.fail(reason);
    }

    /** A newer connection has the client's identifier. */
    void takenOver() {
        connection.goodbye(Reason.SESSION_TAKEN_OVER, "another connection has this client identifier");
    }

    private Traffic traffic() {
        return connection.tools().traffic();
    }

    /** The socket is closed. */
    void closed() {
        closed = true;
        if (accepted) {
            traffic().disconnected().add(1);
            traffic().unsubscribed().add(subscriptions.size());
        }
        Will will = options.will();
        if (accepted && !saidGoodbye && will != null) {
            if (session().mayPublish(session().address(shared.settings().exchange(), will.key()))) {
                own().wills().left(options.clientId(), will, state().expirySeconds());
            } else {
                broker.complain("left a will for a topic that it may not publish to");
            }
        }
    }
}
