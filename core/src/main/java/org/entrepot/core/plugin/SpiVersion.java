package org.entrepot.core.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.entrepot.spi.BrokerPlugin;

/** Tells the version of the SPI aboard, from a file that the build writes beside it. */
final class SpiVersion {
    private static final String FILE = "spi.properties";

    private SpiVersion() {}

    /**
     * Three numbers, such as "1.4.0". What a pre-release is marked with is left off: 1.4.0-SNAPSHOT offers all of 1.4.0,
     * while by the rules of semantic versions it would come before it.
     */
    static String aboard() {
        Properties properties = new Properties();
        try (InputStream in = BrokerPlugin.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException("the SPI lacks its " + FILE);
            }
            properties.load(in);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the SPI's " + FILE, e);
        }
        String version = properties.getProperty("version", "").replaceFirst("[-+].*", "");
        if (!version.matches("\\d+\\.\\d+\\.\\d+")) {
            throw new IllegalStateException("the SPI's " + FILE + " has no version: '" + version + "'");
        }
        return version;
    }
}
