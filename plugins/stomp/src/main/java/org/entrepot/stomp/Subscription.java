package org.entrepot.stomp;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.session.Consumer;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.DeliverySink;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.stomp.wire.DeliveryHead;
import org.entrepot.stomp.wire.Escapes;
import org.jspecify.annotations.Nullable;

/** One subscription of a session: what the broker delivers to, and the client's name for it. Owned by the session's loop. */
final class Subscription implements DeliverySink {
    private final Subscriptions subscriptions;
    private final SubscriptionName name;
    private final AckMode ackMode;
    private final Destination.Kind kind;
    private final byte[] rawTag;
    private final DeliveryHead head;
    private @Nullable QueueHandle queue;
    private @Nullable Consumer consumer;
    private byte @Nullable [] receipt;

    Subscription(
            Subscriptions subscriptions,
            SubscriptionName name,
            AckMode ackMode,
            Destination.Kind kind,
            String sessionName,
            StompVersion version,
            byte @Nullable [] receipt) {
        this.subscriptions = subscriptions;
        this.name = name;
        this.ackMode = ackMode;
        this.kind = kind;
        this.receipt = receipt;
        this.rawTag = Escapes.encode(name.tag());
        this.head = DeliveryHead.of(
                Escapes.encode(name.id()),
                name.hasId(),
                rawTag,
                sessionName,
                version == StompVersion.V1_2 && ackMode != AckMode.AUTO);
    }

    SubscriptionName name() {
        return name;
    }

    AckMode ackMode() {
        return ackMode;
    }

    Destination.Kind kind() {
        return kind;
    }

    /** What the ids of its messages begin with, as it stands in a header. */
    byte[] rawTag() {
        return rawTag;
    }

    DeliveryHead head() {
        return head;
    }

    void started(Consumer consumer) {
        this.consumer = consumer;
        this.queue = consumer.queue();
    }

    /** The queue, which is known before anything was delivered. */
    QueueHandle queue() {
        return Objects.requireNonNull(queue, "there is a queue where something was delivered or the consumer started");
    }

    /** Sends the receipt that the client wants, unless that was done: before the first message. */
    void announce() {
        byte[] wanted = receipt;
        if (wanted != null) {
            receipt = null;
            subscriptions.announce(wanted);
        }
    }

    CompletionStage<Void> cancel() {
        return Objects.requireNonNull(consumer, "nothing is performed while a subscription is being started")
                .cancel();
    }

    @Override
    public void deliver(Deliveries deliveries) {
        queue = deliveries.queue();
        announce();
        subscriptions.deliver(this, deliveries);
    }

    @Override
    public void revoked(String reason) {
        subscriptions.revoked(this);
    }
}
