package org.entrepot.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.core.admin.StatusReport;
import org.entrepot.core.boot.Broker;
import org.entrepot.core.boot.BrokerSetup;
import org.entrepot.core.boot.StartException;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.ConfigurationException;
import org.entrepot.core.config.ConfigurationLoader;
import org.entrepot.core.config.ConfigurationSources;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.config.KeyGroup;
import org.entrepot.spi.BrokerIdentity;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.protocol.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * A whole broker in this process: real loops, real sockets on free ports of the loopback interface, a data directory of
 * its own that goes when the broker does, unless one is given that stays. Used by one thread.
 *
 * <p>Plugins are given as objects, so they are loaded by the test's class loader; that a packed plugin works in a
 * distribution is another test.
 */
public final class EmbeddedBroker implements AutoCloseable {
    private final Path dataDirectory;
    private final boolean kept;
    private final Broker broker;

    private EmbeddedBroker(Path dataDirectory, boolean kept, Broker broker) {
        this.dataDirectory = dataDirectory;
        this.kept = kept;
        this.broker = broker;
    }

    /** What a broker is to be started with. Used by one thread. */
    public static final class Builder {
        private final Map<String, BrokerPlugin> plugins = new LinkedHashMap<>();
        private final List<String> settings =
                new ArrayList<>(List.of("listener.address=127.0.0.1", "storage.engine=memory", "shutdown.grace=2 s"));

        private @Nullable Path dataDirectory;

        private Builder() {}

        /** Has the broker use a data directory that stays when it is closed, so that the next one finds what it kept. */
        public Builder dataDirectory(Path directory) {
            dataDirectory = directory;
            return this;
        }

        /** Adds a plugin under its id. */
        public Builder plugin(String id, BrokerPlugin plugin) {
            plugins.put(id, plugin);
            return this;
        }

        /** Sets a configuration key, as {@code key=value}. The ports of all plugins' protocols are free ones unless set. */
        public Builder set(String assignment) {
            settings.add(assignment);
            return this;
        }

        /** Starts the broker; it is ready to serve when this returns. */
        public EmbeddedBroker start() {
            try {
                Path given = dataDirectory;
                Path directory = given == null ? Files.createTempDirectory("entrepot-embedded") : given;
                return new EmbeddedBroker(directory, given != null, Broker.start(setup(directory)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (ConfigurationException | StartException e) {
                throw new IllegalStateException(e.getMessage(), e);
            }
        }

        private BrokerSetup setup(Path directory) throws ConfigurationException {
            List<KeyGroup> groups = new ArrayList<>(CoreKeys.groups());
            List<BrokerSetup.Part> parts = new ArrayList<>();
            List<String> lines = new ArrayList<>();
            plugins.forEach((id, plugin) -> {
                groups.add(KeyGroup.plugin(id, true, plugin.configuration()));
                parts.add(new BrokerSetup.Part(id, plugin));
                plugin.configuration().stream()
                        .map(key -> key.name())
                        .filter(name -> name.startsWith("listener.")
                                && name.endsWith(".port")
                                && !name.endsWith(".tls.port")
                                && !name.endsWith(".wss.port"))
                        .forEach(name -> lines.add(name + " = 0"));
            });
            Configuration configuration = new ConfigurationLoader(ConfigurationSources.none(directory)
                            .withLines("test defaults", lines)
                            .withOverrides(settings, directory))
                    .load(groups);
            return new BrokerSetup(
                    new BrokerIdentity("Entrepot", "0.1.0", "embedded", "entrepot"),
                    configuration,
                    parts,
                    directory,
                    Clock.systemUTC());
        }
    }

    public static Builder with(String id, BrokerPlugin plugin) {
        return new Builder().plugin(id, plugin);
    }

    /** The port of a listener: that of a {@linkplain Protocol#name protocol}, "NAME.tls", "NAME.ws" or "NAME.wss". */
    public int port(String listener) {
        for (StatusReport.Listener bound : status().listeners()) {
            if (bound.name().equals(listener)) {
                return Integer.parseInt(
                        bound.address().substring(bound.address().lastIndexOf(':') + 1));
            }
        }
        throw new IllegalArgumentException("there is no listener " + listener);
    }

    /** How the broker is now, as operators see it. */
    public StatusReport status() {
        return broker.status();
    }

    /** Stops the broker in good order, and removes its data unless it was given a directory. */
    @Override
    public void close() {
        broker.stop();
        if (kept) {
            return;
        }
        try {
            deleteTree(dataDirectory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void deleteTree(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException fault) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
