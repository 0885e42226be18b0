package org.entrepot.core.security;

import java.util.Optional;

/**
 * The broker's own users, their permissions, and which virtual hosts there are, as they are at the moment of asking. Any
 * thread may ask, and is answered at once.
 */
public interface UserDirectory {

    Optional<UserRecord> user(String name);

    /** What the user may do in the virtual host; empty where it may not even enter. */
    Optional<PermissionRecord> permission(String user, String virtualHost);

    /** What limits the user's keys on the exchange; empty where nothing does. */
    Optional<TopicPermissionRecord> topicPermission(String user, String virtualHost, String exchange);

    boolean virtualHostExists(String name);

    /**
     * Another number whenever anything that the other methods tell has changed, seen no later than the change itself.
     * Every new number empties caches: it ought to stay while only exchanges, queues and bindings change.
     */
    long version();
}
