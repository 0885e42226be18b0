package org.entrepot.core.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.CoreKeys;
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
import org.entrepot.core.security.InternalAuthenticator;
import org.entrepot.core.security.PasswordHashes;
import org.entrepot.core.security.PatternAuthorizer;
import org.entrepot.core.security.RefusalLog;
import org.entrepot.core.session.Alarms;
import org.entrepot.core.session.ConnectionLimits;
import org.entrepot.core.session.Connections;
import org.entrepot.core.session.DeadLetterPublisher;
import org.entrepot.core.session.PluginSessions;
import org.entrepot.core.session.QueueLifecycle;
import org.entrepot.core.session.Services;
import org.entrepot.core.topology.ExchangeTypes;
import org.entrepot.core.topology.StoredTopologyLog;
import org.entrepot.core.topology.TopologyLimits;
import org.entrepot.core.topology.TopologyService;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Authorizer;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.topology.ExchangeType;

/**
 * The rooms that serve clients, wired but not open: nothing here has a thread, a file or a port of its own. Immutable.
 *
 * @param topology not started
 * @param connections made by {@code listeners}
 * @param listeners closed
 * @param complaints has counts to write when all clients are gone
 */
record Rooms(
        TopologyService topology,
        Queues queues,
        Connections connections,
        PluginSessions pluginSessions,
        Alarms alarms,
        Listeners listeners,
        ComplaintLog complaints) {
    private static final int PER_CENT = 100;
    /** Of the high watermark: beyond that publishers would be stopped before messages leave memory. */
    private static final int MESSAGES_PER_CENT_MAX = 60;

    /**
     * What the rooms stand on. Immutable.
     *
     * @param passwordPool does slow hashes
     * @param background does what would hold up a loop
     */
    record Ground(
            Configuration configuration,
            Path dataDirectory,
            Extensions extensions,
            StorageEngine storage,
            Loops loops,
            MeterRegistry meters,
            PasswordHashes hashes,
            Executor passwordPool,
            Executor background) {}

    static Rooms wire(Ground ground) throws StartException {
        Configuration configuration = ground.configuration();
        Loops loops = ground.loops();
        Loop firstLoop = loops.get(0);
        List<Handover> handovers = new ArrayList<>();
        for (Loop loop : loops.all()) {
            handovers.add(new Handover(loop, loops.all()));
        }

        // Queues and topology know each other: what a queue tells is told to a topology that is there by then.
        AtomicReference<TopologyService> later = new AtomicReference<>();
        Queues queues = new Queues(
                ground.storage(),
                handovers,
                messageBytesMax(configuration),
                id -> Objects.requireNonNull(later.get()).deleteQueue(id));
        TopologyService topology = new TopologyService(
                firstLoop,
                new StoredTopologyLog(ground.storage(), firstLoop),
                exchangeTypes(ground.extensions()),
                new QueueLifecycle(queues),
                topologyLimits(configuration),
                ground.extensions().standardExchanges());
        later.set(topology);

        TopologyUsers users = new TopologyUsers(topology::current);
        RefusalLog refusals = new RefusalLog(firstLoop::schedule);
        ComplaintLog complaints = new ComplaintLog(System::nanoTime);
        Services services = new Services(
                queues,
                topology,
                new Router(),
                new Access(authorizers(ground, users), users),
                new AuthenticatorChain(authenticators(ground, users), refusals),
                handovers,
                connectionLimits(configuration),
                new Services.Interceptors(
                        ground.extensions().publishInterceptors(),
                        ground.extensions().deliveryInterceptors(),
                        ground.extensions().listeners()),
                complaints::complain);
        queues.publishDeadLettersWith(new DeadLetterPublisher(services));
        Connections connections = new Connections(services);
        PluginSessions pluginSessions =
                new PluginSessions(services, loops.all(), new Access(List.of(), users), connections);
        Alarms alarms = new Alarms(
                queues::residentBytes,
                highWatermark(configuration),
                diskFree(ground.dataDirectory()),
                configuration.size(CoreKeys.DISK_FREE_MIN),
                services,
                connections);
        connections.watchedBy(alarms);
        Listeners listeners = new Listeners(
                ListenerPlan.settings(configuration),
                loops,
                connections::open,
                complaints,
                ground.meters(),
                ground.background());
        return new Rooms(topology, queues, connections, pluginSessions, alarms, listeners, complaints);
    }

    private static ExchangeTypes exchangeTypes(Extensions extensions) throws StartException {
        List<ExchangeType> types = new ArrayList<>(BuiltInTypes.all());
        types.addAll(extensions.exchangeTypes());
        try {
            return new ExchangeTypes(types);
        } catch (IllegalArgumentException e) {
            throw StartException.usage(String.valueOf(e.getMessage()), e);
        }
    }

    private static List<Authorizer> authorizers(Ground ground, TopologyUsers users) throws StartException {
        List<Authorizer> available = new ArrayList<>();
        available.add(new PatternAuthorizer(users));
        available.addAll(ground.extensions().authorizers());
        try {
            return Access.chosen(ground.configuration().list(CoreKeys.SECURITY_AUTHORIZERS), available);
        } catch (IllegalArgumentException e) {
            throw StartException.usage(String.valueOf(e.getMessage()), e);
        }
    }

    private static List<Authenticator> authenticators(Ground ground, TopologyUsers users) throws StartException {
        List<Authenticator> available = new ArrayList<>();
        available.add(new InternalAuthenticator(
                ground.configuration(),
                users,
                ground.hashes(),
                ground.passwordPool(),
                new SecureRandom(),
                () -> System.nanoTime() / 1_000_000));
        available.addAll(ground.extensions().authenticators());
        try {
            return AuthenticatorChain.chosen(ground.configuration().list(CoreKeys.SECURITY_AUTHENTICATORS), available);
        } catch (IllegalArgumentException e) {
            throw StartException.usage(String.valueOf(e.getMessage()), e);
        }
    }

    private static TopologyLimits topologyLimits(Configuration configuration) {
        TopologyLimits others = TopologyLimits.DEFAULT;
        return new TopologyLimits(
                others.virtualHosts(),
                others.users(),
                Math.toIntExact(configuration.number(CoreKeys.VIRTUAL_HOST_EXCHANGES_MAX)),
                Math.toIntExact(configuration.number(CoreKeys.VIRTUAL_HOST_QUEUES_MAX)),
                Math.toIntExact(configuration.number(CoreKeys.VIRTUAL_HOST_BINDINGS_MAX)),
                others.policies());
    }

    private static ConnectionLimits connectionLimits(Configuration configuration) {
        return new ConnectionLimits(
                Math.toIntExact(configuration.number(CoreKeys.CONNECTION_SESSIONS_MAX)),
                Math.toIntExact(configuration.number(CoreKeys.CONNECTION_CONSUMERS_MAX)),
                Math.toIntExact(configuration.size(CoreKeys.MESSAGE_SIZE_MAX)),
                ListenerPlan.handshakeMillis(configuration));
    }

    private static long messageBytesMax(Configuration configuration) {
        return Math.min(
                configuration.size(CoreKeys.MEMORY_MESSAGES_MAX),
                highWatermark(configuration) / PER_CENT * MESSAGES_PER_CENT_MAX);
    }

    private static long highWatermark(Configuration configuration) {
        return Runtime.getRuntime().maxMemory() / PER_CENT * configuration.number(CoreKeys.MEMORY_HIGH_WATERMARK);
    }

    private static LongSupplier diskFree(Path directory) {
        return () -> {
            try {
                return Files.getFileStore(directory).getUsableSpace();
            } catch (IOException unknown) {
                return Long.MAX_VALUE;
            }
        };
    }
}
