package org.entrepot.core.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.file.Path;
import java.util.Objects;
import org.entrepot.core.admin.StatusReport;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.loop.Loops;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker: every room, wired. Started and stopped by one thread, one after the other.
 *
 * <p>Order of start: loops, plugins, what keeps and rules messages, listeners last, so that no client meets half a
 * broker. What has been started is stopped in reverse, also when a start fails halfway.
 */
public final class Broker {
    private static final Logger log = LoggerFactory.getLogger(Broker.class);

    private final BrokerSetup setup;
    private final StopOrder stopOrder = new StopOrder();
    private final MeterRegistry meters = new CompositeMeterRegistry();
    private @Nullable Rooms rooms;

    private Broker(BrokerSetup setup) {
        this.setup = setup;
    }

    /** Starts a broker; when that fails, nothing of it is left. */
    public static Broker start(BrokerSetup setup) throws StartException {
        Broker broker = new Broker(setup);
        try {
            broker.startAll();
            return broker;
        } catch (StartException | RuntimeException | Error e) {
            broker.stop();
            throw e;
        }
    }

    /** Ends everything in order: clients are told, what is under way is finished, within the configured grace. */
    public void stop() {
        stopOrder.stop();
    }

    /** How the broker is now. May be called by any thread but a loop. */
    public StatusReport status() {
        return StatusGathering.of(setup, Objects.requireNonNull(rooms, "not started"));
    }

    private void startAll() throws StartException {
        Configuration configuration = setup.configuration();
        configuration.warnings().forEach(log::warn);
        Loops loops = startLoops(configuration);
        startPlugins(configuration);
        Rooms made = new Rooms(
                configuration,
                loops,
                setup.plugins().stream().map(BrokerSetup.Part::plugin).toList(),
                meters,
                setup.dataDirectory(),
                stopOrder);
        made.start(stopOrder);
        rooms = made;
    }

    private Loops startLoops(Configuration configuration) {
        int wanted = Math.toIntExact(configuration.number(CoreKeys.LOOPS));
        int count = wanted == 0 ? Runtime.getRuntime().availableProcessors() : wanted;
        Loops loops = new Loops(count, setup.clock()::millis);
        stopOrder.add("loops", () -> loops.close().toCompletableFuture().join());
        return loops;
    }

    private void startPlugins(Configuration configuration) throws StartException {
        for (BrokerSetup.Part part : setup.plugins()) {
            Path directory = setup.dataDirectory().resolve("plugins").resolve(part.id());
            try {
                part.plugin()
                        .start(new GivenContext(
                                configuration.settingsOf(part.plugin().configuration()),
                                meters,
                                directory,
                                setup.clock(),
                                setup.identity()));
            } catch (RuntimeException | LinkageError e) {
                throw StartException.usage("plugin " + part.id() + " does not start: " + e.getMessage(), e);
            }
            stopOrder.add("plugin " + part.id(), part.plugin()::stop);
        }
    }
}
