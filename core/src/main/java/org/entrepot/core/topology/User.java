package org.entrepot.core.topology;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Somebody the broker knows. Immutable.
 *
 * @param name opaque
 * @param credentials any one of which is enough to log in; none for a user who cannot
 * @param tags what the user is besides ("administrator", "impersonator", ...)
 * @param limits how much the user may open at a time
 */
public record User(String name, List<Credential> credentials, Set<String> tags, Limits limits) {

    public User {
        credentials = List.copyOf(credentials);
        tags = Set.copyOf(tags);
    }

    /**
     * How much a user may open at a time. Immutable.
     *
     * @param connections most connections; empty for no limit
     * @param sessions most sessions on all its connections together; empty for no limit
     */
    public record Limits(OptionalLong connections, OptionalLong sessions) {
        public static final Limits NONE = new Limits(OptionalLong.empty(), OptionalLong.empty());
    }
}
