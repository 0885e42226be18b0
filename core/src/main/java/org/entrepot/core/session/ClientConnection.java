package org.entrepot.core.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.core.queue.DeliveryBatch;
import org.entrepot.core.security.Access;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.intercept.BrokerListener.BrokerEvent;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.Claim;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: what a protocol sees of the broker, and what the broker sees of the socket. It is the first
 * handler of its channel's pipeline, to hear when something was read, when the socket can take more, and when it is
 * closed; it passes everything on.
 */
@OwnedBy("the channel's loop")
final class ClientConnection extends ChannelInboundHandlerAdapter
        implements Connection, SessionOwner, Loop.PassWork, Unsent.Consequences {
    /** Bytes of deliveries that are given to the protocol before it is asked to write them out. */
    private static final long ENCODE_BYTES_MAX = 256 << 10;

    private final long id;
    private final Channel channel;
    private final Loop loop;
    private final Protocol protocol;
    private final ConnectionFacts facts;
    private final Services services;
    private final Connections connections;
    private final Unsent unsent;
    private final long openedMillis;

    private @Nullable ConnectionHandler handler;
    private @Nullable Principal principal;
    private @Nullable String virtualHost;
    private String protocolName;
    private String clientName = "";
    private Map<String, Object> clientProperties = Map.of();
    private final List<ClientSession> sessions = new ArrayList<>(1);
    private String clientId = "";
    private boolean sessionOpened;
    private int consumerCount;
    private @Nullable ScheduledFuture<?> loginDeadline;
    private @Nullable ScheduledFuture<?> expiry;

    private final ArrayDeque<Outgoing> outgoing = new ArrayDeque<>(0);
    private final ArrayList<SessionConsumer> toGrant = new ArrayList<>(1);
    private boolean passDue;
    private int pauses;
    private int holds;
    private boolean blockedTold;
    /** Names that the connection has or waits for. */
    private final Set<Claims.Holding> claims = new LinkedHashSet<>(0);

    private @Nullable CompletableFuture<Void> released;

    /** Deliveries that wait until the socket can take them. */
    private record Outgoing(SessionConsumer consumer, DeliveryBatch batch) {}

    ClientConnection(
            long id,
            Channel channel,
            Loop loop,
            Protocol protocol,
            ConnectionFacts facts,
            Services services,
            Connections connections) {
        this.id = id;
        this.channel = channel;
        this.loop = loop;
        this.protocol = protocol;
        this.facts = facts;
        this.services = services;
        this.connections = connections;
        this.protocolName = protocol.name();
        this.unsent = new Unsent(channel, loop, connections.unsent(), this);
        this.openedMillis = loop.nowMillis();
    }

    /** Lets the protocol take over. */
    void open() {
        channel.pipeline().addLast(this);
        handler = protocol.open(channel.pipeline(), this);
        loginDeadline = loop.schedule(this::loginTooSlow, services.limits().loginMillis());
        services.tell(new BrokerEvent.ConnectionOpened(id, facts));
    }

    private void loginTooSlow() {
        if (virtualHost == null && channel.isActive()) {
            complain("did not finish its handshake in time");
            channel.close();
        }
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public Access access() {
        return services.access();
    }

    @Override
    public boolean isSystem() {
        return false;
    }

    // The socket.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        context.fireChannelRead(message);
        // Not only when the pass ends: many reads of many sockets may come before that.
        unsent.count();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.fireChannelReadComplete();
        connections.checkMemory();
        flushSoon();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.fireChannelWritabilityChanged();
        if (channel.isWritable()) {
            unsent.drained();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        context.fireChannelInactive();
        if (loginDeadline != null) {
            loginDeadline.cancel(false);
        }
        if (expiry != null) {
            expiry.cancel(false);
        }
        unsent.close();
        handler().closed();
        release();
        connections.closed(this);
        services.tell(new BrokerEvent.ConnectionClosed(
                id, facts, Optional.ofNullable(principal).map(Principal::name)));
    }

    private ConnectionHandler handler() {
        return Objects.requireNonNull(handler);
    }

    // The pass.

    @Override
    public void flushSoon() {
        assert loop.owns();
        if (!passDue) {
            passDue = true;
            loop.atEndOfPass(Loop.Phase.FLUSH, this);
        }
    }

    @Override
    public void outgoing(SessionConsumer consumer, DeliveryBatch batch) {
        if (!consumer.ended()) {
            outgoing.add(new Outgoing(consumer, batch));
            flushSoon();
        }
    }

    /** Passes on at once what waits for a consumer, whether the socket can take it or not. */
    @Override
    public void drain(SessionConsumer consumer) {
        for (Iterator<Outgoing> waiting = outgoing.iterator(); waiting.hasNext(); ) {
            Outgoing next = waiting.next();
            if (next.consumer() == consumer) {
                waiting.remove();
                consumer.passOn(next.batch());
            }
        }
    }

    /** Gives a consumer's credit back once what it got is written. */
    @Override
    public void afterFlush(SessionConsumer consumer) {
        toGrant.add(consumer);
    }

    @Override
    public void atEndOfPass() {
        passDue = false;
        if (!channel.isActive()) {
            outgoing.clear();
            return;
        }
        for (int i = 0; i < sessions.size(); i++) {
            sessions.get(i).tellReceipts();
        }
        long encoded = 0;
        while (mayPassOn()) {
            Outgoing next = outgoing.poll();
            next.consumer().passOn(next.batch());
            encoded += next.batch().bytes();
            if (encoded >= ENCODE_BYTES_MAX) {
                encoded = 0;
                handler().flush();
            }
        }
        handler().flush();
        channel.flush();
        unsent.count();
        for (int i = 0; i < toGrant.size(); i++) {
            toGrant.get(i).grant();
        }
        toGrant.clear();
        if (mayPassOn()) {
            flushSoon();
        }
    }

    private boolean mayPassOn() {
        Outgoing next = outgoing.peek();
        return next != null && unsent.hasRoomFor(next.batch().bytes());
    }

    @Override
    public void moreDeliveries() {
        if (!outgoing.isEmpty()) {
            flushSoon();
        }
    }

    // Holding the client back.

    @Override
    public void pause(ReadPause reason) {
        pauses |= reason.bit();
        channel.config().setAutoRead(false);
    }

    @Override
    public void unpause(ReadPause reason) {
        if ((pauses & reason.bit()) != 0) {
            pauses &= ~reason.bit();
            if (pauses == 0) {
                channel.config().setAutoRead(true);
            }
        }
    }

    @Override
    public void listen(boolean again) {
        if (again) {
            unpause(ReadPause.ANSWERS_UNREAD);
        } else {
            pause(ReadPause.ANSWERS_UNREAD);
        }
    }

    @Override
    public void hold() {
        holds++;
        // A connection that consumes must be heard, or its own settles would never arrive.
        if (consumerCount == 0) {
            pause(ReadPause.AHEAD_OF_CONSUMERS);
        }
    }

    @Override
    public void resume() {
        holds--;
        if (holds == 0) {
            unpause(ReadPause.AHEAD_OF_CONSUMERS);
        }
    }

    /** The client publishes: while memory or disk are short, it is not read from now on. */
    @Override
    public void publishing() {
        String alarm = connections.alarm();
        if (alarm != null && (pauses & ReadPause.ALARM.bit()) == 0) {
            pause(ReadPause.ALARM);
            connections.blocked(this);
            blockedTold = true;
            handler().blocked(alarm);
            flushSoon();
        }
    }

    /** The alarm is over. */
    void unblock() {
        if (blockedTold) {
            blockedTold = false;
            unpause(ReadPause.ALARM);
            handler().unblocked();
            flushSoon();
        }
    }

    @Override
    public boolean readingPaused() {
        return pauses != 0;
    }

    @Override
    public void pauseReading() {
        pause(ReadPause.PROTOCOL);
    }

    @Override
    public void resumeReading() {
        unpause(ReadPause.PROTOCOL);
    }

    // What the protocol calls.

    @Override
    public long id() {
        return id;
    }

    @Override
    public ConnectionFacts facts() {
        return facts;
    }

    @Override
    public List<String> mechanisms() {
        return services.authenticators().mechanisms(facts);
    }

    @Override
    public Login login(String mechanism) {
        if (!mechanisms().contains(mechanism)) {
            throw BrokerException.connection(
                    ErrorKind.ACCESS_REFUSED, "authentication mechanism " + mechanism + " is not offered");
        }
        Login login = services.authenticators().begin(mechanism, facts, loop);
        return response -> step(login, response);
    }

    private CompletionStage<Login.Step> step(Login login, Bytes response) {
        CompletableFuture<Login.Step> answer = new CompletableFuture<>();
        login.step(response)
                .whenComplete((step, failure) -> loop.run(() -> {
                    if (failure != null) {
                        answer.completeExceptionally(failure);
                        return;
                    }
                    if (step instanceof Login.Step.Success success) {
                        loggedIn(success.principal());
                        services.tell(
                                new BrokerEvent.LoggedIn(id, success.principal().name()));
                    } else if (step instanceof Login.Step.Failure refused) {
                        services.tell(new BrokerEvent.LoginRefused(facts, refused.reason()));
                    }
                    answer.complete(step);
                }));
        return answer;
    }

    @Override
    public Principal principal() {
        return Objects.requireNonNullElseGet(principal, () -> {
            throw new IllegalStateException("nobody has logged in");
        });
    }

    @Override
    public CompletionStage<Void> renew(byte[] secret) {
        CompletableFuture<Void> renewed = new CompletableFuture<>();
        services.authenticators()
                .renew(principal(), secret, facts, loop)
                .thenCompose(fresh -> services.access()
                        .enter(fresh, virtualHost())
                        .thenApply(allowed -> allowed ? Optional.of(fresh) : Optional.<Principal>empty()))
                .whenComplete((fresh, failure) -> loop.run(() -> {
                    if (failure != null) {
                        boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
                        renewed.completeExceptionally(wrapped ? failure.getCause() : failure);
                    } else if (fresh.isEmpty()) {
                        renewed.completeExceptionally(refusedHost(virtualHost(), ""));
                    } else {
                        loggedIn(fresh.get());
                        for (ClientSession session : List.copyOf(sessions)) {
                            session.recheck(fresh.get());
                        }
                        renewed.complete(null);
                    }
                }));
        return renewed;
    }

    /** Who is logged in from now on; a login that ends by itself ends the connection. */
    private void loggedIn(Principal fresh) {
        principal = fresh;
        if (expiry != null) {
            expiry.cancel(false);
            expiry = null;
        }
        fresh.expiresAt().ifPresent(instant -> {
            long millis = Math.max(0, instant.toEpochMilli() - loop.nowMillis());
            expiry = loop.schedule(
                    () -> close(BrokerException.connection(ErrorKind.FORCED, "credential expired")), millis);
        });
    }

    @Override
    public CompletionStage<Void> enter(String name) {
        if (virtualHost != null) {
            throw new IllegalStateException("already in virtual host " + virtualHost);
        }
        if (services.topology().current().virtualHost(name) == null) {
            return CompletableFuture.failedFuture(
                    BrokerException.connection(ErrorKind.NOT_ALLOWED, "vhost " + name + " not found"));
        }
        CompletableFuture<Void> entered = new CompletableFuture<>();
        services.access()
                .enter(principal(), name)
                .whenComplete((allowed, failure) -> loop.run(() -> {
                    if (failure != null || !allowed) {
                        entered.completeExceptionally(refusedHost(name, ""));
                    } else if (!connections.enter(name)) {
                        entered.completeExceptionally(
                                refusedHost(name, ": connection limit (" + connections.limitOf(name) + ") is reached"));
                    } else {
                        virtualHost = name;
                        if (loginDeadline != null) {
                            loginDeadline.cancel(false);
                            loginDeadline = null;
                        }
                        entered.complete(null);
                    }
                }));
        return entered;
    }

    private BrokerException refusedHost(String name, String why) {
        return BrokerException.connection(
                ErrorKind.NOT_ALLOWED,
                "access to vhost '" + name + "' refused for user '"
                        + principal().name() + "'" + why);
    }

    @Override
    public String virtualHost() {
        return Objects.requireNonNullElseGet(virtualHost, () -> {
            throw new IllegalStateException("no virtual host has been entered");
        });
    }

    @Override
    public void clientId(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a client id is not empty");
        }
        if (sessionOpened || !clientId.isEmpty()) {
            throw new IllegalStateException("a client id is told once, before a session is opened");
        }
        clientId = name;
    }

    /** Empty where the client has none. */
    @Override
    public String clientId() {
        return clientId;
    }

    @Override
    public Session openSession(SessionListener listener) {
        if (sessions.size() >= sessionsMax()) {
            throw BrokerException.connection(
                    ErrorKind.NOT_ALLOWED,
                    "number of channels opened (" + sessions.size() + ") has reached the negotiated channel_max ("
                            + sessionsMax() + ")");
        }
        sessionOpened = true;
        ClientSession session = new ClientSession(this, listener, services);
        sessions.add(session);
        return session;
    }

    @Override
    public CompletionStage<Claim> claim(String name, Runnable lost) {
        assert loop.owns();
        if (released != null) {
            throw new IllegalStateException("the connection is released");
        }
        if (claims.size() >= Claims.OF_A_CONNECTION_MAX) {
            return CompletableFuture.failedFuture(BrokerException.connection(
                    ErrorKind.NOT_ALLOWED,
                    "number of names claimed has reached the limit of " + Claims.OF_A_CONNECTION_MAX));
        }
        return connections.claims().claim(this, name, lost);
    }

    Set<Claims.Holding> claims() {
        return claims;
    }

    @Override
    public void sessionClosed(ClientSession session) {
        sessions.remove(session);
    }

    @Override
    public void checkConsumers() {
        int limit = services.limits().consumersMax();
        if (consumerCount >= limit) {
            throw BrokerException.connection(
                    ErrorKind.NOT_ALLOWED, "number of consumers has reached the limit of " + limit);
        }
        consumerCount++;
        if (holds > 0) {
            unpause(ReadPause.AHEAD_OF_CONSUMERS);
        }
    }

    @Override
    public void consumerEnded() {
        consumerCount--;
    }

    @Override
    public void describe(String name, String client, Map<String, Object> properties) {
        protocolName = name;
        clientName = client;
        clientProperties = properties;
    }

    @Override
    public int sessionsMax() {
        return services.limits().sessionsMax();
    }

    @Override
    public int messageBytesMax() {
        return services.limits().messageBytesMax();
    }

    @Override
    public CompletionStage<Void> release() {
        assert loop.owns();
        CompletableFuture<Void> under = released;
        if (under != null) {
            return under;
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        released = done;
        outgoing.clear();
        List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (ClientSession session : List.copyOf(sessions)) {
            closing.add(session.close().toCompletableFuture());
        }
        CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new))
                .thenCompose(closed -> services.topology().dropOwner(id, loop))
                .whenComplete((dropped, failure) -> {
                    if (virtualHost != null) {
                        connections.left(virtualHost);
                    }
                    done.complete(null);
                    List.copyOf(claims).forEach(Claims.Holding::release);
                });
        return done;
    }

    @Override
    public void complain(String what) {
        services.complain(facts, what);
    }

    /** Asks the protocol to say goodbye. */
    void close(BrokerException reason) {
        handler().close(reason);
        flushSoon();
    }

    /** Closes the socket without a word. */
    void cut() {
        channel.close();
    }

    /** How the connection is now. */
    ConnectionReport report() {
        return new ConnectionReport(
                id,
                protocolName,
                clientName,
                principal == null ? "" : principal.name(),
                virtualHost == null ? "" : virtualHost,
                facts,
                sessions.size(),
                consumerCount,
                blockedTold,
                openedMillis,
                clientProperties);
    }
}
