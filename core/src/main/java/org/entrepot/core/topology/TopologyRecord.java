package org.entrepot.core.topology;

import java.util.List;
import java.util.Optional;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * Something that was decided about the topology. Immutable. Applying the same records in the same order gives the same
 * topology, live, at restart and elsewhere; {@link TopologyRecords} writes them as bytes.
 *
 * <p>What follows from a record by itself is not a record of its own: with an exchange or a queue its bindings go.
 */
public sealed interface TopologyRecord {

    /**
     * Whether the record is to be kept in the log. The others are about things that a restart ends, and are applied
     * only.
     */
    default boolean logged() {
        return true;
    }

    <R> R accept(Visitor<R> visitor);

    /** No id of {@code below} or more was given before this record; a restart goes on from there. */
    record IdsReserved(long below) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.idsReserved(this);
        }
    }

    /** A virtual host is there with this said of it. */
    record VirtualHostPut(String name, String description, List<String> tags, Optional<String> defaultQueueType)
            implements TopologyRecord {
        public VirtualHostPut {
            tags = List.copyOf(tags);
        }

        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.virtualHostPut(this);
        }
    }

    /** A virtual host is gone with everything in it. */
    record VirtualHostGone(String name) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.virtualHostGone(this);
        }
    }

    record VirtualHostLimited(String name, VirtualHostLimits limits) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.virtualHostLimited(this);
        }
    }

    record UserPut(User user) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.userPut(this);
        }
    }

    /** A user is gone with its permissions. */
    record UserGone(String name) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.userGone(this);
        }
    }

    /** A user's permissions in a virtual host; null for none any more. */
    record PermissionsSet(
            String user, String virtualHost, @Nullable PermissionPatterns patterns) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.permissionsSet(this);
        }
    }

    /** A user's permissions for the topics of one exchange; null for none any more. */
    record TopicPermissionsSet(
            String user,
            String virtualHost,
            String exchange,
            @Nullable TopicPatterns patterns) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.topicPermissionsSet(this);
        }
    }

    record PolicyPut(String virtualHost, Policy policy) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.policyPut(this);
        }
    }

    record PolicyGone(String virtualHost, String name, boolean operator) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.policyGone(this);
        }
    }

    record ExchangeAdded(String virtualHost, long id, ExchangeSpec spec) implements TopologyRecord {
        @Override
        public boolean logged() {
            return spec.durable();
        }

        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.exchangeAdded(this);
        }
    }

    /** An exchange is gone with all bindings from it and to it. */
    record ExchangeGone(String virtualHost, String name, boolean logged) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.exchangeGone(this);
        }
    }

    /** A queue is there; {@code owner} is the connection that alone may use it, or 0. */
    record QueueAdded(String virtualHost, long id, long owner, QueueSpec spec) implements TopologyRecord {
        @Override
        public boolean logged() {
            return QueueSettings.durable(spec);
        }

        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.queueAdded(this);
        }
    }

    /** A queue has these limits in place of those that it was declared with. */
    record QueueLimited(String virtualHost, String name, QueueLimits limits, boolean logged) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.queueLimited(this);
        }
    }

    /** A queue is gone with all bindings to it. */
    record QueueGone(String virtualHost, String name, boolean logged) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.queueGone(this);
        }
    }

    record Bound(String virtualHost, BindingSpec binding, boolean logged) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.bound(this);
        }
    }

    record Unbound(String virtualHost, BindingSpec binding, boolean logged) implements TopologyRecord {
        @Override
        public <R> R accept(Visitor<R> visitor) {
            return visitor.unbound(this);
        }
    }

    /** Does one thing for each kind of record. */
    interface Visitor<R> {
        R idsReserved(IdsReserved fact);

        R virtualHostPut(VirtualHostPut fact);

        R virtualHostGone(VirtualHostGone fact);

        R virtualHostLimited(VirtualHostLimited fact);

        R userPut(UserPut fact);

        R userGone(UserGone fact);

        R permissionsSet(PermissionsSet fact);

        R topicPermissionsSet(TopicPermissionsSet fact);

        R policyPut(PolicyPut fact);

        R policyGone(PolicyGone fact);

        R exchangeAdded(ExchangeAdded fact);

        R exchangeGone(ExchangeGone fact);

        R queueAdded(QueueAdded fact);

        R queueLimited(QueueLimited fact);

        R queueGone(QueueGone fact);

        R bound(Bound fact);

        R unbound(Unbound fact);
    }
}
