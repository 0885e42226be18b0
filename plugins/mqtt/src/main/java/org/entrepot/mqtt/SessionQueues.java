package org.entrepot.mqtt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.entrepot.mqtt.wire.Topics;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.session.Consumer;
import org.entrepot.spi.session.ConsumerSpec;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.DeliverySink;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.TopologyChange;

/** Makes and uses a session's queues and bindings. Owned by the connection's loop; each call waits for the one before. */
final class SessionQueues {
    /** The exchange that nobody publishes to, whose bindings say which lasting sessions are in which groups. */
    static final String MEMBERS = "mqtt.shared";

    private static final int READ_BYTES = 1 << 20;

    /**
     * So many queues whose deliveries are answered have one window together, for there are only so many packet identifiers.
     * Fewer have their own each, unless the client wants it otherwise: a queue that several sessions share gives what comes
     * one by one to all in turn only where nobody has to be asked first.
     */
    private static final int ANSWERED_MAX = 64;

    /** Packet identifiers that may be in use while there is still one to be found quickly. */
    private static final int IDS_MAX = 32_768;

    private final Session session;
    private final SessionState state;
    private final MqttSettings settings;
    private final ClientOptions options;
    private final Subscriptions subscriptions;
    private final Deliverer deliverer;
    private final Map<String, Consumer> consumers = new HashMap<>(2);
    /** Consumers whose deliveries are answered that there have been. */
    private int answered;

    SessionQueues(
            Session session,
            SessionState state,
            MqttSettings settings,
            ClientOptions options,
            Subscriptions subscriptions,
            Deliverer deliverer) {
        this.session = session;
        this.state = state;
        this.settings = settings;
        this.options = options;
        this.subscriptions = subscriptions;
        this.deliverer = deliverer;
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    // ---- beginning

    /** Begins a new session; an older one is thrown away. */
    CompletionStage<Void> begin() {
        return delete(state.queue())
                .thenCompose(deleted -> delete(state.identifiers()))
                .thenCompose(deleted -> declare());
    }

    /** Who may not delete it has none there: a client that only publishes is let in without a right to queues. */
    private CompletionStage<Void> delete(String queue) {
        return session.change(new TopologyChange.DeleteQueue(queue, false, false))
                .handle((deleted, failure) -> {
                    if (failure == null || isOf(failure, ErrorKind.ACCESS_REFUSED)) {
                        return null;
                    }
                    throw new CompletionException(failure);
                });
    }

    /** A session that lasts is its queue, so that is there from the beginning. */
    private CompletionStage<Void> declare() {
        if (!state.lasts()) {
            return done();
        }
        return session.change(List.of(
                        new TopologyChange.DeclareQueue(state.queueSpec()),
                        new TopologyChange.DeclareQueue(state.identifiersSpec())))
                .thenApply(declared -> null);
    }

    /** Goes on with the older session, or begins a new one; whether there was one. */
    CompletionStage<Boolean> resumeOrBegin(Receiver receiver) {
        return session.inspectQueue(state.queue())
                .handle((found, failure) -> {
                    if (failure == null && !SessionState.hasEnded(found.spec())) {
                        return resume(receiver).thenApply(resumed -> true);
                    }
                    if (failure == null
                            || isOf(failure, ErrorKind.NOT_FOUND)
                            || isOf(failure, ErrorKind.ACCESS_REFUSED)) {
                        return begin().thenApply(begun -> false);
                    }
                    throw new CompletionException(failure);
                })
                .thenCompose(stage -> stage);
    }

    private static boolean isOf(Throwable failure, ErrorKind kind) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof BrokerException refusal && refusal.kind() == kind;
    }

    private CompletionStage<Void> resume(Receiver receiver) {
        state.resumed();
        for (BindingSpec binding : session.bindingsOf(BindingSpec.Destination.queue(state.queue()))) {
            if (binding.source().equals(settings.exchange()) || binding.source().equals(SystemTopics.EXCHANGE)) {
                subscriptions.put(Subscription.of(Topics.filter(binding.key()), binding.arguments()));
            } else if (binding.source().equals(MEMBERS)) {
                subscriptions.put(Subscription.of(binding.key().toString(), binding.arguments()));
            }
        }
        // A session that ends with its connection must not look as if it had before it has a consumer.
        return session.change(new TopologyChange.ChangeLimits(state.queue(), state.limitsWhileResuming()))
                .thenCompose(changed -> session.change(new TopologyChange.DeclareQueue(state.identifiersSpec())))
                .thenCompose(declared -> restore(receiver, 0));
    }

    /** Reads what is noted of packet identifiers. */
    private CompletionStage<Void> restore(Receiver receiver, long from) {
        return session.read(state.identifiers(), from, READ_BYTES, notes -> restore(receiver, notes))
                .thenCompose(next -> next < 0 ? done() : restore(receiver, next));
    }

    private void restore(Receiver receiver, Deliveries notes) {
        for (int i = 0; i < notes.size(); i++) {
            int received = SessionState.receivedId(notes.envelope(i).routingKey());
            int delivered = SessionState.deliveredId(notes.envelope(i).routingKey());
            if (received != 0) {
                receiver.restored(received);
            } else if (delivered != 0) {
                deliverer.restored(delivered, notes.message(i).body());
            }
        }
    }

    /** The session lasts for another time. */
    CompletionStage<Void> changeExpiry() {
        if (!state.lasts()) {
            return done();
        }
        return session.change(new TopologyChange.ChangeLimits(state.queue(), state.limits()))
                .thenApply(changed -> null);
    }

    /** Has everything delivered that a resumed session is subscribed to. */
    CompletionStage<Void> serve() {
        if (!state.lasts()) {
            return done();
        }
        CompletionStage<Void> served =
                consume(state.queue(), false, deliverer::deliver).thenCompose(consumed -> changeExpiry());
        List<Subscription> shared = new ArrayList<>();
        for (Subscription each : subscriptions.all()) {
            if (each.isShared()) {
                shared.add(each);
            }
        }
        for (Subscription each : shared) {
            served = served.thenCompose(before -> join(each));
        }
        return served;
    }

    // ---- subscribing

    /** Makes a subscription, or changes it; completes when it is effective. */
    CompletionStage<Void> subscribe(Subscription wanted) {
        Subscription before = subscriptions.get(wanted.filter());
        if (wanted.equals(before)) {
            return done();
        }
        CompletionStage<Void> subscribed = wanted.isShared() ? join(wanted) : bind(wanted);
        return subscribed.thenCompose(bound -> {
            subscriptions.put(wanted);
            if (before == null) {
                return done();
            }
            return wanted.isShared() ? changeMember(before) : unbind(before);
        });
    }

    /** The exchange that a subscription's topics are published to. */
    private String exchange(Subscription subscription) {
        return SystemTopics.isFor(subscription.topicFilter()) ? SystemTopics.EXCHANGE : settings.exchange();
    }

    private boolean isVolatile(Subscription subscription) {
        return subscription.qos() == 0 && !state.lasts();
    }

    private CompletionStage<Void> bind(Subscription wanted) {
        if (isVolatile(wanted)) {
            return session.change(List.of(
                            new TopologyChange.DeclareQueue(state.volatileSpec()),
                            new TopologyChange.Bind(wanted.binding(exchange(wanted), state.volatileQueue()))))
                    .thenCompose(bound -> consume(state.volatileQueue(), true, deliverer::deliverVolatile));
        }
        return session.change(List.of(
                        new TopologyChange.DeclareQueue(state.queueSpec()),
                        new TopologyChange.Bind(wanted.binding(exchange(wanted), state.queue()))))
                .thenCompose(bound -> consume(state.queue(), false, deliverer::deliver));
    }

    private CompletionStage<Void> unbind(Subscription gone) {
        String queue = isVolatile(gone) ? state.volatileQueue() : state.queue();
        return session.change(new TopologyChange.Unbind(gone.binding(exchange(gone), queue)))
                .thenApply(unbound -> null);
    }

    private CompletionStage<Void> consume(String queue, boolean settled, DeliverySink sink) {
        if (consumers.containsKey(queue)) {
            return done();
        }
        int window = settled ? 0 : options.receiveMaximum();
        answered += settled ? 0 : 1;
        if (answered == sharingFrom()) {
            session.sharedWindow(options.receiveMaximum());
        }
        return session.consume(
                        new ConsumerSpec(queue, "mqtt", settled, false, 0, window, OptionalLong.empty(), Map.of()),
                        sink)
                .thenAccept(consumer -> consumers.put(queue, consumer));
    }

    private int sharingFrom() {
        int most = Math.max(2, Math.min(ANSWERED_MAX, IDS_MAX / options.receiveMaximum()));
        return options.limitsDeliveries() ? 2 : most;
    }

    // ---- groups

    private CompletionStage<Void> join(Subscription wanted) {
        String queue = SessionState.sharedQueue(wanted);
        List<TopologyChange> changes = new ArrayList<>();
        changes.add(new TopologyChange.DeclareQueue(state.sharedSpec(wanted)));
        changes.add(new TopologyChange.Bind(new BindingSpec(
                exchange(wanted),
                BindingSpec.Destination.queue(queue),
                Topics.pattern(wanted.topicFilter()),
                Map.of())));
        if (state.lasts()) {
            changes.add(new TopologyChange.ChangeLimits(queue, state.sharedLimits()));
            changes.add(new TopologyChange.Bind(membership(wanted)));
        }
        Consumer present = consumers.get(queue);
        CompletionStage<Void> left = present == null ? done() : present.cancel();
        return left.thenCompose(cancelled -> {
                    consumers.remove(queue);
                    return session.change(changes);
                })
                .thenCompose(bound ->
                        consume(queue, wanted.qos() == 0, deliveries -> deliverer.deliver(deliveries, wanted)));
    }

    private BindingSpec membership(Subscription subscription) {
        return new BindingSpec(
                MEMBERS,
                BindingSpec.Destination.queue(state.queue()),
                org.entrepot.spi.message.RoutingKey.of(subscription.filter()),
                subscription.arguments());
    }

    private CompletionStage<Void> changeMember(Subscription before) {
        if (!state.lasts()) {
            return done();
        }
        return session.change(new TopologyChange.Unbind(membership(before))).thenApply(unbound -> null);
    }

    // ---- unsubscribing

    CompletionStage<Void> unsubscribe(Subscription gone) {
        subscriptions.remove(gone.filter());
        return gone.isShared() ? leave(gone) : unbind(gone);
    }

    private CompletionStage<Void> leave(Subscription gone) {
        String queue = SessionState.sharedQueue(gone);
        Consumer present = consumers.remove(queue);
        return (present == null ? done() : present.cancel())
                .thenCompose(cancelled -> changeMember(gone))
                .thenCompose(unbound -> {
                    boolean members = !session.bindingsFrom(
                                    MEMBERS, org.entrepot.spi.message.RoutingKey.of(gone.filter()))
                            .isEmpty();
                    if (members) {
                        return done();
                    }
                    return session.change(new TopologyChange.DeleteQueue(queue, true, false))
                            .handle((deleted, failure) -> null);
                });
    }

    /** Where a retained message is put for a subscription whose deliveries are answered. */
    String answeredQueue() {
        return state.queue();
    }

    /** Whether a subscription's retained messages go through the session's queue. */
    boolean isAnswered(Subscription subscription) {
        return !isVolatile(subscription);
    }
}
