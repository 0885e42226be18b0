package org.entrepot.core.topology;

import java.util.Collection;
import java.util.List;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.TopologyChange;

/**
 * Decides what becomes of the topology, without clock, thread, chance or I/O. Owned by the topology's loop.
 *
 * <p>Each call decides on everything decided before, durable or not, and gives what it decided: {@link #apply(Decision)}
 * takes that over. A call that refuses leaves everything as it was.
 */
final class TopologyMachine {
    /** Ids that one record reserves, so that a restart gives none twice and not every queue costs a record. */
    static final long IDS_RESERVED_AT_ONCE = 1 << 20;

    private final ExchangeTypes types;
    private final ClientChanges clientChanges;
    private final AdminChanges adminChanges;
    private Topology topology = Topology.EMPTY;

    TopologyMachine(ExchangeTypes types, TopologyLimits limits, Collection<ExchangeSpec> standardExchanges) {
        this.types = types;
        this.clientChanges = new ClientChanges(types, limits);
        this.adminChanges = new AdminChanges(clientChanges, limits, standardExchanges);
    }

    /** Everything decided and applied so far. */
    Topology topology() {
        return topology;
    }

    /**
     * Decides changes that a connection asks for, all or none.
     *
     * @param owner the connection's id: what it declares exclusive is its own
     * @param system whether the broker itself asks, which may use reserved names and others' exclusive queues
     * @throws org.entrepot.spi.BrokerException for the first change that is refused
     */
    Decision decide(String virtualHost, long owner, boolean system, List<TopologyChange> changes) {
        Draft draft = draft();
        for (TopologyChange change : changes) {
            draft.outcome(clientChanges.judge(draft, virtualHost, owner, system, change));
        }
        return draft.decision();
    }

    /** Decides changes that an operator asks for, all or none; throws as {@link #decide} does. */
    Decision administer(List<AdminChange> changes) {
        Draft draft = draft();
        for (AdminChange change : changes) {
            draft.outcome(adminChanges.judge(draft, change));
        }
        return draft.decision();
    }

    /** Decides that some of what goes with a connection goes, its exclusive queues: so many at most. */
    Decision dropOwner(long owner, int most) {
        Draft draft = draft();
        int dropped = 0;
        for (long id : topology.ownedBy(owner)) {
            if (dropped++ == most) {
                break;
            }
            removeQueue(draft, id);
        }
        return draft.decision();
    }

    /** Decides that a queue goes, for a reason of its own; nothing happens where it is gone already. */
    Decision deleteQueue(long id) {
        Draft draft = draft();
        removeQueue(draft, id);
        return draft.decision();
    }

    private static void removeQueue(Draft draft, long id) {
        QueueNode queue = draft.topology().queue(id);
        if (queue == null) {
            draft.outcome(TopologyOutcome.Gone.NOTHING);
        } else {
            draft.removeQueue(queue);
            draft.outcome(new TopologyOutcome.Gone(queue, null));
        }
    }

    /** Ends a replay: goes on with ids never given, and decides the standard exchanges that virtual hosts lack. */
    Decision begin() {
        long reserved = topology.idsReservedBelow();
        topology = topology.withIds(Math.max(topology.nextId(), reserved), reserved);
        Draft draft = draft();
        for (VirtualHost virtualHost : topology.virtualHosts()) {
            adminChanges.addStandardExchanges(draft, virtualHost.name());
        }
        return draft.decision();
    }

    /** Takes a decision over, which must be about the topology as it is now. */
    void apply(Decision decision) {
        assert decision.before() == topology : "decided on " + decision.before() + ", but now is " + topology;
        topology = decision.after();
    }

    /** Applies a record: what was decided before a restart. */
    void apply(TopologyRecord fact) {
        topology = fact.accept(new Application(topology, types));
    }

    private Draft draft() {
        return new Draft(topology, types);
    }
}
