package org.entrepot.core.session;

import io.netty.buffer.ByteBuf;
import org.entrepot.core.queue.LocalQueue;
import org.entrepot.core.queue.Queues;
import org.entrepot.core.topology.QueueNode;
import org.entrepot.core.topology.Topology;
import org.entrepot.core.topology.VirtualHost;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.Address;
import org.jspecify.annotations.Nullable;

/** A queue and the key of what is published to it alone, with the queue that was found. Owned by its session's loop. */
final class QueueAddress implements Address {
    private final String virtualHost;
    private final String name;
    private final RoutingKey key;
    private @Nullable Topology topology;
    private @Nullable LocalQueue queue;

    /** Who was allowed to publish here last, under which version of users and permissions. */
    private @Nullable Principal allowed;

    private long allowedVersion;

    QueueAddress(String virtualHost, String name, RoutingKey key) {
        this.virtualHost = virtualHost;
        this.name = name;
        this.key = key;
    }

    /** The queue as it is now; null where there is none. It is looked up again when the topology has changed. */
    @SuppressWarnings("ReferenceEquality") // each version of the topology is an object of its own
    @Nullable LocalQueue queue(Topology current, Queues all) {
        if (topology != current) {
            VirtualHost host = current.virtualHost(virtualHost);
            QueueNode node = host == null ? null : host.queue(name);
            queue = node == null ? null : all.get(node.id());
            topology = current;
        }
        return queue;
    }

    String name() {
        return name;
    }

    @SuppressWarnings("ReferenceEquality") // another object may be a login with other claims
    boolean isAllowed(Principal principal, long version) {
        return allowed == principal && allowedVersion == version;
    }

    void allow(Principal principal, long version) {
        allowed = principal;
        allowedVersion = version;
    }

    @Override
    public String exchange() {
        return "";
    }

    @Override
    public RoutingKey key() {
        return key;
    }

    /** No exchange and key name a queue's address. */
    @Override
    public boolean matches(ByteBuf buffer, int exchangeIndex, int exchangeLength, int keyIndex, int keyLength) {
        return false;
    }
}
