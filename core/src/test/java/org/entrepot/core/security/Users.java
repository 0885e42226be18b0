package org.entrepot.core.security;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A directory of users in memory, for tests. */
final class Users implements UserDirectory {
    private final Map<String, UserRecord> users = new ConcurrentHashMap<>();
    private final Map<String, PermissionRecord> permissions = new ConcurrentHashMap<>();
    private final Map<String, TopicPermissionRecord> topics = new ConcurrentHashMap<>();
    private final Set<String> virtualHosts = new HashSet<>(Set.of("/"));
    private final AtomicLong version = new AtomicLong(1);

    Users put(UserRecord user) {
        users.put(user.name(), user);
        version.incrementAndGet();
        return this;
    }

    void remove(String user) {
        users.remove(user);
        version.incrementAndGet();
    }

    Users permit(String user, String virtualHost, String configure, String write, String read) {
        permissions.put(user + "\n" + virtualHost, new PermissionRecord(configure, write, read));
        version.incrementAndGet();
        return this;
    }

    Users limit(String user, String virtualHost, String exchange, String write, String read) {
        topics.put(user + "\n" + virtualHost + "\n" + exchange, new TopicPermissionRecord(write, read));
        version.incrementAndGet();
        return this;
    }

    Users virtualHost(String name) {
        virtualHosts.add(name);
        version.incrementAndGet();
        return this;
    }

    @Override
    public Optional<UserRecord> user(String name) {
        return Optional.ofNullable(users.get(name));
    }

    @Override
    public Optional<PermissionRecord> permission(String user, String virtualHost) {
        return Optional.ofNullable(permissions.get(user + "\n" + virtualHost));
    }

    @Override
    public Optional<TopicPermissionRecord> topicPermission(String user, String virtualHost, String exchange) {
        return Optional.ofNullable(topics.get(user + "\n" + virtualHost + "\n" + exchange));
    }

    @Override
    public boolean virtualHostExists(String name) {
        return virtualHosts.contains(name);
    }

    @Override
    public long version() {
        return version.get();
    }
}
