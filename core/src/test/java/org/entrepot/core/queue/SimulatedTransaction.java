package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.storage.LogTransaction;

/** A transaction of a simulated session, and who decides it: it goes on when the session is gone. */
final class SimulatedTransaction {
    private final Simulation simulation;
    private final LogTransaction in;
    private final Map<SimulatedQueue, TransactionPart> parts = new LinkedHashMap<>();
    private final List<SimulatedQueue> prepared = new ArrayList<>();
    /** By which records it was committed. */
    private final Map<SimulatedQueue, Long> indexes = new LinkedHashMap<>();

    private int unprepared;

    SimulatedTransaction(Simulation simulation, LogTransaction in) {
        this.simulation = simulation;
        this.in = in;
    }

    TransactionPart part(SimulatedQueue queue, Publisher session) {
        return parts.computeIfAbsent(queue, any -> new TransactionPart(null, session, () -> {}));
    }

    /** Has all queues prepare their parts; those hear it in order with what the session has told them before. */
    void prepare(SimulatedSession session) {
        unprepared = parts.size();
        parts.forEach((queue, part) -> {
            part.begin(in);
            simulation.pipes().send(session, queue, () -> {
                boolean taken = queue.prepare(part);
                simulation.pipes().send(queue, this, () -> prepared(queue, taken));
            });
        });
    }

    private void prepared(SimulatedQueue queue, boolean taken) {
        if (taken) {
            prepared.add(queue);
        }
        if (--unprepared > 0) {
            return;
        }
        if (prepared.size() == parts.size() && !simulation.random().percent(10)) {
            in.commit(Runnable::run, lasts -> {});
            prepared.forEach(each -> each.committedBy(in).ifPresent(index -> indexes.put(each, index)));
        } else {
            for (SimulatedQueue each : prepared) {
                simulation.pipes().send(this, each, () -> each.giveUp(parts.get(each)));
            }
        }
    }

    /**
     * What is left of it after a crash must be all or nothing: raises the last records that survive, where it takes that;
     * whether it did.
     */
    boolean raise(Map<SimulatedQueue, Long> last) {
        boolean any = indexes.entrySet().stream().anyMatch(each -> each.getValue() <= last.get(each.getKey()));
        boolean raised = false;
        for (Map.Entry<SimulatedQueue, Long> each : indexes.entrySet()) {
            if (any && each.getValue() > last.get(each.getKey())) {
                last.put(each.getKey(), each.getKey().cutAt(each.getValue()));
                raised = true;
            }
        }
        return raised;
    }
}
