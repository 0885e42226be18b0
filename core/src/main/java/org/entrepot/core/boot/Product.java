package org.entrepot.core.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.entrepot.core.admin.ControlCommand;
import org.entrepot.core.admin.ControlServer;
import org.entrepot.core.admin.PluginList;
import org.entrepot.core.admin.StatusJson;
import org.entrepot.core.admin.StatusReport;
import org.entrepot.core.admin.StatusText;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.ConfigurationException;
import org.entrepot.core.config.ConfigurationLoader;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.config.KeyGroup;
import org.entrepot.core.plugin.LoadedPlugin;
import org.entrepot.core.plugin.PluginException;
import org.entrepot.core.plugin.PluginInfo;
import org.entrepot.core.plugin.Plugins;
import org.entrepot.spi.BrokerIdentity;
import org.slf4j.LoggerFactory;

/**
 * A broker as a process of its own: with its data directory held, plugins from their folder, and a control socket.
 * Started and stopped by one thread, one after the other.
 */
final class Product {
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private final StopOrder stopOrder = new StopOrder();

    private Product() {}

    /**
     * Starts the product; when that fails, nothing of it is left.
     *
     * @param whenAskedToStop called when the command line asks a running broker to stop
     */
    static Product start(
            Installation installation, StartOptions options, Map<String, String> environment, Runnable whenAskedToStop)
            throws StartException {
        Product product = new Product();
        try {
            product.startAll(installation, options, environment, whenAskedToStop);
            return product;
        } catch (StartException | RuntimeException | Error e) {
            product.stop();
            throw e;
        }
    }

    void stop() {
        stopOrder.stop();
    }

    private void startAll(
            Installation installation, StartOptions options, Map<String, String> environment, Runnable whenAskedToStop)
            throws StartException {
        try {
            ConfigurationLoader loader = installation.configuration(options, environment);
            Configuration preview = loader.preview(CoreKeys.groups());
            DataDirectory data = DataDirectory.open(Installation.dataDirectory(preview));
            stopOrder.add("the data directory", data::close);

            Plugins plugins = Installation.plugins(preview, data.unpackedPlugins());
            stopOrder.add("plugins", plugins::close);
            plugins.requireSound();
            plugins.removeLeftovers();

            Configuration configuration = loader.load(keyGroups(plugins));
            LogSetup.apply(configuration.choice(CoreKeys.LOG_FORMAT), configuration.choice(CoreKeys.LOG_LEVEL));
            Broker broker = Broker.start(new BrokerSetup(
                    identity(configuration), configuration, parts(plugins), data.path(), Clock.systemUTC()));
            stopOrder.add("the broker", broker::stop);

            ControlServer control = ControlServer.open(data.path(), controlCommands(broker, plugins, whenAskedToStop));
            stopOrder.add("the control socket", control::close);
            LoggerFactory.getLogger(LogSetup.READY_LOGGER).info(ReadyLine.of(broker.status()));
        } catch (ConfigurationException | PluginException e) {
            throw StartException.usage(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw StartException.usage(e.getClass().getSimpleName() + ": " + e.getMessage(), e);
        }
    }

    private static Map<String, ControlCommand> controlCommands(
            Broker broker, Plugins plugins, Runnable whenAskedToStop) {
        return Map.of(
                "status",
                arguments -> {
                    StatusReport report = broker.status();
                    return arguments.contains("--json") ? StatusJson.of(report) : StatusText.of(report);
                },
                "plugins",
                arguments -> PluginList.of(plugins.infos(), arguments.contains("--json")),
                "stop",
                arguments -> {
                    whenAskedToStop.run();
                    return "";
                });
    }

    /** The core's keys and those of all plugins. */
    private static List<KeyGroup> keyGroups(Plugins plugins) {
        List<KeyGroup> groups = new ArrayList<>(CoreKeys.groups());
        for (LoadedPlugin loaded : plugins.loaded()) {
            groups.add(KeyGroup.plugin(loaded.info().id(), true, loaded.plugin().configuration()));
        }
        for (PluginInfo info : plugins.infos()) {
            if (info.state() == PluginInfo.State.DISABLED) {
                groups.add(KeyGroup.disabledPlugin(info.id()));
            }
        }
        return groups;
    }

    private static List<BrokerSetup.Part> parts(Plugins plugins) {
        List<BrokerSetup.Part> parts = new ArrayList<>();
        for (LoadedPlugin loaded : plugins.loaded()) {
            parts.add(new BrokerSetup.Part(loaded.info().id(), loaded.plugin()));
        }
        return parts;
    }

    private static BrokerIdentity identity(Configuration configuration) {
        return new BrokerIdentity(
                Installation.PRODUCT,
                Installation.version(),
                configuration.optionalText(CoreKeys.NODE_NAME).orElseGet(Product::hostName),
                configuration.text(CoreKeys.CLUSTER_NAME));
    }

    /** Linux tells the name in a file; elsewhere it may take a question to the network. */
    private static String hostName() {
        try {
            String name = Files.readString(HOST_NAME, StandardCharsets.UTF_8).strip();
            if (!name.isEmpty()) {
                return name;
            }
        } catch (IOException notLinux) {
            // Asked for below.
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
