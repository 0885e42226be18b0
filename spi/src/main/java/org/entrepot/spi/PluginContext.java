package org.entrepot.spi;

import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Clock;

/** What the broker gives a plugin: this and nothing else. Vendors only call it. Any thread may. */
public interface PluginContext {

    /** The plugin's own configuration: the keys it declared, with values checked. */
    Settings settings();

    /** Where the plugin's meters are registered; the broker counts neutral facts itself, by protocol. */
    MeterRegistry meters();

    /** A directory of the plugin's own under the broker's data directory; made when first asked for. */
    Path dataDirectory();

    Clock clock();

    /** The broker, to be used from {@link BrokerPlugin#started} on. */
    Broker broker();

    /** The broker's name and version, for protocols that announce them. */
    BrokerIdentity identity();
}
