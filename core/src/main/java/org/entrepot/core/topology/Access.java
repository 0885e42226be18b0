package org.entrepot.core.topology;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/** What users may do in one virtual host. Immutable. */
final class Access {
    static final Access NONE = new Access(TreePMap.empty(), TreePMap.empty());

    private final TreePMap<String, PermissionPatterns> permissions;
    private final TreePMap<String, TreePMap<String, TopicPatterns>> topics;

    private Access(
            TreePMap<String, PermissionPatterns> permissions,
            TreePMap<String, TreePMap<String, TopicPatterns>> topics) {
        this.permissions = permissions;
        this.topics = topics;
    }

    @Nullable PermissionPatterns permissions(String user) {
        return permissions.get(user);
    }

    TreePMap<String, PermissionPatterns> permissions() {
        return permissions;
    }

    TreePMap<String, TopicPatterns> topics(String user) {
        return topics.getOrDefault(user, TreePMap.empty());
    }

    Access with(String user, @Nullable PermissionPatterns patterns) {
        return new Access(patterns == null ? permissions.minus(user) : permissions.plus(user, patterns), topics);
    }

    Access with(String user, String exchange, @Nullable TopicPatterns patterns) {
        TreePMap<String, TopicPatterns> changed = topics(user);
        changed = patterns == null ? changed.minus(exchange) : changed.plus(exchange, patterns);
        return new Access(permissions, changed.isEmpty() ? topics.minus(user) : topics.plus(user, changed));
    }

    Access without(String user) {
        return new Access(permissions.minus(user), topics.minus(user));
    }

    boolean knows(String user) {
        return permissions.containsKey(user) || topics.containsKey(user);
    }
}
