package org.entrepot.core.session;

import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.topology.VirtualHost;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.protocol.Protocol;
import org.jspecify.annotations.Nullable;

/** The connections of this node. Any thread may call it. */
public final class Connections {
    private final Services services;
    private final UnsentBytes unsent = new UnsentBytes();
    private final Claims claims = new Claims();
    private final AtomicLong lastId = new AtomicLong();
    private final Set<ClientConnection> open = ConcurrentHashMap.newKeySet();
    private final Set<ClientConnection> blocked = ConcurrentHashMap.newKeySet();
    private final ConcurrentHashMap<String, AtomicInteger> inVirtualHost = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean draining;
    private volatile @Nullable String alarm;
    private volatile @Nullable Alarms alarms;

    public Connections(Services services) {
        this.services = services;
    }

    /** Makes a connection of a channel and lets the protocol take it over; called on the channel's loop. */
    public void open(Channel channel, Loop loop, Protocol protocol, ConnectionFacts facts) {
        ClientConnection connection = new ClientConnection(nextId(), channel, loop, protocol, facts, services, this);
        open.add(connection);
        connection.open();
        if (draining) {
            connection.cut();
        }
    }

    void closed(ClientConnection connection) {
        open.remove(connection);
        blocked.remove(connection);
        if (draining && open.isEmpty()) {
            drained.complete(null);
        }
    }

    /** An id that nobody else has as an owner of sessions. */
    long nextId() {
        return lastId.incrementAndGet();
    }

    public int count() {
        return open.size();
    }

    /** What their sockets have not taken yet. */
    UnsentBytes unsent() {
        return unsent;
    }

    /** Who has the right to which name. */
    Claims claims() {
        return claims;
    }

    // Virtual hosts.

    /** Whether one more connection may enter. */
    boolean enter(String name) {
        long limit = limitOf(name);
        AtomicInteger count = inVirtualHost.computeIfAbsent(name, absent -> new AtomicInteger());
        if (limit >= 0 && count.get() >= limit) {
            return false;
        }
        count.incrementAndGet();
        return true;
    }

    void left(String name) {
        AtomicInteger count = inVirtualHost.get(name);
        if (count != null) {
            count.decrementAndGet();
        }
    }

    /** Most connections in a virtual host, or a negative number for no limit. */
    long limitOf(String name) {
        VirtualHost host = services.topology().current().virtualHost(name);
        return host == null ? 0 : host.limits().connections().orElse(-1);
    }

    // Alarms.

    /** Says who watches memory and disk; called once, before the first connection. */
    public void watchedBy(Alarms alarms) {
        this.alarms = alarms;
    }

    void checkMemory() {
        Alarms watch = alarms;
        if (watch != null) {
            watch.checkMemory();
        }
    }

    /** Why publishers are held back, or null while they are not. */
    @Nullable String alarm() {
        return alarm;
    }

    /** Holds publishers back from now on, for this reason; or lets them go on, for null. */
    public void alarm(@Nullable String reason) {
        alarm = reason;
        if (reason == null) {
            blocked.removeIf(connection -> {
                connection.loop().run(connection::unblock);
                return true;
            });
        }
    }

    void blocked(ClientConnection connection) {
        blocked.add(connection);
        if (alarm == null) {
            connection.loop().post(connection::unblock);
        }
    }

    // Ending.

    /** Asks all connections to say goodbye; completes when the last is closed. */
    public CompletionStage<Void> drain(BrokerException reason) {
        draining = true;
        for (ClientConnection connection : open) {
            connection.loop().run(() -> connection.close(reason));
        }
        if (open.isEmpty()) {
            drained.complete(null);
        }
        return drained;
    }

    /** Closes the sockets that are still open. */
    public void cut() {
        for (ClientConnection connection : open) {
            connection.loop().run(connection::cut);
        }
    }

    /** Asks every connection how it is. */
    public CompletionStage<List<ConnectionReport>> report() {
        List<CompletableFuture<ConnectionReport>> asked = new ArrayList<>();
        for (ClientConnection connection : open) {
            asked.add(CompletableFuture.supplyAsync(connection::report, connection.loop()));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(all -> asked.stream().map(CompletableFuture::join).toList());
    }
}
