package org.entrepot.core.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.core.queue.DeliveryBatch;
import org.entrepot.core.security.Access;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.OwnSession;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;
import org.jspecify.annotations.Nullable;

/** A session of a plugin's own, and what owns it in place of a connection. Nothing holds it back. */
@OwnedBy("its loop; what OwnSession declares may be called by any thread")
final class PluginSession implements OwnSession, SessionOwner, Loop.PassWork {
    private final long id;
    private final Loop loop;
    private final Principal principal;
    private final String virtualHost;
    private final Services services;
    private final PluginSessions all;
    private final SessionListener listener;
    private final ClientSession session;
    private final ArrayDeque<Outgoing> outgoing = new ArrayDeque<>(0);
    private final List<SessionConsumer> toGrant = new ArrayList<>(1);
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean closing;
    private boolean passDue;

    /** Deliveries that wait for the end of the pass. */
    private record Outgoing(SessionConsumer consumer, DeliveryBatch batch) {}

    PluginSession(
            long id,
            Loop loop,
            Principal principal,
            String virtualHost,
            SessionListener listener,
            Services services,
            PluginSessions all) {
        this.id = id;
        this.loop = loop;
        this.principal = principal;
        this.virtualHost = virtualHost;
        this.services = services;
        this.all = all;
        this.listener = listener;
        this.session = new ClientSession(this, listener, services);
    }

    // OwnSession.

    @Override
    public Session session() {
        return session;
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public Future<?> schedule(Runnable work, long delayMillis) {
        return loop.schedule(
                () -> {
                    if (!closing) {
                        work.run();
                    }
                },
                delayMillis);
    }

    @Override
    public CompletionStage<Void> close() {
        loop.run(this::closeNow);
        return closed;
    }

    private void closeNow() {
        if (closing) {
            return;
        }
        closing = true;
        outgoing.clear();
        session.close()
                .thenCompose(done -> services.topology().dropOwner(id, loop))
                .whenComplete((dropped, failure) -> {
                    all.closed(this);
                    closed.complete(null);
                });
    }

    /** The broker ends the session. */
    CompletionStage<Void> end(BrokerException reason) {
        loop.run(() -> {
            if (!closing) {
                listener.failed(reason);
                closeNow();
            }
        });
        return closed;
    }

    // SessionOwner.

    @Override
    public long id() {
        return id;
    }

    @Override
    public Principal principal() {
        return principal;
    }

    @Override
    public String virtualHost() {
        return virtualHost;
    }

    @Override
    public String clientId() {
        return "";
    }

    @Override
    public Access access() {
        return all.unlimited();
    }

    @Override
    public boolean isSystem() {
        return true;
    }

    @Override
    public void pause(ReadPause reason) {}

    @Override
    public void unpause(ReadPause reason) {}

    @Override
    public void hold() {}

    @Override
    public void resume() {}

    @Override
    public void publishing() {}

    @Override
    public void checkConsumers() {}

    @Override
    public void consumerEnded() {}

    @Override
    public void outgoing(SessionConsumer consumer, DeliveryBatch batch) {
        outgoing.add(new Outgoing(consumer, batch));
        flushSoon();
    }

    @Override
    public void drain(SessionConsumer consumer) {
        List<Outgoing> waiting = List.copyOf(outgoing);
        outgoing.clear();
        for (Outgoing next : waiting) {
            if (next.consumer() == consumer) {
                consumer.passOn(next.batch());
            } else {
                outgoing.add(next);
            }
        }
    }

    @Override
    public void afterFlush(SessionConsumer consumer) {
        toGrant.add(consumer);
        flushSoon();
    }

    @Override
    public void flushSoon() {
        assert loop.owns();
        if (!passDue) {
            passDue = true;
            loop.atEndOfPass(Loop.Phase.FLUSH, this);
        }
    }

    @Override
    public void atEndOfPass() {
        passDue = false;
        session.tellReceipts();
        @Nullable Outgoing next;
        while ((next = outgoing.poll()) != null) {
            next.consumer().passOn(next.batch());
        }
        for (int i = 0; i < toGrant.size(); i++) {
            toGrant.get(i).grant();
        }
        toGrant.clear();
    }

    @Override
    public void sessionClosed(ClientSession ended) {
        // Where the plugin has closed the session itself, its owner goes with it.
        closeNow();
    }
}
