package org.entrepot.core.boot;

import java.util.Optional;
import org.entrepot.core.security.Credential;
import org.entrepot.core.security.PermissionRecord;
import org.entrepot.core.security.TopicPermissionRecord;
import org.entrepot.core.security.UserDirectory;
import org.entrepot.core.security.UserRecord;
import org.entrepot.core.topology.PermissionPatterns;
import org.entrepot.core.topology.TopicPatterns;
import org.entrepot.core.topology.TopologyService;
import org.entrepot.core.topology.User;
import org.entrepot.core.topology.VirtualHost;

/** The users and permissions that the topology holds, as security asks for them. Any thread may ask. */
record TopologyDirectory(TopologyService topology) implements UserDirectory {

    @Override
    public Optional<UserRecord> user(String name) {
        User user = topology.current().user(name);
        return user == null
                ? Optional.empty()
                : Optional.of(new UserRecord(
                        user.name(),
                        user.credentials().stream()
                                .map(one -> new Credential(one.kind(), one.verifier()))
                                .toList(),
                        user.tags()));
    }

    @Override
    public Optional<PermissionRecord> permission(String user, String virtualHost) {
        VirtualHost host = topology.current().virtualHost(virtualHost);
        PermissionPatterns patterns = host == null ? null : host.permissions(user);
        return patterns == null
                ? Optional.empty()
                : Optional.of(new PermissionRecord(patterns.configure(), patterns.write(), patterns.read()));
    }

    @Override
    public Optional<TopicPermissionRecord> topicPermission(String user, String virtualHost, String exchange) {
        VirtualHost host = topology.current().virtualHost(virtualHost);
        TopicPatterns patterns = host == null ? null : host.topicPermissions(user, exchange);
        return patterns == null
                ? Optional.empty()
                : Optional.of(new TopicPermissionRecord(patterns.write(), patterns.read()));
    }

    @Override
    public boolean virtualHostExists(String name) {
        return topology.current().virtualHost(name) != null;
    }

    @Override
    public long version() {
        return topology.current().accessVersion();
    }
}
