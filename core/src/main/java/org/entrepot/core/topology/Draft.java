package org.entrepot.core.topology;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;

/**
 * A decision in the making: what the records so far lead to, and what else goes when something goes. Owned by the
 * topology's loop, for the length of one call.
 */
final class Draft {
    private final Topology before;
    private final ExchangeTypes types;
    private final List<TopologyRecord> records = new ArrayList<>();
    private final List<TopologyOutcome> outcomes = new ArrayList<>();
    private final Map<Long, QueueNode> added = new LinkedHashMap<>();
    private final Map<Long, QueueNode> changed = new LinkedHashMap<>();
    private final Map<Long, QueueNode> removed = new LinkedHashMap<>();
    private Topology topology;

    Draft(Topology before, ExchangeTypes types) {
        this.before = before;
        this.types = types;
        this.topology = before;
    }

    /** What there is with everything drafted so far. */
    Topology topology() {
        return topology;
    }

    /** A virtual host with everything drafted so far; throws NOT_ALLOWED where there is none. */
    VirtualHost virtualHost(String name) {
        VirtualHost virtualHost = topology.virtualHost(name);
        if (virtualHost == null) {
            throw BrokerException.connection(ErrorKind.NOT_ALLOWED, "vhost " + name + " not found");
        }
        return virtualHost;
    }

    void outcome(TopologyOutcome outcome) {
        outcomes.add(outcome);
    }

    Decision decision() {
        return new Decision(
                before,
                topology,
                List.copyOf(records),
                List.copyOf(outcomes),
                List.copyOf(added.values()),
                List.copyOf(changed.values()),
                List.copyOf(removed.values()));
    }

    /** Adds a record of which nothing but itself follows. */
    void record(TopologyRecord fact) {
        records.add(fact);
        topology = fact.accept(new Application(topology, types));
    }

    Exchange addExchange(String virtualHost, ExchangeSpec spec) {
        record(new TopologyRecord.ExchangeAdded(virtualHost, takeId(), spec));
        Exchange exchange = virtualHost(virtualHost).exchange(spec.name());
        if (exchange == null) {
            throw new AssertionError("an exchange just added is not there");
        }
        return exchange;
    }

    QueueNode addQueue(String virtualHost, long owner, QueueSpec spec) {
        record(new TopologyRecord.QueueAdded(virtualHost, takeId(), owner, spec));
        QueueNode queue = virtualHost(virtualHost).queue(spec.name());
        if (queue == null) {
            throw new AssertionError("a queue just added is not there");
        }
        added.put(queue.id(), queue);
        return queue;
    }

    /** Gives a queue other limits than it was declared with. */
    QueueNode limitQueue(QueueNode queue, QueueLimits limits) {
        record(new TopologyRecord.QueueLimited(queue.virtualHost(), queue.name(), limits, queue.logged()));
        QueueNode limited = virtualHost(queue.virtualHost()).queue(queue.name());
        if (limited == null) {
            throw new AssertionError("a queue just limited is not there");
        }
        changed(limited);
        return limited;
    }

    private void changed(QueueNode queue) {
        if (added.containsKey(queue.id())) {
            added.put(queue.id(), queue);
        } else {
            changed.put(queue.id(), queue);
        }
    }

    void bind(VirtualHost host, BindingSpec binding) {
        record(new TopologyRecord.Bound(host.name(), binding, host.logs(binding)));
    }

    /** Removes a binding, and its source where that deletes itself. */
    void unbind(VirtualHost host, BindingSpec binding) {
        record(new TopologyRecord.Unbound(host.name(), binding, host.logs(binding)));
        removeUnused(host.name(), List.of(binding));
    }

    /** Removes a queue, its bindings, and sources of these that delete themselves. */
    void removeQueue(QueueNode queue) {
        List<BindingSpec> gone =
                List.copyOf(virtualHost(queue.virtualHost()).bindingsTo(Destination.queue(queue.name())));
        record(new TopologyRecord.QueueGone(queue.virtualHost(), queue.name(), queue.logged()));
        forget(queue);
        removeUnused(queue.virtualHost(), gone);
    }

    /** Removes an exchange, its bindings, and sources of these that delete themselves. */
    void removeExchange(Exchange exchange) {
        removeUnused(exchange.virtualHost(), removeAlone(exchange));
    }

    private List<BindingSpec> removeAlone(Exchange exchange) {
        List<BindingSpec> gone =
                List.copyOf(virtualHost(exchange.virtualHost()).bindingsTo(Destination.exchange(exchange.name())));
        record(new TopologyRecord.ExchangeGone(exchange.virtualHost(), exchange.name(), exchange.logged()));
        return gone;
    }

    void removeVirtualHost(VirtualHost host) {
        record(new TopologyRecord.VirtualHostGone(host.name()));
        for (QueueNode queue : host.queues()) {
            forget(queue);
        }
    }

    /** Adds a record that gives queues of a virtual host other settings. */
    void govern(String virtualHost, TopologyRecord fact) {
        VirtualHost old = virtualHost(virtualHost);
        record(fact);
        for (QueueNode queue : virtualHost(virtualHost).queues()) {
            if (old.queue(queue.name()) == queue) {
                continue;
            }
            changed(queue);
        }
    }

    /**
     * Sources of bindings that are gone go, too, where they delete themselves and this was the last; and so on with
     * theirs.
     */
    private void removeUnused(String virtualHost, List<BindingSpec> gone) {
        Deque<BindingSpec> pending = new ArrayDeque<>(gone);
        while (!pending.isEmpty()) {
            Exchange source = virtualHost(virtualHost).exchange(pending.remove().source());
            if (source != null
                    && source.spec().autoDelete()
                    && source.bindings().isEmpty()) {
                pending.addAll(removeAlone(source));
            }
        }
    }

    private void forget(QueueNode queue) {
        changed.remove(queue.id());
        if (added.remove(queue.id()) == null) {
            removed.put(queue.id(), queue);
        }
    }

    private long takeId() {
        if (topology.nextId() >= topology.idsReservedBelow()) {
            record(new TopologyRecord.IdsReserved(topology.nextId() + TopologyMachine.IDS_RESERVED_AT_ONCE));
        }
        return topology.nextId();
    }
}
