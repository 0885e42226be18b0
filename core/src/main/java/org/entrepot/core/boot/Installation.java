package org.entrepot.core.boot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.entrepot.core.config.Configuration;
import org.entrepot.core.config.ConfigurationException;
import org.entrepot.core.config.ConfigurationLoader;
import org.entrepot.core.config.ConfigurationSources;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.plugin.Plugins;

/**
 * The product as it is installed: its folder and its version. Immutable.
 *
 * @param home the folder that has {@code bin}, {@code conf}, {@code lib} and {@code plugins}
 */
record Installation(Path home) {
    static final String PRODUCT = "Entrepot";

    /** Set by the start script. */
    private static final String HOME_PROPERTY = "entrepot.home";

    private static final String CONF_VARIABLE = "ENTREPOT_CONF";

    /** The installation that this process was started from. */
    static Installation ofThisProcess() {
        String home = System.getProperty(HOME_PROPERTY, "");
        return new Installation(Path.of(home).toAbsolutePath().normalize());
    }

    /** The product's version. */
    static String version() {
        Properties properties = new Properties();
        try (InputStream in = Installation.class.getResourceAsStream("product.properties")) {
            if (in == null) {
                throw new IllegalStateException("product.properties is not in the jar");
            }
            properties.load(in);
        } catch (IOException e) {
            throw new IllegalStateException("product.properties cannot be read", e);
        }
        return properties.getProperty("version", "unknown");
    }

    /** What configures a broker of this installation; of files only the one that is named must be there. */
    ConfigurationLoader configuration(StartOptions options, Map<String, String> environment)
            throws ConfigurationException {
        Path here = Path.of("").toAbsolutePath();
        ConfigurationSources sources =
                ConfigurationSources.none(home).withEnvironment(environment).withOverrides(options.overrides(), here);
        Optional<Path> named = options.conf()
                .or(() -> Optional.ofNullable(environment.get(CONF_VARIABLE))
                        .filter(text -> !text.isBlank())
                        .map(Path::of));
        Path file = named.map(here::resolve).orElse(home.resolve("conf").resolve("entrepot.conf"));
        if (named.isPresent() || Files.exists(file)) {
            sources = sources.withFile(file);
        }
        return new ConfigurationLoader(sources);
    }

    /** Where a broker of this configuration keeps things. */
    static Path dataDirectory(Configuration preview) {
        return preview.path(CoreKeys.DATA_DIRECTORY).orElseThrow();
    }

    /** Opens the plugins of this configuration. */
    static Plugins plugins(Configuration preview, Path unpacked) throws IOException {
        return Plugins.open(
                preview.path(CoreKeys.PLUGINS_DIRECTORY).orElseThrow(),
                unpacked,
                Set.copyOf(preview.list(CoreKeys.PLUGINS_DISABLED)));
    }
}
