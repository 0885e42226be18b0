package org.entrepot.core.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.security.Access;
import org.entrepot.core.topology.VirtualHost;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.OwnSession;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.SessionListener;

/** Sessions that plugins have in their own names. Any thread may call it. */
public final class PluginSessions {
    private final Services services;
    private final List<Loop> loops;
    private final Access unlimited;
    private final LongSupplier nextId;
    private final Set<PluginSession> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param loops sessions are spread over these
     * @param unlimited lets everybody do everything
     * @param connections share their ids with these sessions, as owners of queues
     */
    public PluginSessions(Services services, List<Loop> loops, Access unlimited, Connections connections) {
        this.services = services;
        this.loops = List.copyOf(loops);
        this.unlimited = unlimited;
        this.nextId = connections::nextId;
    }

    /** Opens a session of a plugin; see {@link org.entrepot.spi.Broker#openSession}. */
    public CompletionStage<OwnSession> open(String plugin, String virtualHost, SessionListener listener) {
        if (closed) {
            return CompletableFuture.failedFuture(stops());
        }
        if (services.topology().current().virtualHost(virtualHost) == null) {
            return CompletableFuture.failedFuture(
                    BrokerException.session(ErrorKind.NOT_FOUND, "vhost " + virtualHost + " not found"));
        }
        long id = nextId.getAsLong();
        Loop loop = loops.get((int) (id % loops.size()));
        Principal principal = new Principal(plugin, Set.of(), "plugin", Optional.empty());
        CompletableFuture<OwnSession> opened = new CompletableFuture<>();
        loop.run(() -> {
            PluginSession session = new PluginSession(id, loop, principal, virtualHost, listener, services, this);
            open.add(session);
            if (closed) {
                open.remove(session);
                opened.completeExceptionally(stops());
            } else {
                opened.complete(session);
            }
        });
        return opened;
    }

    private static IllegalStateException stops() {
        return new IllegalStateException("the broker stops");
    }

    /** The names of all virtual hosts. */
    public List<String> virtualHosts() {
        return services.topology().current().virtualHosts().stream()
                .map(VirtualHost::name)
                .toList();
    }

    Access unlimited() {
        return unlimited;
    }

    void closed(PluginSession session) {
        open.remove(session);
    }

    /** Ends all sessions and opens none any more; completes when that is done. */
    public CompletionStage<Void> close(BrokerException reason) {
        closed = true;
        List<CompletableFuture<Void>> ending = new ArrayList<>();
        for (PluginSession session : open) {
            ending.add(session.end(reason).toCompletableFuture());
        }
        return CompletableFuture.allOf(ending.toArray(CompletableFuture[]::new));
    }
}
