package org.entrepot.core.security;

import java.util.List;
import java.util.Set;

/**
 * One of the broker's own users. Immutable.
 *
 * @param credentials any one of which is enough; none for a user without a password
 * @param tags what the user is besides ("administrator", ...)
 */
public record UserRecord(String name, List<Credential> credentials, Set<String> tags) {

    public UserRecord {
        credentials = List.copyOf(credentials);
        tags = Set.copyOf(tags);
    }
}
