package org.entrepot.core.boot;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.entrepot.core.security.Credential;
import org.entrepot.core.security.PermissionRecord;
import org.entrepot.core.security.TopicPermissionRecord;
import org.entrepot.core.security.UserDirectory;
import org.entrepot.core.security.UserRecord;
import org.entrepot.core.topology.PermissionPatterns;
import org.entrepot.core.topology.TopicPatterns;
import org.entrepot.core.topology.Topology;
import org.entrepot.core.topology.User;
import org.entrepot.core.topology.VirtualHost;

/** Shows the users of the topology to the security room, which does not know the topology. Any thread. */
final class TopologyUsers implements UserDirectory {
    private final Supplier<Topology> topology;

    TopologyUsers(Supplier<Topology> topology) {
        this.topology = topology;
    }

    @Override
    public Optional<UserRecord> user(String name) {
        User user = topology.get().user(name);
        if (user == null) {
            return Optional.empty();
        }
        List<Credential> credentials = user.credentials().stream()
                .map(credential -> new Credential(credential.kind(), credential.verifier()))
                .toList();
        return Optional.of(new UserRecord(user.name(), credentials, user.tags()));
    }

    @Override
    public Optional<PermissionRecord> permission(String user, String virtualHost) {
        VirtualHost host = topology.get().virtualHost(virtualHost);
        PermissionPatterns patterns = host == null ? null : host.permissions(user);
        return patterns == null
                ? Optional.empty()
                : Optional.of(new PermissionRecord(patterns.configure(), patterns.write(), patterns.read()));
    }

    @Override
    public Optional<TopicPermissionRecord> topicPermission(String user, String virtualHost, String exchange) {
        VirtualHost host = topology.get().virtualHost(virtualHost);
        TopicPatterns patterns = host == null ? null : host.topicPermissions(user, exchange);
        return patterns == null
                ? Optional.empty()
                : Optional.of(new TopicPermissionRecord(patterns.write(), patterns.read()));
    }

    @Override
    public boolean virtualHostExists(String name) {
        return topology.get().virtualHost(name) != null;
    }

    @Override
    public long version() {
        return topology.get().accessVersion();
    }
}
