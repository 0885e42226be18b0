package org.entrepot.core.listener;

import java.util.List;
import java.util.Optional;
import org.entrepot.spi.protocol.Protocol;

/**
 * Where one protocol is to be listened for. Immutable. Several may share an address and a port, when all of them are
 * with the same TLS or all without, and all through WebSocket or none: protocols are told apart by the first bytes,
 * through WebSocket by path and subprotocol.
 *
 * @param name what the listener is called towards operators and in {@code ConnectionFacts}, such as "amqp.tls"
 * @param addresses each {@code *} for all of the machine's, an IPv4 or IPv6 address, or a host's name for all that it
 *     resolves to; at least one
 * @param port 0 for a free one, chosen for each address and shared with no other protocol
 * @param tls empty for none
 * @param webSocket empty for the protocol's bytes as they are
 */
public record ListenerSpec(
        String name,
        Protocol protocol,
        List<String> addresses,
        int port,
        Optional<TlsSpec> tls,
        Optional<WebSocketSpec> webSocket) {
    static final int PORT_MAX = 65_535;

    public ListenerSpec {
        addresses = List.copyOf(addresses);
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("listener " + name + " has no address");
        }
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException(
                    "listener " + name + ": port " + port + " is not within 0 and " + PORT_MAX);
        }
    }

    /** Without WebSocket. */
    public ListenerSpec(String name, Protocol protocol, List<String> addresses, int port, Optional<TlsSpec> tls) {
        this(name, protocol, addresses, port, tls, Optional.empty());
    }

    public ListenerSpec withWebSocket(WebSocketSpec spec) {
        return new ListenerSpec(name, protocol, addresses, port, tls, Optional.of(spec));
    }
}
