package org.entrepot.core.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.entrepot.core.admin.StatusReport;
import org.entrepot.core.admin.StatusSurvey;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.listener.BoundListener;
import org.entrepot.core.loop.Loops;
import org.entrepot.core.loop.SteadyClock;
import org.entrepot.core.security.PasswordHashes;
import org.entrepot.core.security.PasswordPool;
import org.entrepot.core.session.Connections;
import org.entrepot.core.session.PluginSessions;
import org.entrepot.core.session.StorageAlarms;
import org.entrepot.core.storage.MemoryStorage;
import org.entrepot.core.topology.Definitions;
import org.entrepot.core.topology.DefinitionsException;
import org.entrepot.core.topology.DefinitionsReader;
import org.entrepot.core.topology.StoredTopologyLog;
import org.entrepot.core.topology.Topology;
import org.entrepot.core.topology.TopologyService;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StoreInUseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker. Started and stopped by one thread, one after the other; what else there is may be called by any thread but a
 * loop.
 *
 * <p>Order of start: loops, plugins, storage, topology, what plugins do in their own names, and listeners last, so that no
 * client meets half a broker. What was started is stopped in reverse, also when a start fails halfway.
 */
public final class Broker {
    private static final Logger log = LoggerFactory.getLogger(Broker.class);

    /** What any question to the loops may take; more means that one of them is stuck. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

    /** What sockets may take to close once they are told to. */
    private static final Duration CUT_MAX = Duration.ofSeconds(5);

    /** How long the import of a large file of definitions may take. */
    private static final Duration DEFINITIONS_MAX = Duration.ofMinutes(5);

    /** How long it may take to read what is stored of the topology. */
    private static final Duration REPLAY_MAX = Duration.ofMinutes(5);

    /** How long plugins may take to get ready for clients. */
    private static final Duration READY_MAX = Duration.ofMinutes(5);

    private static final long ALARM_CHECK_MILLIS = 1_000;

    private final StopOrder stopOrder;
    private final Rooms rooms;
    private final StatusSurvey survey;

    private Broker(StopOrder stopOrder, Rooms rooms, StatusSurvey survey) {
        this.stopOrder = stopOrder;
        this.rooms = rooms;
        this.survey = survey;
    }

    /** Starts a broker; when that fails, nothing of it is left. */
    public static Broker start(BrokerSetup setup) throws StartException {
        StopOrder stopOrder = new StopOrder();
        try {
            return start(setup, stopOrder);
        } catch (StartException | RuntimeException | Error e) {
            stopOrder.stop();
            throw e;
        }
    }

    /** Where clients can connect to. */
    public List<BoundListener> listeners() {
        return rooms.listeners().bound();
    }

    /** How the broker is now. */
    public StatusReport status() {
        try {
            return await(survey.report(), ANSWER_MAX);
        } catch (TimeoutException e) {
            throw new IllegalStateException("a loop does not answer", e);
        }
    }

    /** Ends everything in order: clients are told and have the configured time to answer, then sockets are closed. */
    public void stop() {
        stopOrder.stop();
    }

    private static Broker start(BrokerSetup setup, StopOrder stopOrder) throws StartException {
        Configuration configuration = setup.configuration();
        configuration.warnings().forEach(log::warn);
        MeterRegistry meters = new CompositeMeterRegistry();
        SteadyClock clock = new SteadyClock(setup.clock()::millis, System::nanoTime);
        Loops loops = startLoops(setup, clock, stopOrder);
        BackgroundPool background = new BackgroundPool();
        stopOrder.add("background work", background::close);
        PasswordPool passwordPool = new PasswordPool(loops.count());
        stopOrder.add("password hashing", passwordPool::close);
        AtomicReference<@Nullable PluginSessions> serving = new AtomicReference<>();
        Extensions extensions = startPlugins(setup, meters, serving, stopOrder);
        StorageEngine storage = storage(configuration, extensions);
        PasswordHashes hashes = new PasswordHashes(new SecureRandom(), configuration);

        Rooms rooms = Rooms.wire(new Rooms.Ground(
                configuration,
                setup.dataDirectory(),
                extensions,
                storage,
                loops,
                meters,
                hashes,
                passwordPool,
                background));
        startStorage(storage, extensions, rooms);
        stopOrder.add("storage", storage::close);
        stopOrder.add("topology", () -> await(rooms.topology().stop(), ANSWER_MAX));
        stopOrder.add("queues", () -> await(rooms.queues().stop(), ANSWER_MAX));
        stopOrder.add("complaints", rooms.complaints()::close);
        startTopology(rooms.topology());
        takeUpQueues(storage, rooms);
        importDefinitions(configuration, extensions, rooms.topology(), hashes);
        makeFirstUse(rooms.topology(), hashes);
        rooms.alarms().tick();
        Future<?> alarmChecks = loops.get(0)
                .eventLoop()
                .scheduleWithFixedDelay(
                        () -> background.execute(() -> {
                            rooms.alarms().tick();
                            clock.followWallClock();
                        }),
                        ALARM_CHECK_MILLIS,
                        ALARM_CHECK_MILLIS,
                        TimeUnit.MILLISECONDS);
        stopOrder.add("alarms", () -> alarmChecks.cancel(false));
        stopOrder.add("sessions of plugins", () -> await(rooms.pluginSessions().close(shutdown()), ANSWER_MAX));
        serving.set(rooms.pluginSessions());
        awaitPlugins(setup.plugins());
        Duration grace = configuration.duration(CoreKeys.SHUTDOWN_GRACE);
        stopOrder.add("connections", () -> sayGoodbye(rooms.connections(), grace));
        stopOrder.add("listeners", () -> await(rooms.listeners().stopAccepting(), CUT_MAX));
        openListeners(rooms, configuration, extensions);
        return new Broker(
                stopOrder,
                rooms,
                new StatusSurvey(
                        setup.identity(),
                        setup.clock(),
                        storage,
                        rooms.listeners(),
                        rooms.connections(),
                        rooms.queues(),
                        rooms.alarms()));
    }

    private static Loops startLoops(BrokerSetup setup, SteadyClock clock, StopOrder stopOrder) {
        int wanted = Math.toIntExact(setup.configuration().number(CoreKeys.LOOPS));
        int count = wanted == 0 ? Runtime.getRuntime().availableProcessors() : wanted;
        Loops loops = new Loops(count, clock);
        stopOrder.add("loops", () -> await(loops.close(), ANSWER_MAX));
        return loops;
    }

    private static Extensions startPlugins(
            BrokerSetup setup,
            MeterRegistry meters,
            AtomicReference<@Nullable PluginSessions> serving,
            StopOrder stopOrder)
            throws StartException {
        List<BrokerPlugin> started = new ArrayList<>();
        for (BrokerSetup.Part part : setup.plugins()) {
            BrokerPlugin plugin = part.plugin();
            try {
                plugin.start(new GivenContext(
                        setup.configuration().settingsOf(plugin.configuration()),
                        meters,
                        setup.dataDirectory().resolve("plugins").resolve(part.id()),
                        setup.clock(),
                        setup.identity(),
                        new GivenBroker(part.id(), serving)));
            } catch (RuntimeException | LinkageError e) {
                throw StartException.usage("plugin " + part.id() + " does not start: " + e.getMessage(), e);
            }
            stopOrder.add("plugin " + part.id(), plugin::stop);
            started.add(plugin);
        }
        try {
            return Extensions.of(started);
        } catch (RuntimeException | LinkageError e) {
            throw StartException.usage("a plugin does not tell what it adds: " + e.getMessage(), e);
        }
    }

    /** Lets plugins do in their own names what they must have done before clients come. */
    private static void awaitPlugins(List<BrokerSetup.Part> plugins) throws StartException {
        for (BrokerSetup.Part part : plugins) {
            try {
                part.plugin().started();
            } catch (RuntimeException | LinkageError e) {
                throw notReady(part, e.getMessage(), e);
            }
        }
        for (BrokerSetup.Part part : plugins) {
            try {
                await(part.plugin().ready(), READY_MAX);
            } catch (TimeoutException e) {
                throw notReady(part, "it has not said that it is within " + READY_MAX.toMinutes() + " minutes", e);
            } catch (RuntimeException | LinkageError e) {
                throw notReady(part, e.getMessage(), e);
            }
        }
    }

    private static StartException notReady(BrokerSetup.Part part, @Nullable String why, Throwable cause) {
        return StartException.usage("plugin " + part.id() + " does not get ready: " + why, cause);
    }

    private static StorageEngine storage(Configuration configuration, Extensions extensions) throws StartException {
        List<StorageEngine> available = new ArrayList<>();
        available.add(new MemoryStorage());
        available.addAll(extensions.storageEngines());
        String wanted = configuration.text(CoreKeys.STORAGE_ENGINE);
        for (StorageEngine engine : available) {
            if (engine.name().equals(wanted)) {
                return engine;
            }
        }
        throw StartException.usage(
                CoreKeys.STORAGE_ENGINE + " is '" + wanted + "', which no plugin here brings; there is "
                        + available.stream().map(StorageEngine::name).collect(Collectors.joining(", ")),
                null);
    }

    private static void startStorage(StorageEngine storage, Extensions extensions, Rooms rooms) throws StartException {
        try {
            storage.start(new StorageContext(extensions.formats(), new StorageAlarms(rooms.alarms(), rooms.queues())));
        } catch (StoreInUseException e) {
            throw StartException.unavailable(String.valueOf(e.getMessage()), e);
        } catch (StorageException e) {
            throw StartException.data(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Forgets what queues have left that are no more, and opens those in which something is due. Messages without a single
     * virtual host are what is left of a store that has lost its topology: they are not to be forgotten, nor to be found in
     * queues that get the ids of theirs. Nor is anything forgotten that was found while something was damaged.
     */
    private static void takeUpQueues(StorageEngine storage, Rooms rooms) throws StartException {
        Topology topology = rooms.topology().current();
        long[] ownerless = Arrays.stream(storage.stored())
                .filter(id -> id != StoredTopologyLog.ID && topology.queue(id) == null)
                .toArray();
        if (ownerless.length > 0 && topology.virtualHosts().isEmpty()) {
            throw StartException.data(
                    "there are messages of " + ownerless.length + " queues in the data directory, but what says which"
                            + " queues these are is lost; move the data directory away to start with an empty one",
                    null);
        }
        boolean isDamaged = !rooms.alarms().active().isEmpty();
        if (isDamaged && topology.virtualHosts().isEmpty()) {
            throw StartException.data(
                    "something in the data directory is damaged, and what says which queues, users and virtual hosts there"
                            + " are is lost: "
                            + rooms.alarms().active().get(0).reason()
                            + "; bring back a copy of it, or move it away to start with an empty one",
                    null);
        }
        if (!isDamaged) {
            Arrays.stream(ownerless).forEach(storage::delete);
        }
        rooms.queues().openWhatMayBecomeDue();
    }

    private static void startTopology(TopologyService topology) throws StartException {
        try {
            await(topology.start(), REPLAY_MAX);
        } catch (TimeoutException e) {
            throw StartException.internal("the topology does not answer", e);
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw StartException.data("what is stored of the topology cannot be used: " + e.getMessage(), e);
        }
    }

    /** After the definitions: who brings users of its own wants no default one, as with RabbitMQ. */
    private static void makeFirstUse(TopologyService topology, PasswordHashes hashes) throws StartException {
        try {
            await(topology.administer(FirstUse.changes(topology.current(), hashes), Runnable::run), ANSWER_MAX);
        } catch (TimeoutException e) {
            throw StartException.internal("the topology does not answer", e);
        }
    }

    private static void importDefinitions(
            Configuration configuration, Extensions extensions, TopologyService topology, PasswordHashes hashes)
            throws StartException {
        Optional<Path> file = configuration.path(CoreKeys.DEFINITIONS_FILE);
        if (file.isEmpty()) {
            return;
        }
        if (extensions.definedArguments().isEmpty()) {
            throw StartException.usage(
                    CoreKeys.DEFINITIONS_FILE + " is set, but no plugin understands definitions", null);
        }
        try {
            Definitions definitions = new DefinitionsReader(
                            extensions.definedArguments().get(0), new HashedPasswords(hashes))
                    .read(file.get());
            definitions.warnings().forEach(log::warn);
            await(definitions.applyTo(topology), DEFINITIONS_MAX);
            log.info(
                    "Definitions imported from {}: {} things",
                    file.get(),
                    definitions.changes().size());
        } catch (DefinitionsException e) {
            throw StartException.usage(CoreKeys.DEFINITIONS_FILE + ": " + e.getMessage(), e);
        } catch (TimeoutException e) {
            throw StartException.internal("the topology does not answer", e);
        }
    }

    private static void openListeners(Rooms rooms, Configuration configuration, Extensions extensions)
            throws StartException {
        try {
            rooms.listeners().open(ListenerPlan.specs(configuration, extensions.protocols()));
        } catch (IOException e) {
            throw StartException.unavailable(String.valueOf(e.getMessage()), e);
        }
    }

    private static BrokerException shutdown() {
        return BrokerException.connection(ErrorKind.FORCED, "broker forced connection closure with reason 'shutdown'");
    }

    private static void sayGoodbye(Connections connections, Duration grace) throws TimeoutException {
        CompletionStage<Void> drained = connections.drain(shutdown());
        try {
            await(drained, grace);
        } catch (TimeoutException e) {
            log.warn(
                    "{} connections have not said goodbye within {} s; they are closed",
                    connections.count(),
                    grace.toSeconds());
            connections.cut();
            await(drained, CUT_MAX);
        }
    }

    private static <T> T await(CompletionStage<T> stage, Duration patience) throws TimeoutException {
        try {
            return stage.toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException fault ? fault : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the broker was started or stopped", e);
        }
    }
}
