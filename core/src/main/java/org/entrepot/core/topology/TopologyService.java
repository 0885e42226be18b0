package org.entrepot.core.topology;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.TopologyChange;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topology of a broker: has changes decided one after the other, keeps what was decided, and shows it when it is
 * durable. Owned by its loop; every public method may be called by any thread.
 *
 * <p>Snapshots are shown in the order of the decisions. A change with nothing to keep waits for those before it, for it
 * may rest on them.
 */
@OwnedBy("its loop; public methods by any thread")
public final class TopologyService {
    private static final Logger log = LoggerFactory.getLogger(TopologyService.class);

    /** Queues of one owner that one decision deletes: the work of about a millisecond. */
    private static final int DROPPED_AT_ONCE = 100;

    private final Loop loop;
    private final TopologyLog topologyLog;
    private final TopologyListener listener;
    private final TopologyMachine machine;
    private final Deque<Pending> pending = new ArrayDeque<>();
    /** Why nothing can be kept any more. */
    private @Nullable String failure;

    private volatile Topology current = Topology.EMPTY;

    public TopologyService(
            Loop loop,
            TopologyLog topologyLog,
            ExchangeTypes types,
            TopologyListener listener,
            TopologyLimits limits,
            Collection<ExchangeSpec> standardExchanges) {
        this.loop = loop;
        this.topologyLog = topologyLog;
        this.listener = listener;
        this.machine = new TopologyMachine(types, limits, standardExchanges);
    }

    /**
     * Takes up what the log holds; called once, before any change. The stage completes on the topology's loop when it can
     * be seen.
     */
    public CompletionStage<Void> start() {
        CompletableFuture<Void> started = new CompletableFuture<>();
        loop.post(() -> {
            try {
                topologyLog.open(new LogOwner(started));
            } catch (RuntimeException fault) {
                started.completeExceptionally(fault);
            }
        });
        return started;
    }

    /** Closes the log; completes when that is done. No change is made after this. */
    public CompletionStage<Void> stop() {
        return CompletableFuture.runAsync(
                () -> {
                    fail("the broker stops");
                    topologyLog.close();
                },
                loop);
    }

    /** What the log says, until and after everything was taken up. */
    private final class LogOwner implements TopologyLog.Owner {
        private final CompletableFuture<Void> started;

        LogOwner(CompletableFuture<Void> started) {
            this.started = started;
        }

        @Override
        public void replayed(TopologyRecord fact) {
            machine.apply(fact);
        }

        @Override
        public void ended() {
            Topology replayed = machine.topology();
            Decision beginning = machine.begin();
            for (VirtualHost virtualHost : replayed.virtualHosts()) {
                virtualHost.queues().forEach(listener::queueAdded);
            }
            CompletableFuture<List<TopologyOutcome>> begun = new CompletableFuture<>();
            begun.whenComplete((done, refusal) -> {
                if (refusal == null) {
                    started.complete(null);
                } else {
                    started.completeExceptionally(refusal);
                }
            });
            keep(beginning, begun, Runnable::run);
        }

        @Override
        public List<TopologyRecord> checkpoint() {
            return Checkpoint.of(machine.topology());
        }

        @Override
        public void failed(String reason) {
            fail(reason);
            if (!started.completeExceptionally(new IllegalStateException(reason))) {
                log.error("The topology can no longer be changed: {}", reason);
            }
        }
    }

    private void fail(String reason) {
        failure = reason;
        List<Pending> lost = List.copyOf(pending);
        pending.clear();
        for (Pending each : lost) {
            answer(each.answerOn, () -> each.answer.completeExceptionally(cannotKeep()));
        }
    }

    private static BrokerException cannotKeep() {
        return BrokerException.connection(
                ErrorKind.INTERNAL_ERROR, "the broker can keep no changes any more, see its log");
    }

    /** Everything there is, as far as it is durable. */
    public Topology current() {
        return current;
    }

    /**
     * Makes changes that a connection asks for, all or none.
     *
     * @param owner the connection's id: what it declares exclusive is its own
     * @param answerOn runs what hangs on the stage
     * @return completes when the changes can be seen in {@link #current}; fails with the {@link BrokerException} for the
     *     first change that is refused
     */
    public CompletionStage<List<TopologyOutcome>> change(
            String virtualHost, long owner, List<TopologyChange> changes, Executor answerOn) {
        List<TopologyChange> copy = List.copyOf(changes);
        return decide(() -> machine.decide(virtualHost, owner, false, copy), answerOn);
    }

    /**
     * Makes changes that the broker itself asks for on behalf of a connection, as {@link #change} does: with reserved
     * names, and others' exclusive queues, allowed.
     */
    public CompletionStage<List<TopologyOutcome>> changeAsSystem(
            String virtualHost, long owner, List<TopologyChange> changes, Executor answerOn) {
        List<TopologyChange> copy = List.copyOf(changes);
        return decide(() -> machine.decide(virtualHost, owner, true, copy), answerOn);
    }

    /** Makes changes that an operator asks for, all or none; answers as {@link #change} does. */
    public CompletionStage<List<TopologyOutcome>> administer(List<AdminChange> changes, Executor answerOn) {
        List<AdminChange> copy = List.copyOf(changes);
        return decide(() -> machine.administer(copy), answerOn);
    }

    /**
     * Deletes what goes with a connection; the last thing that is asked for in its name. Where that is much, it goes in
     * several decisions, and others have their turns in between.
     */
    public CompletionStage<Void> dropOwner(long owner, Executor answerOn) {
        CompletableFuture<Void> dropped = new CompletableFuture<>();
        dropSome(owner, answerOn, dropped);
        return dropped;
    }

    private void dropSome(long owner, Executor answerOn, CompletableFuture<Void> dropped) {
        decide(() -> machine.dropOwner(owner, DROPPED_AT_ONCE), loop).whenComplete((gone, failure) -> {
            if (failure != null) {
                answer(answerOn, () -> dropped.completeExceptionally(failure));
            } else if (gone.size() < DROPPED_AT_ONCE) {
                answer(answerOn, () -> dropped.complete(null));
            } else {
                dropSome(owner, answerOn, dropped);
            }
        });
    }

    /** Deletes a queue that has reached its own end; nothing happens where it is gone already. */
    public void deleteQueue(long id) {
        decide(() -> machine.deleteQueue(id), Runnable::run);
    }

    private CompletionStage<List<TopologyOutcome>> decide(Supplier<Decision> machineCall, Executor answerOn) {
        CompletableFuture<List<TopologyOutcome>> answer = new CompletableFuture<>();
        loop.post(() -> {
            try {
                if (failure != null) {
                    throw cannotKeep();
                }
                keep(machineCall.get(), answer, answerOn);
            } catch (BrokerException refusal) {
                answer(answerOn, () -> answer.completeExceptionally(refusal));
            } catch (RuntimeException | AssertionError fault) {
                log.error(
                        "A fault in a change of the topology: this is a defect, please report it with this trace",
                        fault);
                answer(
                        answerOn,
                        () -> answer.completeExceptionally(BrokerException.connection(
                                ErrorKind.INTERNAL_ERROR, "a fault of the broker, see its log")));
            }
        });
        return answer;
    }

    private void keep(Decision decision, CompletableFuture<List<TopologyOutcome>> answer, Executor answerOn) {
        assert loop.owns();
        machine.apply(decision);
        List<TopologyRecord> logged = new ArrayList<>(decision.records().size());
        for (TopologyRecord fact : decision.records()) {
            if (fact.logged()) {
                logged.add(fact);
            }
        }
        Pending waiting = new Pending(decision, answer, answerOn);
        pending.add(waiting);
        if (logged.isEmpty()) {
            durable(waiting);
        } else {
            topologyLog.append(logged, () -> loop.run(() -> durable(waiting)));
        }
    }

    private void durable(Pending waiting) {
        assert loop.owns();
        waiting.durable = true;
        for (Pending first = pending.peek(); first != null && first.durable; first = pending.peek()) {
            pending.remove();
            show(first);
        }
    }

    private void show(Pending shown) {
        Decision decision = shown.decision;
        decision.added().forEach(listener::queueAdded);
        current = decision.after();
        decision.changed().forEach(listener::queueChanged);
        decision.removed().forEach(listener::queueRemoved);
        answer(shown.answerOn, () -> shown.answer.complete(decision.outcomes()));
    }

    private static void answer(Executor answerOn, Runnable completion) {
        try {
            answerOn.execute(completion);
        } catch (RejectedExecutionException stopped) {
            log.debug("Nobody is left to hear of a change of the topology", stopped);
        }
    }

    /** A decision that readers do not see yet. */
    private static final class Pending {
        private final Decision decision;
        private final CompletableFuture<List<TopologyOutcome>> answer;
        private final Executor answerOn;
        private boolean durable;

        Pending(Decision decision, CompletableFuture<List<TopologyOutcome>> answer, Executor answerOn) {
            this.decision = decision;
            this.answer = answer;
            this.answerOn = answerOn;
        }
    }
}
