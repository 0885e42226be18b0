package org.entrepot.core.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.entrepot.spi.Broker;
import org.entrepot.spi.BrokerIdentity;
import org.entrepot.spi.PluginContext;
import org.entrepot.spi.Settings;

/** What a plugin is given when it starts. Immutable; any thread. */
record GivenContext(
        Settings settings, MeterRegistry meters, Path directory, Clock clock, BrokerIdentity identity, Broker broker)
        implements PluginContext {

    @Override
    public Path dataDirectory() {
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("the plugin's data directory " + directory + " cannot be made", e);
        }
    }
}
