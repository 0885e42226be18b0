package org.entrepot.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.entrepot.spi.protocol.WebSocketEndpoint;
import org.entrepot.spi.protocol.WebSocketEndpoint.FrameKind;

/**
 * A key of the configuration file: its name, what its value must be, its default and its meaning. Immutable. Made with
 * one of the static methods, refined with {@link #between}.
 *
 * @param name lower-case words separated by dots; words may contain hyphens
 * @param kind what a value must be
 * @param defaultValue written as in the file; empty where there is none and the key may stay unset
 * @param choices the allowed values of a {@link Kind#CHOICE}, or the allowed items of a {@link Kind#LIST}, empty for any
 * @param minimum least value of a number, size (bytes) or duration (milliseconds)
 * @param maximum greatest value, likewise
 * @param meaning one or two sentences for {@code conf/entrepot.conf}
 */
public record ConfigurationKey(
        String name,
        Kind kind,
        Optional<String> defaultValue,
        List<String> choices,
        long minimum,
        long maximum,
        String meaning) {
    private static final int PORT_MAX = 65_535;

    /** What a value must be. */
    public enum Kind {
        /** Any text without line breaks. */
        TEXT,
        /** Comma-separated texts. */
        LIST,
        /** A whole number. */
        NUMBER,
        /** A number with a unit of bytes: B, KiB, MiB, GiB. */
        SIZE,
        /** A number with a unit of time: ms, s, min, h, d. */
        DURATION,
        /** {@code true} or {@code false}. */
        FLAG,
        /** One of a set of words. */
        CHOICE,
        /**
         * A path; a relative one is relative to the directory that the broker is installed in, on the command line to
         * the working directory.
         */
        PATH,
        /** A text never shown; may be given as {@code file:PATH}. */
        SECRET
    }

    public static ConfigurationKey text(String name, String defaultValue, String meaning) {
        return of(name, Kind.TEXT, Optional.of(defaultValue), meaning);
    }

    /** A key of any kind that may stay unset. */
    public static ConfigurationKey optional(String name, Kind kind, String meaning) {
        return of(name, kind, Optional.empty(), meaning);
    }

    public static ConfigurationKey list(String name, String defaultValue, String meaning) {
        return of(name, Kind.LIST, Optional.of(defaultValue), meaning);
    }

    public static ConfigurationKey number(String name, long defaultValue, String meaning) {
        return of(name, Kind.NUMBER, Optional.of(Long.toString(defaultValue)), meaning);
    }

    public static ConfigurationKey size(String name, String defaultValue, String meaning) {
        return of(name, Kind.SIZE, Optional.of(defaultValue), meaning);
    }

    public static ConfigurationKey duration(String name, String defaultValue, String meaning) {
        return of(name, Kind.DURATION, Optional.of(defaultValue), meaning);
    }

    public static ConfigurationKey flag(String name, boolean defaultValue, String meaning) {
        return of(name, Kind.FLAG, Optional.of(Boolean.toString(defaultValue)), meaning);
    }

    public static ConfigurationKey choice(String name, String defaultValue, List<String> choices, String meaning) {
        return new ConfigurationKey(
                name, Kind.CHOICE, Optional.of(defaultValue), List.copyOf(choices), 0, Long.MAX_VALUE, meaning);
    }

    /**
     * The keys of a protocol's listeners, which its plugin declares: {@code listener.NAME.port} and {@code
     * listener.NAME.tls.port}.
     *
     * @param protocol the protocol's name
     * @param defaultPort where plain connections are taken when nothing is configured; -1 for nowhere
     */
    public static List<ConfigurationKey> listener(String protocol, int defaultPort) {
        return List.of(
                number(
                                "listener." + protocol + ".port",
                                defaultPort,
                                "Port for " + protocol + " without TLS. 0 lets the system choose, -1 opens none.")
                        .between(-1, PORT_MAX),
                optional(
                                "listener." + protocol + ".tls.port",
                                Kind.NUMBER,
                                "Port for " + protocol + " over TLS. Unset opens none; 0 lets the system choose.")
                        .between(0, PORT_MAX));
    }

    /**
     * The keys of the listeners of a protocol that is spoken through WebSocket too, which its plugin declares: those of
     * {@link #listener(String, int)}, {@code listener.NAME.ws.port}, {@code listener.NAME.wss.port}, {@code
     * listener.NAME.ws.path} and {@code listener.NAME.ws.origins}; for {@link FrameKind#TEXT_OR_BINARY} also {@code
     * listener.NAME.ws.frames}.
     *
     * @param protocol the protocol's name
     * @param defaultPort where plain connections are taken when nothing is configured; -1 for nowhere
     * @param endpoint what the protocol returns from {@link org.entrepot.spi.protocol.Protocol#webSocket}
     */
    public static List<ConfigurationKey> listener(String protocol, int defaultPort, WebSocketEndpoint endpoint) {
        List<ConfigurationKey> keys = new ArrayList<>(listener(protocol, defaultPort));
        keys.add(number(
                        "listener." + protocol + ".ws.port",
                        endpoint.defaultPort().orElse(-1),
                        "Port for " + protocol
                                + " through WebSocket without TLS. 0 lets the system choose, -1 opens none.")
                .between(-1, PORT_MAX));
        keys.add(optional(
                        "listener." + protocol + ".wss.port",
                        Kind.NUMBER,
                        "Port for " + protocol
                                + " through WebSocket over TLS. Unset opens none; 0 lets the system choose.")
                .between(0, PORT_MAX));
        keys.add(text(
                "listener." + protocol + ".ws.path",
                endpoint.path(),
                "Path that WebSocket clients ask for. Protocols may share a port when their paths or the names of their"
                        + " subprotocols differ."));
        keys.add(list(
                "listener." + protocol + ".ws.origins",
                "*",
                "Web pages that may connect through WebSocket, by their origin, such as https://example.com; * is all."
                        + " Clients that are no browser name no origin, and always may."));
        if (endpoint.frames() == FrameKind.TEXT_OR_BINARY) {
            keys.add(choice(
                    "listener." + protocol + ".ws.frames",
                    "text",
                    List.of("text", "binary"),
                    "Frames that WebSocket clients are sent: text until they send binary ones, or binary always."));
        }
        return List.copyOf(keys);
    }

    /** The same key with bounds: a plain number, bytes or milliseconds. */
    public ConfigurationKey between(long minimum, long maximum) {
        return new ConfigurationKey(name, kind, defaultValue, choices, minimum, maximum, meaning);
    }

    private static ConfigurationKey of(String name, Kind kind, Optional<String> defaultValue, String meaning) {
        return new ConfigurationKey(name, kind, defaultValue, List.of(), 0, Long.MAX_VALUE, meaning);
    }
}
