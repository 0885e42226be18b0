package org.entrepot.spi.security;

import java.util.List;
import org.entrepot.spi.protocol.ConnectionFacts;

/** A way to log in. Vendors implement it; any loop calls it. */
public interface Authenticator {

    /** Lower-case and short; the key {@code security.authenticators} names it. */
    String name();

    /** SASL names of the mechanisms a connection with these facts may use with it; empty for none. */
    List<String> mechanisms(ConnectionFacts facts);

    /** Begins a login by one of its mechanisms. */
    Login begin(String mechanism, ConnectionFacts facts);
}
