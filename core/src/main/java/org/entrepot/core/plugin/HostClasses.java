package org.entrepot.core.plugin;

/** Which of the broker's classes plugins see. Immutable. */
final class HostClasses {
    private static final String SPI = "org.entrepot.spi.";

    /** Libraries whose types occur in the SPI: plugin and broker must mean the same class. */
    private static final String[] SHARED_LIBRARIES = {"io.netty.", "org.slf4j.", "io.micrometer.", "org.jspecify."};

    private HostClasses() {}

    /** A class of the SPI: from the broker, or from nowhere. A copy that a plugin packed by mistake is not looked at. */
    static boolean isSpi(String className) {
        return className.startsWith(SPI);
    }

    /**
     * A class of a library shared with plugins: from the broker where it has it, else from the plugin, which so brings
     * parts of Netty that the broker does not have.
     */
    static boolean isShared(String className) {
        for (String prefix : SHARED_LIBRARIES) {
            if (className.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
