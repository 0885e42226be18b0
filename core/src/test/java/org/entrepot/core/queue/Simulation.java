package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.entrepot.core.seeded.Pipes;
import org.entrepot.core.seeded.SeededRandom;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;

/**
 * Some queues, some sessions, a clock, and chance: one seed's history of a node. Everything that is said from one to the
 * other takes its time.
 */
final class Simulation {
    private static final int STEPS = 1_500;
    /** Steps in which everything must have come to an end. */
    private static final int STEPS_TO_END = 1_000;

    private final SeededRandom random;
    private final Pipes pipes = new Pipes();
    private final List<QueueInvariant> invariants;
    private final List<SimulatedQueue> queues = new ArrayList<>();
    private final List<SimulatedSession> sessions = new ArrayList<>();
    private final List<Letter> lettersLater = new ArrayList<>();
    private final List<SimulatedTransaction> transactions = new ArrayList<>();
    private final boolean logsFail;
    private final boolean restarts;
    private final int deletions;
    private long now;
    private int sessionsMade;

    Simulation(SeededRandom random, List<QueueInvariant> invariants) {
        this.random = random;
        this.invariants = invariants;
        this.now = random.below(1_000);
        this.logsFail = random.percent(10);
        this.restarts = random.percent(40);
        this.deletions = random.percent(20) ? 1 : 0;
        for (int i = random.between(1, 3); i > 0; i--) {
            queues.add(new SimulatedQueue(this, "queue " + i, anySpec(random.percent(30) ? 3 : 1)));
        }
        for (int i = random.between(1, 4); i > 0; i--) {
            connect();
        }
    }

    SeededRandom random() {
        return random;
    }

    Pipes pipes() {
        return pipes;
    }

    List<QueueInvariant> invariants() {
        return invariants;
    }

    List<SimulatedQueue> queues() {
        return queues;
    }

    List<SimulatedSession> sessions() {
        return sessions;
    }

    long now() {
        return now;
    }

    boolean logsFail() {
        return logsFail;
    }

    SimulatedQueue anyQueue() {
        return random.oneOf(queues);
    }

    private SimulatedSession connect() {
        SimulatedSession session = new SimulatedSession(this, "s" + ++sessionsMade);
        sessions.add(session);
        return session;
    }

    /** A session's connection broke; somebody else comes. */
    void crashed(SimulatedSession session) {
        sessions.remove(session);
        connect();
    }

    // The history.

    void run() {
        for (int step = 0; step < STEPS; step++) {
            step();
        }
        comeToAnEnd();
        invariants.forEach(invariant -> invariant.ended(this));
    }

    private void step() {
        int choice = random.below(100);
        if (choice < 50) {
            anyQueue().pass();
        } else if (choice < 75) {
            random.oneOf(sessions).act();
        } else if (choice < 92) {
            random.oneOf(sessions).hear();
            if (!transactions.isEmpty()) {
                pipes.arrive(random.oneOf(transactions), 2, random);
            }
        } else if (choice < 97) {
            now += random.percent(80) ? random.below(20) : random.below(200);
        } else if (choice < 98) {
            publishLaterOnes();
        } else {
            operate(anyQueue());
        }
    }

    /** What operators do to queues now and then. */
    private void operate(SimulatedQueue queue) {
        int choice = random.below(100);
        if (restarts && random.percent(30)) {
            restart();
        } else if (choice < 40) {
            pipes.send(this, queue, queue::purge);
        } else if (choice < 90) {
            pipes.send(
                    this,
                    queue,
                    () -> queue.reconfigure(anySpec(queue.model().spec.priorities())));
        } else if (choice < 90 + deletions * 10) {
            pipes.send(this, queue, queue::delete);
        }
    }

    /** The node's process ends at once and another begins: clients, and what was under way, are gone. */
    private void restart() {
        int clients = sessions.size();
        sessions.forEach(SimulatedSession::vanish);
        sessions.clear();
        pipes.clear();
        lettersLater.clear();
        Map<SimulatedQueue, Long> survives = new LinkedHashMap<>();
        queues.forEach(queue -> survives.put(queue, queue.anyCut()));
        while (transactions.stream().anyMatch(each -> each.raise(survives))) {
            // Until each of them is there or not.
        }
        transactions.clear();
        survives.forEach(SimulatedQueue::restart);
        for (int i = 0; i < clients; i++) {
            connect();
        }
    }

    /** Nobody begins anything new; what is there goes to whoever wants it, until nothing is left. */
    private void comeToAnEnd() {
        for (SimulatedSession session : List.copyOf(sessions)) {
            // What nobody would ever take stands in the way of a proof that nothing is stuck.
            if (random.percent(30)) {
                session.crash();
            }
        }
        for (SimulatedQueue queue : queues) {
            // Dead letters may go round for ever.
            pipes.send(this, queue, () -> queue.reconfigure(withoutDeadLetters(queue.model().spec)));
        }
        settleDown();
        for (SimulatedQueue queue : queues) {
            SimulatedSession drain = connect();
            boolean shared = drain.windowSize() > 0;
            drain.attach(queue, new QueueConsumer.Terms(false, false, 9, 0, shared, OptionalLong.empty()), 1_000_000);
        }
        settleDown();
    }

    private void settleDown() {
        for (int step = 0; step < STEPS_TO_END; step++) {
            boolean any = false;
            for (SimulatedSession session : sessions) {
                any |= session.settleDown();
            }
            for (SimulatedQueue queue : queues) {
                any |= queue.settleDown();
            }
            for (SimulatedTransaction transaction : transactions) {
                any |= pipes.arrive(transaction, 10, random);
            }
            if (!lettersLater.isEmpty()) {
                publishLaterOnes();
                any = true;
            }
            if (!any) {
                return;
            }
            now += random.below(5);
        }
        throw new AssertionError("it does not come to an end");
    }

    /** A transaction that goes on by itself. */
    SimulatedTransaction begin() {
        SimulatedTransaction begun =
                new SimulatedTransaction(this, queues.get(0).begin());
        transactions.add(begun);
        return begun;
    }

    // Dead letters.

    /** Publishes a dead letter to some queue, or to none. */
    void publish(Letter letter) {
        if (random.percent(20)) {
            pipes.send(letter.from(), letter.from(), () -> letter.from().deadLettered(letter, false));
            return;
        }
        SimulatedQueue to = anyQueue();
        pipes.send(
                letter.from(),
                to,
                () -> to.enqueue(letter.message(), letter.envelope(), new Letter.Receipts(letter), 1));
    }

    void publishLater(Letter letter) {
        lettersLater.add(letter);
    }

    private void publishLaterOnes() {
        List<Letter> letters = List.copyOf(lettersLater);
        lettersLater.clear();
        letters.forEach(this::publish);
    }

    // Queues.

    private QueueSpec anySpec(int priorities) {
        QueueLimits limits = new QueueLimits(
                random.percent(30) ? OptionalLong.of(random.below(15)) : OptionalLong.empty(),
                random.percent(15) ? OptionalLong.of(random.below(400)) : OptionalLong.empty(),
                random.oneOf(QueueLimits.Overflow.values()),
                random.percent(25) ? OptionalLong.of(random.below(300)) : OptionalLong.empty(),
                random.percent(5) ? OptionalLong.of(random.between(50, 500)) : OptionalLong.empty());
        DeadLetter deadLetter =
                random.percent(50) ? new DeadLetter("dlx", RoutingKey.of("dead"), random.percent(40)) : null;
        return new QueueSpec(
                "q",
                true,
                false,
                random.percent(5),
                false,
                limits,
                deadLetter,
                priorities,
                priorities / 2,
                random.percent(25),
                random.percent(30) ? OptionalInt.of(random.below(3)) : OptionalInt.empty(),
                OptionalLong.empty(),
                Retention.SETTLED,
                Map.of());
    }

    private static QueueSpec withoutDeadLetters(QueueSpec spec) {
        return new QueueSpec(
                spec.name(),
                spec.durable(),
                spec.exclusive(),
                spec.autoDelete(),
                spec.replicated(),
                spec.limits(),
                null,
                spec.priorities(),
                spec.defaultPriority(),
                spec.singleActiveConsumer(),
                spec.deliveryLimit(),
                spec.leaseMillis(),
                Retention.SETTLED,
                spec.extras());
    }
}
