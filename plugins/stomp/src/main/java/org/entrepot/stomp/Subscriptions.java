package org.entrepot.stomp;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.ConsumerSpec;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.TopologyChange;
import org.entrepot.stomp.wire.DeliveryHead;
import org.entrepot.stomp.wire.Escapes;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.FrameWriter;
import org.entrepot.stomp.wire.Header;
import org.jspecify.annotations.Nullable;

/** The subscriptions of one session, and what they are delivered. Owned by the session's loop. */
final class Subscriptions {
    private static final int WINDOW_MAX = Integer.MAX_VALUE;

    private final StompSettings settings;
    private final StompVersion version;
    private final String sessionName;
    private final Session session;
    private final Queues queues;
    private final Outbound outbound;
    private final UnsettledDeliveries unsettled;
    private final Rendering rendering;
    private final Map<String, Subscription> byTag = new HashMap<>();

    /** The last exchange and key, and their destination: most messages have those of the message before. */
    private String exchange = "";

    private RoutingKey key = RoutingKey.EMPTY;
    private byte[] destination = destination(exchange, key);

    Subscriptions(
            StompSettings settings,
            StompVersion version,
            String sessionName,
            Session session,
            Queues queues,
            Outbound outbound,
            UnsettledDeliveries unsettled,
            Rendering rendering) {
        this.settings = settings;
        this.version = version;
        this.sessionName = sessionName;
        this.session = session;
        this.queues = queues;
        this.outbound = outbound;
        this.unsettled = unsettled;
        this.rendering = rendering;
    }

    /**
     * Starts the subscription of a SUBSCRIBE frame. The stage completes when it has begun; the receipt is sent then, or before
     * its first message where that comes earlier.
     */
    CompletionStage<?> subscribe(FrameHead head, byte @Nullable [] receipt) {
        String text = head.text(Header.DESTINATION);
        if (text == null) {
            throw Routes.missing("SUBSCRIBE");
        }
        Destination to = Destination.parse(text, settings.topicExchange());
        if (to.kind() == Destination.Kind.TEMPORARY) {
            throw Routes.notFor(text, "SUBSCRIBE");
        }
        if (head.has(Header.SELECTOR)) {
            // To ignore it would bring the client what it does not want.
            throw new Refusal("Invalid header", "'selector' is not supported on 'SUBSCRIBE'.\n");
        }
        AckMode ackMode = AckMode.of(head.text(Header.ACK, "auto"));
        SubscriptionName name = SubscriptionName.of(head);
        checkNew(name);
        Subscription subscription = new Subscription(this, name, ackMode, to.kind(), sessionName, version, receipt);
        return subscribe(subscription, to, head).thenRun(subscription::announce);
    }

    private CompletionStage<?> subscribe(Subscription subscription, Destination to, FrameHead head) {
        return switch (to.kind()) {
            case QUEUE ->
                queues.isDeclared(to.name())
                        ? consume(subscription, to.name(), head)
                        : queues.declareToSubscribe(to.name(), head)
                                .thenCompose(declared -> consume(subscription, to.name(), head));
            case AMQ_QUEUE, REPLY_QUEUE -> consume(subscription, to.name(), head);
            case TOPIC, EXCHANGE -> subscribeThrough(subscription, to, head);
            case TEMPORARY -> throw new AssertionError(to);
        };
    }

    private void checkNew(SubscriptionName name) {
        if (byTag.containsKey(name.tag())) {
            throw new Refusal(new StompError(
                    "Duplicated subscription identifier",
                    "A subscription identified by '" + name.tag() + "' already exists.",
                    true));
        }
        if (byTag.size() >= settings.subscriptionsMax()) {
            throw new Refusal(
                    "Subscription limit exceeded",
                    "Too many subscriptions (limit " + settings.subscriptionsMax() + ")\n");
        }
    }

    /** A subscription with a queue of its own, which an exchange fills. */
    private CompletionStage<?> subscribeThrough(Subscription subscription, Destination to, FrameHead head) {
        // A name, before anything is declared that nobody would remove.
        session.inspectExchange(to.exchange());
        SubscriptionQueue queue = SubscriptionQueue.of(to, head, session);
        BindingSpec binding = new BindingSpec(
                to.exchange(), BindingSpec.Destination.queue(queue.spec().name()), RoutingKey.of(to.name()), Map.of());
        return queues.declare(queue.spec(), queue.nameMadeUp())
                .thenCompose(declared -> session.change(new TopologyChange.Bind(binding)))
                .thenCompose(bound -> consume(subscription, queue.spec().name(), head));
    }

    private CompletionStage<?> consume(Subscription subscription, String queue, FrameHead head) {
        if (head.has(Header.X_STREAM_OFFSET)) {
            throw BrokerException.session(
                    ErrorKind.PRECONDITION_FAILED,
                    "invalid arg '" + Header.X_STREAM_OFFSET.text() + "' for queue '" + queue
                            + "', which is no stream");
        }
        long window = head.number(Header.PREFETCH_COUNT, 0);
        ConsumerSpec spec = new ConsumerSpec(
                queue,
                subscription.name().tag(),
                subscription.ackMode() == AckMode.AUTO,
                false,
                (int) clamp(head.number(Header.X_PRIORITY, 0), Integer.MIN_VALUE),
                (int) clamp(window, 0),
                OptionalLong.empty(),
                Map.of());
        byTag.put(subscription.name().tag(), subscription);
        return session.consume(spec, subscription).whenComplete((consumer, fault) -> {
            if (fault == null) {
                subscription.started(consumer);
            } else {
                byTag.remove(subscription.name().tag(), subscription);
            }
        });
    }

    private static long clamp(long number, long minimum) {
        return Math.max(minimum, Math.min(WINDOW_MAX, number));
    }

    /** Begins to bring the answers to a destination /temp-queue. */
    CompletionStage<?> openTemporary(String id) {
        SubscriptionName name = SubscriptionName.temporary(id);
        checkNew(name);
        Subscription subscription =
                new Subscription(this, name, AckMode.AUTO, Destination.Kind.TEMPORARY, sessionName, version, null);
        byTag.put(name.tag(), subscription);
        return queues.openTemporary(id, name.tag(), subscription);
    }

    /** Ends the subscription of an UNSUBSCRIBE frame; the stage completes when nothing comes any more. */
    CompletionStage<?> unsubscribe(FrameHead head) {
        SubscriptionName name = SubscriptionName.of(head);
        Subscription subscription = byTag.get(name.tag());
        if (subscription == null) {
            throw new Refusal(
                    "No subscription found",
                    "UNSUBSCRIBE must refer to an existing subscription.\nSubscription to " + name.description()
                            + " not found.\n");
        }
        boolean forGood = subscription.kind() == Destination.Kind.TOPIC && SubscriptionQueue.isDurable(head);
        String queue = subscription.queue().name();
        CompletionStage<?> cancelled = subscription.cancel().thenRun(() -> byTag.remove(name.tag(), subscription));
        return forGood
                ? cancelled.thenCompose(none -> session.change(new TopologyChange.DeleteQueue(queue, false, false)))
                : cancelled;
    }

    /** The broker ended a subscription. */
    void revoked(Subscription subscription) {
        if (byTag.remove(subscription.name().tag(), subscription)) {
            outbound.ended(
                    new StompError(
                            "Server cancelled subscription",
                            "The server has canceled a subscription.\nNo more messages will be delivered for "
                                    + subscription.name().description() + ".\n",
                            false),
                    subscription.name().id());
        }
    }

    void announce(byte[] receipt) {
        outbound.receipt(receipt);
    }

    void deliver(Subscription subscription, Deliveries deliveries) {
        DeliveryHead head = subscription.head();
        boolean settled = subscription.ackMode() == AckMode.AUTO;
        boolean countsReturns = deliveries.queue().spec().replicated();
        for (int i = 0, size = deliveries.size(); i < size; i++) {
            Message message = deliveries.message(i);
            Envelope envelope = deliveries.envelope(i);
            Annotations annotations = deliveries.annotations(i);
            Bytes lines = rendering.lines(message, envelope, annotations, countsReturns ? deliveries.returns(i) : 0);
            byte[] to = destinationOf(envelope.exchange(), rendering.key(message, envelope));
            outbound.writer()
                    .message(
                            outbound.room(FrameWriter.messageBytes(head, to, lines, message.body())),
                            head,
                            to,
                            settled ? unsettled.skip() : unsettled.add(subscription, deliveries.position(i)),
                            deliveries.redelivered(i),
                            lines,
                            message.body());
        }
    }

    private byte[] destinationOf(String exchange, RoutingKey key) {
        if (!key.equals(this.key) || !exchange.equals(this.exchange)) {
            this.exchange = exchange;
            this.key = key;
            destination = destination(exchange, key);
        }
        return destination;
    }

    private static byte[] destination(String exchange, RoutingKey key) {
        return Escapes.encode(Destination.of(exchange, key));
    }
}
