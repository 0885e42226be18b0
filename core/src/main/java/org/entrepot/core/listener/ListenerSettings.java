package org.entrepot.core.listener;

import java.util.List;

/**
 * What holds for all listeners. Immutable.
 *
 * @param proxySources peers that must begin with a PROXY protocol header, which is believed; no other peer's is
 * @param tlsCheckMillis how often the certificate files are looked at for changes; 0 for never
 */
public record ListenerSettings(
        ConnectionLimits limits, SocketSpec sockets, List<AddressRange> proxySources, long tlsCheckMillis) {

    private static final long TLS_CHECK_MILLIS = 30_000;

    public ListenerSettings {
        proxySources = List.copyOf(proxySources);
        if (tlsCheckMillis < 0) {
            throw new IllegalArgumentException("the interval of checks for changed certificates is negative");
        }
    }

    /** What holds where nothing is configured. */
    public static ListenerSettings defaults() {
        return new ListenerSettings(ConnectionLimits.defaults(), SocketSpec.defaults(), List.of(), TLS_CHECK_MILLIS);
    }

    public ListenerSettings withLimits(ConnectionLimits others) {
        return new ListenerSettings(others, sockets, proxySources, tlsCheckMillis);
    }

    public ListenerSettings withSockets(SocketSpec others) {
        return new ListenerSettings(limits, others, proxySources, tlsCheckMillis);
    }

    public ListenerSettings withProxySources(List<AddressRange> others) {
        return new ListenerSettings(limits, sockets, others, tlsCheckMillis);
    }
}
