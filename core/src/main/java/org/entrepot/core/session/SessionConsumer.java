package org.entrepot.core.session;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.queue.DeliveryBatch;
import org.entrepot.core.queue.LocalQueue;
import org.entrepot.core.queue.Outlet;
import org.entrepot.core.queue.QueueConsumer;
import org.entrepot.spi.session.Consumer;
import org.entrepot.spi.session.ConsumerSpec;
import org.entrepot.spi.session.DeliverySink;
import org.entrepot.spi.session.QueueHandle;
import org.jspecify.annotations.Nullable;

/** A session's consumer: passes on what its queue hands out, as fast as the socket takes it. Owned by the session's loop. */
final class SessionConsumer implements Consumer, Outlet, SharedWindow.Borrower {
    /** Bytes of deliveries that may be under way from the queue to the socket. */
    static final long BYTE_CREDIT = 256 << 10;

    /** Credit is given back in lumps, so that it costs one command for many deliveries. */
    private static final long GRANT_BYTES_MIN = BYTE_CREDIT / 4;

    private final ClientSession session;
    private final ConsumerSpec spec;
    private final LocalQueue queue;
    private final DeliverySink sink;
    private @Nullable QueueConsumer inQueue;
    private long bytesToGrant;
    private int wanted;
    private boolean ended;

    SessionConsumer(ClientSession session, ConsumerSpec spec, LocalQueue queue, DeliverySink sink) {
        this.session = session;
        this.spec = spec;
        this.queue = queue;
        this.sink = sink;
    }

    /** The queue has taken the consumer on. */
    void attached(QueueConsumer consumer) {
        inQueue = consumer;
    }

    QueueConsumer inQueue() {
        return Objects.requireNonNull(inQueue);
    }

    LocalQueue localQueue() {
        return queue;
    }

    /** Nothing is passed on from now on. */
    void end() {
        ended = true;
    }

    boolean ended() {
        return ended;
    }

    @Override
    public ConsumerSpec spec() {
        return spec;
    }

    @Override
    public QueueHandle queue() {
        return queue;
    }

    @Override
    public CompletionStage<Void> cancel() {
        return session.cancel(this);
    }

    @Override
    public Loop loop() {
        return session.loop();
    }

    @Override
    public void deliver(DeliveryBatch batch) {
        session.owner().outgoing(this, batch);
    }

    /** Gives a batch to the protocol, and its bytes back to the queue. */
    void passOn(DeliveryBatch batch) {
        if (ended) {
            return;
        }
        sink.deliver(session.intercepted(batch));
        bytesToGrant += batch.bytes();
        if (bytesToGrant >= GRANT_BYTES_MIN) {
            session.owner().afterFlush(this);
        }
    }

    /** The socket can take more. */
    void grant() {
        if (ended || inQueue == null) {
            return;
        }
        long bytes = bytesToGrant;
        bytesToGrant = 0;
        session.grantBytes(queue, inQueue, bytes);
    }

    @Override
    public void wants(int messages) {
        session.sharedWindow().wants(this, messages);
    }

    @Override
    public void unused(int places) {
        session.sharedWindow().unused(places);
    }

    @Override
    public void wanted(int messages) {
        wanted = messages;
    }

    @Override
    public int wanted() {
        return wanted;
    }

    @Override
    public void lend(int places) {
        session.lend(queue, inQueue(), places);
    }

    @Override
    public void active(boolean active) {
        if (!ended) {
            sink.active(active);
        }
    }

    @Override
    public void revoked(String reason) {
        if (!ended) {
            session.owner().drain(this);
            session.forget(this);
            sink.revoked(reason);
        }
    }

    @Override
    public void leaseExpired(long leaseMillis) {
        // Also after it was cancelled: what it was delivered is still the session's to settle.
        session.leaseExpired(leaseMillis);
    }
}
