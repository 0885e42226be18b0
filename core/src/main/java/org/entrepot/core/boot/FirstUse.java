package org.entrepot.core.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.entrepot.core.security.DefaultUser;
import org.entrepot.core.security.PasswordHashes;
import org.entrepot.core.topology.AdminChange;
import org.entrepot.core.topology.Credential;
import org.entrepot.core.topology.PermissionPatterns;
import org.entrepot.core.topology.Topology;
import org.entrepot.core.topology.User;

/** What a broker makes for itself where nobody has made anything: a virtual host, and a user for this machine. Stateless. */
final class FirstUse {
    private FirstUse() {}

    /** Changes that give a topology without virtual hosts, or without users, what clients expect to find. */
    static List<AdminChange> changes(Topology topology, PasswordHashes hashes) {
        List<AdminChange> changes = new ArrayList<>();
        boolean noUsers = topology.users().isEmpty();
        if (!topology.virtualHosts().isEmpty() && !noUsers) {
            return changes;
        }
        DefaultUser guest = DefaultUser.guest(hashes);
        if (topology.virtualHosts().isEmpty()) {
            changes.add(AdminChange.PutVirtualHost.plain(guest.virtualHost()));
        }
        if (noUsers) {
            List<Credential> credentials = guest.user().credentials().stream()
                    .map(credential -> new Credential(credential.kind(), credential.verifier()))
                    .toList();
            changes.add(new AdminChange.PutUser(new User(
                    guest.user().name(), credentials, Set.copyOf(guest.user().tags()), User.Limits.NONE)));
            if (topology.virtualHosts().isEmpty() || topology.virtualHost(guest.virtualHost()) != null) {
                changes.add(new AdminChange.SetPermissions(
                        guest.user().name(),
                        guest.virtualHost(),
                        new PermissionPatterns(
                                guest.permission().configure(),
                                guest.permission().write(),
                                guest.permission().read())));
            }
        }
        return changes;
    }
}
