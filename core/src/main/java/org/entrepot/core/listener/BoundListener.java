package org.entrepot.core.listener;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;

/**
 * A listener that is open. Immutable.
 *
 * @param name the listener's, such as "amqp.tls"
 * @param protocol the protocol's name
 * @param address where it really listens
 */
public record BoundListener(String name, String protocol, boolean tls, InetSocketAddress address) {

    /** The address as operators write it: {@code 127.0.0.1:5672}, {@code [::1]:5672}, {@code *:5672}. */
    public String where() {
        return address.getAddress().isAnyLocalAddress()
                ? "*:" + address.getPort()
                : NetUtil.toSocketAddressString(address);
    }
}
