package org.entrepot.spi.security;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Who logged in. Immutable.
 *
 * @param name the user's name
 * @param tags what the user is besides ("administrator", "impersonator", ...)
 * @param authenticator the name of the {@link Authenticator} that vouches for it
 * @param expiresAt when the login ends by itself; empty for never
 */
public record Principal(String name, Set<String> tags, String authenticator, Optional<Instant> expiresAt) {

    public Principal {
        tags = Set.copyOf(tags);
    }
}
