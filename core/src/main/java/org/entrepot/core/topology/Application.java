package org.entrepot.core.topology;

import org.entrepot.spi.topology.ExchangeType;

/**
 * One record applied to a topology: the only code that changes what the log keeps, live and at restart. Immutable.
 *
 * <p>A record about something that is not there changes nothing: at restart that is how records about volatile ends
 * pass.
 */
final class Application implements TopologyRecord.Visitor<Topology> {
    private final Topology topology;
    private final ExchangeTypes types;

    Application(Topology topology, ExchangeTypes types) {
        this.topology = topology;
        this.types = types;
    }

    private Topology next() {
        return topology.withIds(topology.nextId(), topology.idsReservedBelow());
    }

    private Topology next(long id) {
        return topology.withIds(Math.max(topology.nextId(), id + 1), topology.idsReservedBelow());
    }

    /** The next version, in which virtual hosts, users or permissions are others. */
    private Topology nextAccess() {
        return next().withOtherAccess();
    }

    @Override
    public Topology idsReserved(TopologyRecord.IdsReserved fact) {
        return topology.withIds(topology.nextId(), fact.below());
    }

    @Override
    public Topology virtualHostPut(TopologyRecord.VirtualHostPut fact) {
        VirtualHost before = topology.virtualHost(fact.name());
        return nextAccess().with(before == null ? VirtualHost.empty(fact) : before.with(fact));
    }

    @Override
    public Topology virtualHostGone(TopologyRecord.VirtualHostGone fact) {
        return nextAccess().withoutVirtualHost(fact.name());
    }

    @Override
    public Topology virtualHostLimited(TopologyRecord.VirtualHostLimited fact) {
        VirtualHost before = topology.virtualHost(fact.name());
        return before == null ? next() : next().with(before.with(fact.limits()));
    }

    @Override
    public Topology userPut(TopologyRecord.UserPut fact) {
        return nextAccess().with(fact.user());
    }

    @Override
    public Topology userGone(TopologyRecord.UserGone fact) {
        return nextAccess().withoutUser(fact.name());
    }

    @Override
    public Topology permissionsSet(TopologyRecord.PermissionsSet fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        return before == null
                ? nextAccess()
                : nextAccess().with(before.with(before.access().with(fact.user(), fact.patterns())));
    }

    @Override
    public Topology topicPermissionsSet(TopologyRecord.TopicPermissionsSet fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        return before == null
                ? nextAccess()
                : nextAccess().with(before.with(before.access().with(fact.user(), fact.exchange(), fact.patterns())));
    }

    @Override
    public Topology policyPut(TopologyRecord.PolicyPut fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        return before == null ? next() : governed(before, before.policySet().with(fact.policy()));
    }

    @Override
    public Topology policyGone(TopologyRecord.PolicyGone fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        return before == null ? next() : governed(before, before.policySet().without(fact.name(), fact.operator()));
    }

    private Topology governed(VirtualHost before, Policies policies) {
        VirtualHost after = before.with(policies);
        Topology changed = next().with(after);
        for (QueueNode queue : after.queues()) {
            if (before.queue(queue.name()) != queue) {
                changed = changed.with(queue);
            }
        }
        return changed;
    }

    @Override
    public Topology exchangeAdded(TopologyRecord.ExchangeAdded fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        if (before == null) {
            return next(fact.id());
        }
        ExchangeType type = types.type(fact.spec().type());
        if (type == null) {
            throw new IllegalStateException("exchange '" + fact.spec().name() + "' in " + before + " has the type '"
                    + fact.spec().type() + "', which no installed plugin adds");
        }
        Exchange exchange = Exchange.of(fact.id(), before.name(), fact.spec(), type.matcher(fact.spec()));
        return next(fact.id()).with(before.with(exchange.under(before.policySet())));
    }

    @Override
    public Topology exchangeGone(TopologyRecord.ExchangeGone fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        return before == null ? next() : next().with(before.withoutExchange(fact.name()));
    }

    @Override
    public Topology queueAdded(TopologyRecord.QueueAdded fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        if (before == null) {
            return next(fact.id());
        }
        QueueNode queue = QueueNode.of(fact.id(), before.name(), fact.spec(), fact.owner())
                .under(before.policySet());
        return next(fact.id()).with(before.with(queue)).with(queue);
    }

    @Override
    public Topology queueLimited(TopologyRecord.QueueLimited fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        QueueNode queue = before == null ? null : before.queue(fact.name());
        if (before == null || queue == null) {
            return next();
        }
        QueueNode limited = queue.limited(fact.limits()).under(before.policySet());
        return next().with(before.with(limited)).with(limited);
    }

    @Override
    public Topology queueGone(TopologyRecord.QueueGone fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        QueueNode queue = before == null ? null : before.queue(fact.name());
        return before == null || queue == null
                ? next()
                : next().with(before.withoutQueue(fact.name())).withoutQueue(queue);
    }

    @Override
    public Topology bound(TopologyRecord.Bound fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        return before == null ? next() : next().with(before.with(fact.binding()));
    }

    @Override
    public Topology unbound(TopologyRecord.Unbound fact) {
        VirtualHost before = topology.virtualHost(fact.virtualHost());
        return before == null ? next() : next().with(before.without(fact.binding()));
    }
}
