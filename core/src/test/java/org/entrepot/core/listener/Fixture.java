package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.entrepot.core.loop.Loops;
import org.entrepot.spi.protocol.ConnectionFacts;

/** Open listeners on loopback, whose connections are echoed. */
final class Fixture implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(10);
    static final WordProtocol ECHO = new WordProtocol("echo", "ECHO");
    static final WordProtocol SHOUT = new WordProtocol("shout", "SHOUT");

    final BlockingQueue<ConnectionFacts> opened = new LinkedBlockingQueue<>();
    final BlockingQueue<Channel> channels = new LinkedBlockingQueue<>();
    final List<String> complaints = new CopyOnWriteArrayList<>();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Listeners listeners;
    private final Loops loops = new Loops(2, System::currentTimeMillis);
    private final ExecutorService background = Executors.newCachedThreadPool();
    private final LeakWatch leaks = new LeakWatch();

    Fixture() {
        this(ListenerSettings.defaults());
    }

    Fixture(ListenerSettings settings) {
        this(settings, (channel, loop, protocol, facts) -> channel.pipeline().addLast(new Echo()));
    }

    Fixture(ListenerSettings settings, ConnectionOpener opener) {
        listeners = new Listeners(
                settings,
                loops,
                (channel, loop, protocol, facts) -> {
                    assertThat(loop.owns()).isTrue();
                    assertThat(loop.eventLoop()).isSameAs(channel.eventLoop());
                    opener.open(channel, loop, protocol, facts);
                    channels.add(channel);
                    opened.add(facts);
                },
                new ComplaintLog(System::nanoTime, complaints::add),
                meters,
                background);
    }

    static ListenerSpec plain(WordProtocol protocol) {
        return new ListenerSpec(protocol.name(), protocol, List.of("127.0.0.1"), 0, Optional.empty());
    }

    static ListenerSpec tls(WordProtocol protocol, TlsSpec tls) {
        return new ListenerSpec(protocol.name() + ".tls", protocol, List.of("127.0.0.1"), 0, Optional.of(tls));
    }

    /** Opens and returns the address of the first. */
    InetSocketAddress open(ListenerSpec... specs) throws IOException {
        return listeners.open(List.of(specs)).get(0).address();
    }

    Client connect() throws IOException {
        return new Client(listeners.bound().get(0).address());
    }

    /** An acceptor of its own, for what real sockets do not do on demand. */
    Acceptor acceptor(WordProtocol protocol) {
        ComplaintLog log = new ComplaintLog(System::nanoTime, complaints::add);
        Entrance entrance =
                new Entrance(ListenerSettings.defaults(), loops, (channel, loop, found, facts) -> {}, log, background);
        ListenerMeters counts = new ListenerMeters(meters, protocol.name(), protocol.name());
        Port port = new Port(List.of(new Port.Entry(protocol.name(), protocol, counts, null)), null, List.of());
        return new Acceptor(entrance, port);
    }

    /** Lets a little time pass where time itself is what is tested. */
    static void pass(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    ConnectionFacts nextOpened() throws InterruptedException {
        ConnectionFacts facts = opened.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(facts).as("a connection is handed over").isNotNull();
        return facts;
    }

    Channel nextChannel() throws InterruptedException {
        Channel channel = channels.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(channel).as("a connection is handed over").isNotNull();
        return channel;
    }

    double open(String listener) {
        Gauge gauge = meters.get(ListenerMeters.OPEN).tag("listener", listener).gauge();
        return gauge.value();
    }

    double accepted(String listener) {
        Counter counter =
                meters.get(ListenerMeters.ACCEPTED).tag("listener", listener).counter();
        return counter.count();
    }

    double refused(String listener, Refusal reason) {
        return meters.get(ListenerMeters.REFUSED)
                .tag("listener", listener)
                .tag("reason", reason.tag())
                .counter()
                .count();
    }

    /** Waits for what another thread brings about. */
    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            pass(1);
        }
    }

    static boolean hasIpv6() {
        try {
            new ServerSocket(0, 1, NetUtil.LOCALHOST6).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        join(listeners.stopAccepting());
        channels.forEach(Channel::close);
        await("all connections are closed", () -> listeners.connections() == 0);
        join(loops.close());
        background.shutdown();
        leaks.close();
    }

    private static void join(CompletionStage<Void> stage) {
        stage.toCompletableFuture()
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** Sends back what it reads. */
    @Sharable
    static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.writeAndFlush(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
