package org.entrepot.core.boot;

import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.entrepot.core.config.Configuration;
import org.entrepot.spi.BrokerIdentity;
import org.entrepot.spi.BrokerPlugin;

/**
 * What a broker is made of. Immutable, but for the plugins.
 *
 * @param identity who it is to clients and operators
 * @param configuration of the core and all plugins
 * @param plugins none of them started, each after those it depends on
 * @param dataDirectory where it keeps things; nobody else does meanwhile
 * @param clock tells the time, to plugins as well
 */
public record BrokerSetup(
        BrokerIdentity identity, Configuration configuration, List<Part> plugins, Path dataDirectory, Clock clock) {

    public BrokerSetup {
        plugins = List.copyOf(plugins);
    }

    /** A plugin under its id. */
    public record Part(String id, BrokerPlugin plugin) {}
}
