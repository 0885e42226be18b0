package org.entrepot.core.topology;

import java.util.Objects;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/** A queue's place in the topology: not its messages. Immutable; a change of its settings makes a new one. */
public final class QueueNode {
    private final long id;
    private final String virtualHost;
    private final QueueSpec spec;
    private final long owner;
    private final QueueSettings settings;
    private final @Nullable String policy;
    private final @Nullable String operatorPolicy;

    private QueueNode(
            long id,
            String virtualHost,
            QueueSpec spec,
            long owner,
            QueueSettings settings,
            @Nullable String policy,
            @Nullable String operatorPolicy) {
        this.id = id;
        this.virtualHost = virtualHost;
        this.spec = spec;
        this.owner = owner;
        this.settings = settings;
        this.policy = policy;
        this.operatorPolicy = operatorPolicy;
    }

    /** A queue without policies. */
    static QueueNode of(long id, String virtualHost, QueueSpec spec, long owner) {
        return new QueueNode(id, virtualHost, spec, owner, QueueSettings.of(spec, null, null), null, null);
    }

    /** The same queue with other limits in place of those that it was declared with, and without policies. */
    QueueNode limited(QueueLimits limits) {
        return of(id, virtualHost, spec.withLimits(limits), owner);
    }

    /** The same queue where the policies mean nothing new for it, else one they have effect on. */
    QueueNode under(Policies policies) {
        Policy effective = policies.forQueue(spec, false);
        Policy effectiveOperator = policies.forQueue(spec, true);
        QueueSettings newSettings = QueueSettings.of(spec, effective, effectiveOperator);
        String newPolicy = effective == null ? null : effective.name();
        String newOperatorPolicy = effectiveOperator == null ? null : effectiveOperator.name();
        return Objects.equals(newPolicy, policy)
                        && Objects.equals(newOperatorPolicy, operatorPolicy)
                        && newSettings.equals(settings)
                ? this
                : new QueueNode(id, virtualHost, spec, owner, newSettings, newPolicy, newOperatorPolicy);
    }

    /** Unique for all time: a queue declared again under the name is another one. */
    public long id() {
        return id;
    }

    public String virtualHost() {
        return virtualHost;
    }

    public String name() {
        return spec.name();
    }

    /** What it was declared as, with what has replaced its limits since. */
    public QueueSpec spec() {
        return spec;
    }

    /** The id of the connection that alone may use it; 0 for none. */
    public long owner() {
        return owner;
    }

    /** What has effect. */
    public QueueSettings settings() {
        return settings;
    }

    /** The name of the policy that has effect; null for none. */
    public @Nullable String policy() {
        return policy;
    }

    /** The name of the operator policy that has effect; null for none. */
    public @Nullable String operatorPolicy() {
        return operatorPolicy;
    }

    /** Whether it is kept in the topology's log. */
    boolean logged() {
        return settings.durable();
    }

    @Override
    public String toString() {
        return "queue '" + name() + "' in vhost '" + virtualHost + "'";
    }
}
