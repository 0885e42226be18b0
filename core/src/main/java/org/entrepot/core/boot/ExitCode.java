package org.entrepot.core.boot;

/** What the process ends with; the values are those of BSD's sysexits, as RabbitMQ's tools use them. */
final class ExitCode {
    static final int OK = 0;

    /** The command line, the configuration or a plugin is wrong. */
    static final int USAGE = 64;

    /** What the broker has stored cannot be used as it is. */
    static final int DATA = 65;

    /** Something that is needed belongs to another process, or is not there: a port, the data directory, a broker. */
    static final int UNAVAILABLE = 69;

    /** A fault of the broker's own. */
    static final int INTERNAL = 70;

    private ExitCode() {}
}
