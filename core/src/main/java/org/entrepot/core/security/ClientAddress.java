package org.entrepot.core.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.entrepot.core.config.Printable;
import org.entrepot.spi.protocol.ConnectionFacts;

/**
 * Where a client is, for counting what comes from one place. Immutable. Of an IPv6 address only the network counts,
 * because whoever has one address there has them all.
 *
 * @param text for display and comparison
 */
record ClientAddress(String text) {
    private static final int IPV6_NETWORK_BYTES = 8;
    private static final int CHARS_MAX = 100;

    static ClientAddress of(ConnectionFacts facts) {
        InetSocketAddress announced = facts.announcedPeer();
        InetAddress address = announced.getAddress();
        if (address == null) {
            return new ClientAddress(Printable.of(announced.getHostString(), CHARS_MAX));
        }
        if (address instanceof Inet6Address && !address.isLoopbackAddress()) {
            return new ClientAddress(network(address.getAddress()));
        }
        return new ClientAddress(address.getHostAddress());
    }

    private static String network(byte[] bytes) {
        Arrays.fill(bytes, IPV6_NETWORK_BYTES, bytes.length, (byte) 0);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < IPV6_NETWORK_BYTES; i += 2) {
            text.append(Integer.toHexString((bytes[i] & 0xff) << 8 | (bytes[i + 1] & 0xff)))
                    .append(':');
        }
        return text.append(":/64").toString();
    }
}
