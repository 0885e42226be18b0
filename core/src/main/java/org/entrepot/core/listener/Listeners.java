package org.entrepot.core.listener;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.Inet6Address;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.Loops;

/**
 * The broker's open ports. Opened once, by the thread that starts the broker; the other methods may then be called by
 * any thread.
 */
public final class Listeners {
    private static final long SUMMARY_MILLIS = TimeUnit.SECONDS.toMillis(5);

    private final ListenerSettings settings;
    private final Loops loops;
    private final ComplaintLog complaints;
    private final MeterRegistry meters;
    private final Executor background;
    private final Entrance entrance;
    private final List<ServerSocketChannel> servers = new ArrayList<>();
    private final List<Future<?>> timers = new ArrayList<>();
    private volatile List<TlsContext> tlsContexts = List.of();
    private volatile List<BoundListener> bound = List.of();

    /**
     * Closed listeners.
     *
     * @param opener takes connections over
     * @param background runs what would hold a loop up: reading certificates, the costly steps of TLS handshakes,
     *     writing summaries of complaints
     */
    public Listeners(
            ListenerSettings settings,
            Loops loops,
            ConnectionOpener opener,
            ComplaintLog complaints,
            MeterRegistry meters,
            Executor background) {
        this.settings = settings;
        this.loops = loops;
        this.complaints = complaints;
        this.meters = meters;
        this.background = background;
        this.entrance = new Entrance(settings, loops, opener, complaints, background);
    }

    /**
     * Opens all ports, or none. Connections are accepted when all are open. Blocks.
     *
     * @throws IOException with the listener, the port and what is wrong with it
     */
    public List<BoundListener> open(List<ListenerSpec> specs) throws IOException {
        assert servers.isEmpty() : "opened once";
        Map<TlsSpec, TlsContext> contexts = tlsContexts(specs);
        List<BoundListener> opened = new ArrayList<>();
        try {
            for (PortPlan plan : PortPlan.of(specs, meters)) {
                TlsContext tls = plan.tls().map(contexts::get).orElse(null);
                Port port = new Port(plan.entries(), tls, plan.elsewhere());
                ServerSocketChannel server = bind(plan, port);
                for (Port.Entry entry : plan.entries()) {
                    opened.add(new BoundListener(
                            entry.listener(), entry.protocol().name(), tls != null, server.localAddress()));
                }
            }
        } catch (IOException | RuntimeException e) {
            closeServers().join();
            throw e;
        }
        tlsContexts = List.copyOf(contexts.values());
        bound = List.copyOf(opened);
        startTimers();
        for (ServerSocketChannel server : servers) {
            server.config().setAutoRead(true);
        }
        return bound;
    }

    /** What is open, each listener once for each of its addresses; empty before. */
    public List<BoundListener> bound() {
        return bound;
    }

    /** Connections that are open, on all listeners, whether their protocol is known or not. */
    public int connections() {
        return entrance.admissions().connections();
    }

    /** Loads all certificates and keys again; fails with what cannot be used, which leaves the ones before in use. */
    public CompletionStage<Void> reload() {
        return CompletableFuture.runAsync(
                () -> {
                    List<String> failures = new ArrayList<>();
                    for (TlsContext context : tlsContexts) {
                        try {
                            context.reload();
                        } catch (IOException e) {
                            failures.add(e.getMessage());
                        }
                    }
                    if (!failures.isEmpty()) {
                        throw new CompletionException(new IOException(String.join("; ", failures)));
                    }
                },
                background);
    }

    /**
     * Closes the ports, and the connections that no protocol has taken yet. Others stay. Completes when no connection
     * will come any more; may be called again.
     */
    public CompletionStage<Void> stopAccepting() {
        for (Future<?> timer : timers) {
            timer.cancel(false);
        }
        CompletableFuture<Void> closed = closeServers();
        entrance.turnAway();
        return closed;
    }

    private static Map<TlsSpec, TlsContext> tlsContexts(List<ListenerSpec> specs) throws IOException {
        Map<TlsSpec, TlsContext> contexts = new LinkedHashMap<>();
        for (ListenerSpec spec : specs) {
            if (spec.tls().isPresent() && !contexts.containsKey(spec.tls().get())) {
                try {
                    contexts.put(spec.tls().get(), new TlsContext(spec.tls().get()));
                } catch (IOException e) {
                    throw new IOException("listener " + spec.name() + ": " + e.getMessage(), e);
                }
            }
        }
        return contexts;
    }

    private ServerSocketChannel bind(PortPlan plan, Port port) throws IOException {
        Loop loop = loops.get(servers.size() % loops.count());
        try {
            ServerSocketChannel server = newServer(plan);
            servers.add(server);
            server.config().setReuseAddress(true);
            server.config().setBacklog(settings.sockets().backlog());
            server.config().setAutoRead(false);
            server.pipeline().addLast(new Acceptor(entrance, port));
            await(loop.eventLoop().register(server));
            await(server.bind(plan.address()));
            return server;
        } catch (IOException | ChannelException e) {
            throw new IOException(
                    "listener " + port.first().listener() + " cannot listen on " + plan.where() + ": " + reason(e), e);
        }
    }

    /** One of the address's own family, so that an IPv4 address leaves the port to IPv6. */
    private ServerSocketChannel newServer(PortPlan plan) {
        if (plan.bothFamilies()) {
            return loops.epoll() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
        }
        SocketProtocolFamily family = plan.address().getAddress() instanceof Inet6Address
                ? SocketProtocolFamily.INET6
                : SocketProtocolFamily.INET;
        return loops.epoll()
                ? new EpollServerSocketChannel(family)
                : new NioServerSocketChannel(SelectorProvider.provider(), family);
    }

    private static void await(ChannelFuture future) throws IOException {
        Throwable cause = future.awaitUninterruptibly().cause();
        if (cause != null) {
            throw cause instanceof IOException failure ? failure : new IOException(cause);
        }
    }

    private static String reason(Exception failure) {
        String message = String.valueOf(failure.getMessage());
        String known = message.toLowerCase(Locale.ROOT);
        if (known.contains("already in use")) {
            return "another process uses this port";
        }
        if (known.contains("permission denied")) {
            return "the broker's user may not use this port (" + message + ")";
        }
        if (known.contains("cannot assign requested address")) {
            return "this machine does not have the address (" + message + ")";
        }
        return message;
    }

    private void startTimers() {
        timers.add(every(SUMMARY_MILLIS, complaints::summarise));
        if (settings.tlsCheckMillis() > 0 && !tlsContexts.isEmpty()) {
            timers.add(every(settings.tlsCheckMillis(), () -> tlsContexts.forEach(TlsContext::reloadIfChanged)));
        }
    }

    private Future<?> every(long millis, Runnable task) {
        return loops.get(0)
                .eventLoop()
                .scheduleWithFixedDelay(() -> background.execute(task), millis, millis, TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<Void> closeServers() {
        List<CompletableFuture<Void>> closed = new ArrayList<>();
        for (Channel server : servers) {
            CompletableFuture<Void> one = new CompletableFuture<>();
            server.close().addListener(done -> one.complete(null));
            closed.add(one);
        }
        return CompletableFuture.allOf(closed.toArray(new CompletableFuture<?>[0]));
    }
}
