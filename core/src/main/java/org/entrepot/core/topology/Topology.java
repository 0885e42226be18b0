package org.entrepot.core.topology;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * Everything that exists by name at one moment: virtual hosts with their exchanges, queues, bindings and policies, and
 * users. Immutable; changes make a new one that shares what stays.
 */
public final class Topology {
    /** Nothing. */
    static final Topology EMPTY =
            new Topology(0, 0, 1, 1, TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePMap.empty());

    private final long version;
    private final long accessVersion;
    private final long nextId;
    private final long idsReservedBelow;
    private final TreePMap<String, VirtualHost> virtualHosts;
    private final TreePMap<String, User> users;
    private final TreePMap<Long, QueueNode> queues;
    private final TreePMap<Long, TreePSet<Long>> owned;

    private Topology(
            long version,
            long accessVersion,
            long nextId,
            long idsReservedBelow,
            TreePMap<String, VirtualHost> virtualHosts,
            TreePMap<String, User> users,
            TreePMap<Long, QueueNode> queues,
            TreePMap<Long, TreePSet<Long>> owned) {
        this.version = version;
        this.accessVersion = accessVersion;
        this.nextId = nextId;
        this.idsReservedBelow = idsReservedBelow;
        this.virtualHosts = virtualHosts;
        this.users = users;
        this.queues = queues;
        this.owned = owned;
    }

    /** Grows with every record applied; two topologies of one broker with one version are the same. */
    public long version() {
        return version;
    }

    /** Another number whenever virtual hosts, users or permissions have changed, and only then. */
    public long accessVersion() {
        return accessVersion;
    }

    public @Nullable VirtualHost virtualHost(String name) {
        return virtualHosts.get(name);
    }

    /** All virtual hosts, by name. */
    public Collection<VirtualHost> virtualHosts() {
        return virtualHosts.values();
    }

    public @Nullable User user(String name) {
        return users.get(name);
    }

    /** All users, by name. */
    public Collection<User> users() {
        return users.values();
    }

    /** The queue of this id. */
    public @Nullable QueueNode queue(long id) {
        return queues.get(id);
    }

    /** The ids of the queues that a connection alone may use. */
    Collection<Long> ownedBy(long owner) {
        return owned.getOrDefault(owner, TreePSet.empty());
    }

    /** The id for what is declared next. */
    long nextId() {
        return nextId;
    }

    long idsReservedBelow() {
        return idsReservedBelow;
    }

    /** The next version, with no id given below {@code nextId} and the log having reserved those below the other. */
    Topology withIds(long newNextId, long newIdsReservedBelow) {
        return new Topology(
                version + 1, accessVersion, newNextId, newIdsReservedBelow, virtualHosts, users, queues, owned);
    }

    /** Has {@link #accessVersion} tell of what this version changes. */
    Topology withOtherAccess() {
        return new Topology(version, version, nextId, idsReservedBelow, virtualHosts, users, queues, owned);
    }

    Topology with(VirtualHost virtualHost) {
        return with(virtualHosts.plus(virtualHost.name(), virtualHost), users, queues, owned);
    }

    Topology withoutVirtualHost(String name) {
        VirtualHost gone = virtualHosts.get(name);
        if (gone == null) {
            return this;
        }
        Topology without = this;
        for (QueueNode queue : gone.queues()) {
            without = without.withoutQueue(queue);
        }
        return without.with(without.virtualHosts.minus(name), users, without.queues, without.owned);
    }

    Topology with(User user) {
        return with(virtualHosts, users.plus(user.name(), user), queues, owned);
    }

    /** Without a user and its permissions. */
    Topology withoutUser(String name) {
        TreePMap<String, VirtualHost> changed = virtualHosts;
        for (VirtualHost virtualHost : virtualHosts.values()) {
            if (virtualHost.access().knows(name)) {
                changed = changed.plus(
                        virtualHost.name(),
                        virtualHost.with(virtualHost.access().without(name)));
            }
        }
        return with(changed, users.minus(name), queues, owned);
    }

    /** With a queue that its virtual host has already. */
    Topology with(QueueNode queue) {
        TreePMap<Long, TreePSet<Long>> newOwned = queue.owner() == 0
                ? owned
                : owned.plus(
                        queue.owner(),
                        owned.getOrDefault(queue.owner(), TreePSet.empty()).plus(queue.id()));
        return with(virtualHosts, users, queues.plus(queue.id(), queue), newOwned);
    }

    /** Without a queue that its virtual host has no longer. */
    Topology withoutQueue(QueueNode queue) {
        TreePMap<Long, TreePSet<Long>> newOwned = owned;
        if (queue.owner() != 0) {
            TreePSet<Long> others =
                    owned.getOrDefault(queue.owner(), TreePSet.empty()).minus(queue.id());
            newOwned = others.isEmpty() ? owned.minus(queue.owner()) : owned.plus(queue.owner(), others);
        }
        return with(virtualHosts, users, queues.minus(queue.id()), newOwned);
    }

    private Topology with(
            TreePMap<String, VirtualHost> newVirtualHosts,
            TreePMap<String, User> newUsers,
            TreePMap<Long, QueueNode> newQueues,
            TreePMap<Long, TreePSet<Long>> newOwned) {
        return new Topology(
                version, accessVersion, nextId, idsReservedBelow, newVirtualHosts, newUsers, newQueues, newOwned);
    }

    @Override
    public String toString() {
        return "topology " + version;
    }
}
