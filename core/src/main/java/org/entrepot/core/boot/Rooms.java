package org.entrepot.core.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.listener.BoundListener;
import org.entrepot.core.listener.ComplaintLog;
import org.entrepot.core.listener.Listeners;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.Loops;
import org.entrepot.core.queue.Handover;
import org.entrepot.core.queue.Queues;
import org.entrepot.core.routing.BuiltInTypes;
import org.entrepot.core.routing.Router;
import org.entrepot.core.security.Access;
import org.entrepot.core.security.AuthenticatorChain;
import org.entrepot.core.security.DefaultUser;
import org.entrepot.core.security.InternalAuthenticator;
import org.entrepot.core.security.PasswordHashes;
import org.entrepot.core.security.PasswordPool;
import org.entrepot.core.security.PatternAuthorizer;
import org.entrepot.core.security.RefusalLog;
import org.entrepot.core.session.Alarms;
import org.entrepot.core.session.ConnectionLimits;
import org.entrepot.core.session.Connections;
import org.entrepot.core.session.DeadLetterPublisher;
import org.entrepot.core.session.QueueLifecycle;
import org.entrepot.core.session.Services;
import org.entrepot.core.storage.MemoryStorage;
import org.entrepot.core.topology.AdminChange;
import org.entrepot.core.topology.Credential;
import org.entrepot.core.topology.ExchangeTypes;
import org.entrepot.core.topology.MemoryTopologyLog;
import org.entrepot.core.topology.PermissionPatterns;
import org.entrepot.core.topology.TopologyLimits;
import org.entrepot.core.topology.TopologyService;
import org.entrepot.core.topology.User;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Authorizer;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.ExchangeType;

/**
 * The rooms that serve clients, wired by their constructors, from storage up to the listeners. Made, started and stopped
 * by the thread that starts the broker.
 */
final class Rooms {
    private static final long START_SECONDS_MAX = 60;
    private static final long ALARM_PERIOD_MILLIS = 1_000;

    private final Configuration configuration;
    private final Loops loops;
    private final List<BrokerPlugin> plugins;
    private final StorageEngine storage;
    private final Queues queues;
    private final TopologyService topology;
    private final Connections connections;
    private final Alarms alarms;
    private final Listeners listeners;
    private final List<Protocol> protocols;
    private final PasswordHashes hashes;
    private final ExecutorService background;

    Rooms(
            Configuration configuration,
            Loops loops,
            List<BrokerPlugin> plugins,
            MeterRegistry meters,
            Path dataDirectory,
            StopOrder stopOrder)
            throws StartException {
        this.configuration = configuration;
        this.loops = loops;
        this.plugins = plugins;
        this.protocols =
                plugins.stream().flatMap(plugin -> plugin.protocols().stream()).toList();
        Loop first = loops.get(0);
        SecureRandom random = new SecureRandom();
        background = Executors.newFixedThreadPool(2, work -> {
            Thread thread = new Thread(work, "background");
            thread.setDaemon(true);
            return thread;
        });
        stopOrder.add("background work", background::shutdownNow);

        storage = storage();
        stopOrder.add("storage", storage::close);
        List<Handover> handovers = loops.all().stream()
                .map(loop -> new Handover(loop, loops.all()))
                .toList();
        CompletableFuture<TopologyService> topologyLater = new CompletableFuture<>();
        queues = new Queues(storage, handovers, id -> topologyLater.join().deleteQueue(id));
        topology = new TopologyService(
                first,
                new MemoryTopologyLog(),
                exchangeTypes(),
                new QueueLifecycle(queues),
                topologyLimits(),
                standardExchanges());
        topologyLater.complete(topology);

        hashes = new PasswordHashes(random);
        PasswordPool pool = new PasswordPool(Runtime.getRuntime().availableProcessors());
        stopOrder.add("password checks", pool::close);
        TopologyDirectory directory = new TopologyDirectory(topology);
        Access access = new Access(authorizers(directory), directory);
        AuthenticatorChain authenticators = new AuthenticatorChain(
                authenticators(new InternalAuthenticator(
                        configuration, directory, hashes, pool, random, () -> System.nanoTime() / 1_000_000)),
                new RefusalLog((work, delay) -> first.schedule(work, delay)));

        ComplaintLog complaints = new ComplaintLog(System::nanoTime);
        Services services = new Services(
                queues,
                topology,
                new Router(),
                access,
                authenticators,
                handovers,
                connectionLimits(),
                interceptors(),
                complaints::complain);
        queues.publishDeadLettersWith(new DeadLetterPublisher(services));
        connections = new Connections(services);
        alarms = new Alarms(
                queues::residentBytes,
                Runtime.getRuntime().maxMemory() / 100 * configuration.number(CoreKeys.MEMORY_HIGH_WATERMARK),
                () -> freeBytes(dataDirectory),
                configuration.size(CoreKeys.DISK_FREE_MIN),
                services,
                connections);
        connections.watchedBy(alarms);
        listeners = new Listeners(
                ListenerPlan.settings(configuration), loops, connections::open, complaints, meters, background);
    }

    /** Brings the topology up and opens the ports. */
    void start(StopOrder stopOrder) throws StartException {
        await(topology.start().toCompletableFuture(), "the topology");
        if (topology.current().virtualHosts().isEmpty()) {
            await(administer(firstStart()), "the default virtual host and user");
        }
        watchAlarms();
        stopOrder.add("connections", this::drain);
        try {
            listeners.open(ListenerPlan.specs(configuration, protocols));
        } catch (IOException e) {
            throw StartException.unavailable(String.valueOf(e.getMessage()), e);
        }
        stopOrder.add(
                "listeners",
                () -> listeners.stopAccepting().toCompletableFuture().join());
    }

    CompletableFuture<?> administer(List<AdminChange> changes) {
        return topology.administer(changes, Runnable::run).toCompletableFuture();
    }

    private List<AdminChange> firstStart() {
        DefaultUser guest = DefaultUser.guest(hashes);
        User user = new User(
                guest.user().name(),
                guest.user().credentials().stream()
                        .map(one -> new Credential(one.kind(), one.verifier()))
                        .toList(),
                guest.user().tags(),
                User.Limits.NONE);
        return List.of(
                AdminChange.PutVirtualHost.plain(guest.virtualHost()),
                new AdminChange.PutUser(user),
                new AdminChange.SetPermissions(
                        user.name(),
                        guest.virtualHost(),
                        new PermissionPatterns(
                                guest.permission().configure(),
                                guest.permission().write(),
                                guest.permission().read())));
    }

    private void watchAlarms() {
        Loop first = loops.get(0);
        first.eventLoop()
                .scheduleAtFixedRate(alarms::tick, ALARM_PERIOD_MILLIS, ALARM_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void drain() {
        CompletableFuture<Void> drained = connections
                .drain(BrokerException.connection(
                        ErrorKind.FORCED, "broker forced connection closure with reason 'shutdown'"))
                .toCompletableFuture();
        try {
            drained.get(configuration.duration(CoreKeys.SHUTDOWN_GRACE).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException slow) {
            connections.cut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            connections.cut();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    static void await(CompletableFuture<?> stage, String what) throws StartException {
        try {
            stage.get(START_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw StartException.internal(what + ": " + e.getMessage(), e);
        } catch (TimeoutException e) {
            throw StartException.internal(what + " did not come up within " + START_SECONDS_MAX + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StartException.internal("interrupted while waiting for " + what, e);
        }
    }

    private StorageEngine storage() throws StartException {
        String wanted = configuration.text(CoreKeys.STORAGE_ENGINE);
        List<StorageEngine> engines = new ArrayList<>();
        engines.add(new MemoryStorage());
        plugins.forEach(plugin -> plugin.storageEngine().ifPresent(engines::add));
        for (StorageEngine engine : engines) {
            if (engine.name().equals(wanted)) {
                return engine;
            }
        }
        throw StartException.usage(
                CoreKeys.STORAGE_ENGINE + " is '" + wanted + "', but there are only "
                        + engines.stream().map(StorageEngine::name).toList(),
                null);
    }

    private ExchangeTypes exchangeTypes() {
        Stream<ExchangeType> added = plugins.stream().flatMap(plugin -> plugin.exchangeTypes().stream());
        return new ExchangeTypes(
                Stream.concat(BuiltInTypes.all().stream(), added).toList());
    }

    private List<ExchangeSpec> standardExchanges() {
        return protocols.stream()
                .flatMap(protocol -> protocol.standardExchanges().stream())
                .distinct()
                .toList();
    }

    private TopologyLimits topologyLimits() {
        TopologyLimits defaults = TopologyLimits.DEFAULT;
        return new TopologyLimits(
                defaults.virtualHosts(),
                defaults.users(),
                Math.toIntExact(configuration.number(CoreKeys.VIRTUAL_HOST_EXCHANGES_MAX)),
                Math.toIntExact(configuration.number(CoreKeys.VIRTUAL_HOST_QUEUES_MAX)),
                Math.toIntExact(configuration.number(CoreKeys.VIRTUAL_HOST_BINDINGS_MAX)),
                defaults.policies());
    }

    private ConnectionLimits connectionLimits() {
        return new ConnectionLimits(
                Math.toIntExact(configuration.number(CoreKeys.CONNECTION_SESSIONS_MAX)),
                Math.toIntExact(configuration.number(CoreKeys.CONNECTION_CONSUMERS_MAX)),
                Math.toIntExact(configuration.size(CoreKeys.MESSAGE_SIZE_MAX)),
                ListenerPlan.handshakeMillis(configuration));
    }

    private Services.Interceptors interceptors() {
        return new Services.Interceptors(
                plugins.stream()
                        .flatMap(plugin -> plugin.publishInterceptors().stream())
                        .toList(),
                plugins.stream()
                        .flatMap(plugin -> plugin.deliveryInterceptors().stream())
                        .toList(),
                plugins.stream().flatMap(plugin -> plugin.listeners().stream()).toList());
    }

    private List<Authorizer> authorizers(TopologyDirectory directory) throws StartException {
        List<Authorizer> available = new ArrayList<>();
        available.add(new PatternAuthorizer(directory));
        plugins.forEach(plugin -> available.addAll(plugin.authorizers()));
        try {
            return Access.chosen(configuration.list(CoreKeys.SECURITY_AUTHORIZERS), available);
        } catch (IllegalArgumentException e) {
            throw StartException.usage(String.valueOf(e.getMessage()), e);
        }
    }

    private List<Authenticator> authenticators(InternalAuthenticator internal) throws StartException {
        List<Authenticator> available = new ArrayList<>();
        available.add(internal);
        plugins.forEach(plugin -> available.addAll(plugin.authenticators()));
        try {
            return AuthenticatorChain.chosen(configuration.list(CoreKeys.SECURITY_AUTHENTICATORS), available);
        } catch (IllegalArgumentException e) {
            throw StartException.usage(String.valueOf(e.getMessage()), e);
        }
    }

    private static long freeBytes(Path directory) {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            // Nothing is known of the disk: that is no reason to hold anybody back.
            return Long.MAX_VALUE;
        }
    }

    List<BoundListener> boundListeners() {
        return listeners.bound();
    }

    Connections connections() {
        return connections;
    }

    Queues queues() {
        return queues;
    }

    Alarms alarms() {
        return alarms;
    }

    StorageEngine storageEngine() {
        return storage;
    }
}
