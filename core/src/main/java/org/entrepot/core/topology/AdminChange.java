package org.entrepot.core.topology;

import java.util.List;
import java.util.Optional;
import org.entrepot.spi.topology.TopologyChange;
import org.jspecify.annotations.Nullable;

/** One change that only operators, and the broker itself, make. Immutable. */
public sealed interface AdminChange {

    /** Makes a virtual host with its standard exchanges, or changes what is said of one that is there. */
    record PutVirtualHost(String name, String description, List<String> tags, Optional<String> defaultQueueType)
            implements AdminChange {
        public PutVirtualHost {
            tags = List.copyOf(tags);
        }

        public static PutVirtualHost plain(String name) {
            return new PutVirtualHost(name, "", List.of(), Optional.empty());
        }
    }

    /** Deletes a virtual host with everything in it. */
    record DeleteVirtualHost(String name) implements AdminChange {}

    record SetVirtualHostLimits(String name, VirtualHostLimits limits) implements AdminChange {}

    /** Makes a user, or changes one. */
    record PutUser(User user) implements AdminChange {}

    /** Deletes a user and its permissions. */
    record DeleteUser(String name) implements AdminChange {}

    record SetPermissions(String user, String virtualHost, PermissionPatterns patterns) implements AdminChange {}

    record ClearPermissions(String user, String virtualHost) implements AdminChange {}

    record SetTopicPermissions(String user, String virtualHost, String exchange, TopicPatterns patterns)
            implements AdminChange {}

    /** Clears the topic permissions for one exchange, or for all where {@code exchange} is null. */
    record ClearTopicPermissions(
            String user, String virtualHost, @Nullable String exchange) implements AdminChange {}

    record SetPolicy(String virtualHost, Policy policy) implements AdminChange {}

    record ClearPolicy(String virtualHost, String name, boolean operator) implements AdminChange {}

    /** Makes a change that clients make too, without an owner and with reserved names allowed. */
    record Change(String virtualHost, TopologyChange change) implements AdminChange {}
}
