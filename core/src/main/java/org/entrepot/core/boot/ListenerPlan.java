package org.entrepot.core.boot;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.entrepot.core.config.CoreKeys;
import org.entrepot.core.listener.AddressRange;
import org.entrepot.core.listener.ConnectionLimits;
import org.entrepot.core.listener.ListenerSettings;
import org.entrepot.core.listener.ListenerSpec;
import org.entrepot.core.listener.SocketSpec;
import org.entrepot.core.listener.TlsSpec;
import org.entrepot.core.listener.TlsSpec.ClientCertificate;
import org.entrepot.core.listener.WebSocketSpec;
import org.entrepot.spi.Settings;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.protocol.WebSocketEndpoint;
import org.entrepot.spi.protocol.WebSocketEndpoint.FrameKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads from the configuration what is to be listened on, and how. Stateless. */
final class ListenerPlan {
    private static final Logger log = LoggerFactory.getLogger(ListenerPlan.class);

    /** Files that the broker may open whatever its clients do, where there may be so many at all. */
    private static final long OPEN_FILES_KEPT = 256;

    /** Of a protocol's plain port: no listener. */
    private static final long NO_PORT = -1;

    private ListenerPlan() {}

    /** A listener for each port of each protocol; the configuration declares their keys. */
    static List<ListenerSpec> specs(Settings configuration, List<Protocol> protocols) throws StartException {
        List<String> addresses = configuration.list(CoreKeys.LISTENER_ADDRESS);
        List<ListenerSpec> specs = new ArrayList<>();
        for (Protocol protocol : protocols) {
            String name = protocol.name();
            long port = configuration.number("listener." + name + ".port");
            if (port != NO_PORT) {
                specs.add(new ListenerSpec(name, protocol, addresses, Math.toIntExact(port), Optional.empty()));
            }
            String tlsKey = "listener." + name + ".tls.port";
            if (configuration.isSet(tlsKey)) {
                int tlsPort = Math.toIntExact(configuration.number(tlsKey));
                specs.add(
                        new ListenerSpec(name + ".tls", protocol, addresses, tlsPort, Optional.of(tls(configuration))));
            }
            if (protocol.webSocket().isPresent()) {
                WebSocketSpec webSocket =
                        webSocket(configuration, name, protocol.webSocket().get());
                webSocketSpecs(configuration, protocol, addresses)
                        .forEach(spec -> specs.add(spec.withWebSocket(webSocket)));
            }
        }
        return specs;
    }

    private static List<ListenerSpec> webSocketSpecs(
            Settings configuration, Protocol protocol, List<String> addresses) {
        String name = protocol.name();
        List<ListenerSpec> specs = new ArrayList<>();
        long port = configuration.number("listener." + name + ".ws.port");
        if (port != NO_PORT) {
            specs.add(new ListenerSpec(name + ".ws", protocol, addresses, Math.toIntExact(port), Optional.empty()));
        }
        String tlsKey = "listener." + name + ".wss.port";
        if (configuration.isSet(tlsKey)) {
            int tlsPort = Math.toIntExact(configuration.number(tlsKey));
            specs.add(new ListenerSpec(name + ".wss", protocol, addresses, tlsPort, Optional.of(tls(configuration))));
        }
        return specs;
    }

    private static WebSocketSpec webSocket(Settings configuration, String protocol, WebSocketEndpoint endpoint)
            throws StartException {
        String keys = "listener." + protocol + ".ws";
        WebSocketSpec spec = WebSocketSpec.of(endpoint);
        try {
            spec = spec.withPath(configuration.text(keys + ".path"));
        } catch (IllegalArgumentException e) {
            throw StartException.usage(keys + ".path: " + e.getMessage(), e);
        }
        try {
            spec = spec.withOrigins(configuration.list(keys + ".origins"));
        } catch (IllegalArgumentException e) {
            throw StartException.usage(keys + ".origins: " + e.getMessage(), e);
        }
        boolean binaryOnly = endpoint.frames() == FrameKind.TEXT_OR_BINARY
                && configuration.choice(keys + ".frames").equals("binary");
        return binaryOnly ? spec.withBinaryOnly() : spec;
    }

    static ListenerSettings settings(Settings configuration) throws StartException {
        long perAddress = configuration.number(CoreKeys.LISTENER_CONNECTIONS_PER_ADDRESS_MAX);
        SocketSpec sockets = SocketSpec.defaults();
        return ListenerSettings.defaults()
                .withLimits(ConnectionLimits.defaults()
                        .withConnectionsMax(
                                connectionsMax(configuration.number(CoreKeys.LISTENER_CONNECTIONS_MAX), openFilesMax()))
                        .withPerAddressMax(perAddress == 0 ? ConnectionLimits.UNLIMITED : Math.toIntExact(perAddress))
                        .withFirstBytesMillis(handshakeMillis(configuration))
                        .withTlsHandshakeMillis(configuration
                                .duration(CoreKeys.LISTENER_TLS_HANDSHAKE_TIMEOUT)
                                .toMillis()))
                .withSockets(new SocketSpec(
                        Math.toIntExact(configuration.number(CoreKeys.LISTENER_BACKLOG)),
                        Math.toIntExact(configuration.size(CoreKeys.LISTENER_SEND_BUFFER)),
                        sockets.receiveBufferBytes(),
                        sockets.readBytesMax(),
                        sockets.readsInARow(),
                        sockets.writeLowBytes(),
                        sockets.writeHighBytes()))
                .withProxySources(proxySources(configuration));
    }

    /** As many as are wanted, but not so many that the broker itself, its storage above all, could open no file. */
    static int connectionsMax(long wanted, long openFilesMax) {
        long allowed = Math.max(openFilesMax - OPEN_FILES_KEPT, openFilesMax / 2);
        if (wanted > allowed) {
            log.info(
                    "At most {} connections are let in, not {}: this process may have {} files open (ulimit -n).",
                    allowed,
                    wanted,
                    openFilesMax);
        }
        return Math.toIntExact(Math.min(wanted, allowed));
    }

    private static long openFilesMax() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }

    /** How long a client may take to log in, of which what it takes to say its first bytes is a part. */
    static long handshakeMillis(Settings configuration) {
        return configuration.duration(CoreKeys.LISTENER_HANDSHAKE_TIMEOUT).toMillis();
    }

    private static List<AddressRange> proxySources(Settings configuration) throws StartException {
        List<AddressRange> ranges = new ArrayList<>();
        for (String text : configuration.list(CoreKeys.LISTENER_PROXY_PROTOCOL_SOURCES)) {
            try {
                ranges.add(AddressRange.parse(text));
            } catch (IllegalArgumentException e) {
                throw StartException.usage(CoreKeys.LISTENER_PROXY_PROTOCOL_SOURCES + ": " + e.getMessage(), e);
            }
        }
        return ranges;
    }

    /** The configuration has been checked to name certificate and key, and trust where clients are asked. */
    private static TlsSpec tls(Settings configuration) {
        Path certificate = configuration.path(CoreKeys.LISTENER_TLS_CERTIFICATE).orElseThrow();
        Path key = configuration.path(CoreKeys.LISTENER_TLS_KEY).orElseThrow();
        String asked = configuration.choice(CoreKeys.LISTENER_TLS_CLIENT_CERTIFICATE);
        return new TlsSpec(
                certificate,
                key,
                configuration.secret(CoreKeys.LISTENER_TLS_KEY_PASSWORD).map(String::new),
                ClientCertificate.valueOf(asked.toUpperCase(Locale.ROOT)),
                configuration.path(CoreKeys.LISTENER_TLS_TRUST),
                configuration.list(CoreKeys.LISTENER_TLS_PROTOCOLS),
                List.of());
    }
}
