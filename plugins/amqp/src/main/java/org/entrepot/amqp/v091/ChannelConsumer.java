package org.entrepot.amqp.v091;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.entrepot.amqp.v091.wire.ShortString;
import org.entrepot.spi.session.Consumer;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.DeliverySink;
import org.jspecify.annotations.Nullable;

/** One consumer of a channel: what the broker delivers to, and the client's name for it. Owned by the channel's loop. */
final class ChannelConsumer implements DeliverySink {
    private final Consumers consumers;
    private final String tag;
    private final byte[] tagBytes;
    private final boolean settled;
    private boolean announced;
    private @Nullable Consumer consumer;

    /** With {@code settled} for no-ack; {@code unannounced} where the client asked for no consume-ok. */
    ChannelConsumer(Consumers consumers, String tag, boolean settled, boolean unannounced) {
        this.consumers = consumers;
        this.tag = tag;
        this.tagBytes = ShortString.encode(tag);
        this.settled = settled;
        this.announced = unannounced;
    }

    String tag() {
        return tag;
    }

    /** The tag as it stands on the wire. */
    byte[] tagBytes() {
        return tagBytes;
    }

    boolean settled() {
        return settled;
    }

    void started(Consumer consumer) {
        this.consumer = consumer;
    }

    String queue() {
        return present().queue().name();
    }

    CompletionStage<Void> cancel() {
        return present().cancel();
    }

    private Consumer present() {
        return Objects.requireNonNull(consumer, "the channel performs nothing while a consumer is being started");
    }

    /** Sends consume-ok, unless that was done or is not wanted. */
    void announce() {
        if (!announced) {
            announced = true;
            consumers.announce(this);
        }
    }

    @Override
    public void deliver(Deliveries deliveries) {
        consumers.deliver(this, deliveries);
    }

    @Override
    public void revoked(String reason) {
        consumers.revoked(this);
    }
}
