package org.entrepot.core.listener;

/**
 * How many connections there may be, and how long they may take to say what they are. Immutable.
 *
 * @param connectionsMax over all listeners
 * @param perAddressMax from one source address; behind a trusted proxy, from one address that it announces
 * @param firstBytesMillis from being accepted to being recognised, PROXY header and TLS handshake included
 * @param tlsHandshakeMillis for the TLS handshake alone
 */
public record ConnectionLimits(int connectionsMax, int perAddressMax, long firstBytesMillis, long tlsHandshakeMillis) {

    /** For a limit that is not to be. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final long FIRST_BYTES_MILLIS = 10_000;
    private static final long TLS_HANDSHAKE_MILLIS = 5_000;

    public ConnectionLimits {
        if (connectionsMax < 1 || perAddressMax < 1) {
            throw new IllegalArgumentException("a limit on connections is less than 1");
        }
        if (firstBytesMillis < 1 || tlsHandshakeMillis < 1) {
            throw new IllegalArgumentException("a time allowed to new connections is less than 1 ms");
        }
    }

    /** No limit in number, 10 s to be recognised, 5 s for TLS. */
    public static ConnectionLimits defaults() {
        return new ConnectionLimits(UNLIMITED, UNLIMITED, FIRST_BYTES_MILLIS, TLS_HANDSHAKE_MILLIS);
    }

    public ConnectionLimits withConnectionsMax(int connections) {
        return new ConnectionLimits(connections, perAddressMax, firstBytesMillis, tlsHandshakeMillis);
    }

    public ConnectionLimits withPerAddressMax(int connections) {
        return new ConnectionLimits(connectionsMax, connections, firstBytesMillis, tlsHandshakeMillis);
    }

    public ConnectionLimits withFirstBytesMillis(long millis) {
        return new ConnectionLimits(connectionsMax, perAddressMax, millis, tlsHandshakeMillis);
    }

    public ConnectionLimits withTlsHandshakeMillis(long millis) {
        return new ConnectionLimits(connectionsMax, perAddressMax, firstBytesMillis, millis);
    }
}
