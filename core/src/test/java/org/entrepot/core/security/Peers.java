package org.entrepot.core.security;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import org.entrepot.spi.protocol.ConnectionFacts;

/** Facts of connections, for tests. */
final class Peers {
    private Peers() {}

    static ConnectionFacts at(String address) {
        return behind(address, address);
    }

    static ConnectionFacts behind(String proxy, String announced, X509Certificate... certificates) {
        return new ConnectionFacts(
                socket(proxy, 50_000),
                socket(announced, 50_000),
                socket("127.0.0.1", 5672),
                "amqp",
                Optional.empty(),
                List.of(certificates));
    }

    private static InetSocketAddress socket(String address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), port);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
