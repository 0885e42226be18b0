package org.entrepot.spi.protocol;

import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a connection before it says anything. Immutable.
 *
 * @param peer the socket's other end; what trust in an address is judged by
 * @param announcedPeer the client's address as a trusted proxy announced it; else the same as {@code peer}
 * @param local the socket's own end
 * @param listener the listener's name: the protocol's, with ".tls" for TLS, ".ws" for WebSocket, ".wss" for both
 * @param tls the TLS version and cipher; empty without TLS
 * @param certificates the client's certificate and its chain, verified; empty where it sent none
 */
public record ConnectionFacts(
        InetSocketAddress peer,
        InetSocketAddress announcedPeer,
        InetSocketAddress local,
        String listener,
        Optional<String> tls,
        List<X509Certificate> certificates) {

    public ConnectionFacts {
        certificates = List.copyOf(certificates);
    }

    /** Whether both the socket's peer and the announced address are this machine's own. */
    public boolean loopback() {
        return isLoopback(peer) && isLoopback(announcedPeer);
    }

    private static boolean isLoopback(InetSocketAddress address) {
        return address.getAddress() != null && address.getAddress().isLoopbackAddress();
    }
}
