package org.entrepot.core.queue;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.seeded.SeededRandom;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;

/**
 * A client's session in a simulation: publishes, consumes, settles and pulls as it likes, crashes, and lends places of its
 * window as sessions do.
 */
final class SimulatedSession implements Publisher {
    private static final int NO_LIMIT = 1 << 30;

    private final Simulation simulation;
    private final SeededRandom random;
    private final String name;
    private long published;
    /** Deliveries to be settled. */
    private final Map<SimulatedQueue, TreeSet<Long>> held = new LinkedHashMap<>();

    private final Map<QueueConsumer, SimulatedQueue> consumers = new LinkedHashMap<>();
    private final Map<QueueConsumer, Long> bytesToGrant = new LinkedHashMap<>();
    private final Set<SimulatedQueue> touched = new LinkedHashSet<>();
    /** Consumers that want places, and how many. */
    private final Map<QueueConsumer, Integer> wanted = new HashMap<>();

    private final ArrayDeque<QueueConsumer> wanting = new ArrayDeque<>();
    private int windowSize;
    private int windowFree;
    private boolean windowShrank;
    private boolean crashed;
    private boolean obliging;

    SimulatedSession(Simulation simulation, String name) {
        this.simulation = simulation;
        this.random = simulation.random();
        this.name = name;
        if (random.percent(40)) {
            resizeWindow(random.between(1, 6));
        }
    }

    int windowSize() {
        return windowSize;
    }

    int windowFree() {
        return windowFree;
    }

    /** Whether more can never have been held than there are places now. */
    boolean windowNeverShrank() {
        return windowSize > 0 && !windowShrank;
    }

    // What it does.

    /** Whatever it likes. */
    void act() {
        int choice = random.below(100);
        if (crashed) {
            return;
        }
        if (choice < 30) {
            publish(simulation.anyQueue());
        } else if (choice < 33) {
            transact();
        } else if (choice < 40) {
            consume(simulation.anyQueue());
        } else if (choice < 65) {
            settleSome();
        } else if (choice < 75) {
            grantSome();
        } else if (choice < 82) {
            pull(simulation.anyQueue());
        } else if (choice < 86 && !consumers.isEmpty()) {
            QueueConsumer consumer = random.oneOf(List.copyOf(consumers.keySet()));
            SimulatedQueue queue = consumers.remove(consumer);
            bytesToGrant.remove(consumer);
            wanting.remove(consumer);
            send(queue, () -> queue.detach(consumer));
        } else if (choice < 89) {
            resizeWindow(random.percent(30) ? 0 : random.between(1, 6));
        } else if (choice < 91) {
            SimulatedQueue queue = simulation.anyQueue();
            send(queue, queue::used);
        } else if (choice < 92) {
            crash();
        }
    }

    private void publish(SimulatedQueue queue) {
        for (int i = random.between(1, 5); i > 0; i--) {
            Message message = TestMessages.of(name + "-" + (published + 1), random.between(8, 40));
            Envelope envelope = TestMessages.envelope(
                    random.percent(60),
                    random.percent(50) ? Envelope.NO_PRIORITY : random.below(5),
                    random.percent(75) ? Envelope.NO_TTL : random.below(200));
            long number = ++published;
            send(queue, () -> queue.enqueue(message, envelope, this, number));
        }
    }

    private void transact() {
        SimulatedTransaction transaction = simulation.begin();
        for (SimulatedQueue queue : simulation.queues()) {
            TransactionPart part = transaction.part(queue, this);
            for (int i = random.below(3); i > 0; i--) {
                part.publish(
                        TestMessages.of(name + "-t", random.between(8, 40)),
                        TestMessages.envelope(
                                random.percent(70),
                                random.percent(50) ? Envelope.NO_PRIORITY : random.below(5),
                                random.percent(75) ? Envelope.NO_TTL : random.below(200)));
            }
            TreeSet<Long> positions = held.getOrDefault(queue, new TreeSet<>());
            for (int i = random.below(3); i > 0 && !positions.isEmpty(); i--) {
                long from = positions.first();
                long to = from + random.below(4);
                positions.subSet(from, true, to, true).clear();
                part.settle(from, to, random.percent(50) ? Outcome.ACCEPTED : random.oneOf(Outcome.values()));
            }
        }
        transaction.prepare(this);
    }

    private void consume(SimulatedQueue queue) {
        boolean settled = random.percent(20);
        QueueConsumer.Terms terms = new QueueConsumer.Terms(
                settled,
                random.percent(5),
                random.between(-1, 1),
                random.percent(30) ? 0 : random.between(1, 5),
                windowSize > 0,
                random.percent(20) ? OptionalLong.of(random.between(50, 300)) : OptionalLong.empty());
        attach(queue, terms, random.oneOf(100, 300, 10_000));
    }

    void attach(SimulatedQueue queue, QueueConsumer.Terms terms, long bytes) {
        QueueConsumer consumer = new QueueConsumer(null, this, terms, bytes);
        consumers.put(consumer, queue);
        touched.add(queue);
        send(queue, () -> {
            if (queue.attach(consumer, terms.settled() ? 0 : terms.window(), bytes) != QueueMachine.Attached.YES) {
                simulation.pipes().send(queue, this, () -> consumers.remove(consumer));
            }
        });
    }

    private void pull(SimulatedQueue queue) {
        touched.add(queue);
        boolean settled = random.percent(30);
        send(queue, () -> queue.pull(this, settled));
    }

    private void settleSome() {
        for (SimulatedQueue queue : random.shuffled(List.copyOf(held.keySet()))) {
            TreeSet<Long> positions = held.get(queue);
            if (positions.isEmpty() || random.percent(30)) {
                continue;
            }
            Outcome outcome = random.percent(60) ? Outcome.ACCEPTED : random.oneOf(Outcome.values());
            long from = random.percent(70) ? positions.first() : random.oneOf(List.copyOf(positions));
            // Sometimes more than one position, sometimes also what is held by others or under way.
            long to = from + (random.percent(50) ? 0 : random.below(10));
            positions.subSet(from, true, to, true).clear();
            send(queue, () -> queue.settle(this, from, to, outcome));
        }
    }

    private void grantSome() {
        for (QueueConsumer consumer : List.copyOf(bytesToGrant.keySet())) {
            if (obliging || random.percent(60)) {
                long bytes = bytesToGrant.remove(consumer);
                SimulatedQueue queue = consumers.get(consumer);
                if (queue != null) {
                    send(queue, () -> queue.grantBytes(consumer, bytes));
                }
            }
        }
    }

    /** Its connection breaks: nobody hears of it any more, and the queues are told. */
    void crash() {
        vanish();
        for (SimulatedQueue queue : touched) {
            send(queue, () -> queue.release(this));
        }
        simulation.crashed(this);
    }

    /** It is gone, and there is nobody who could be told. */
    void vanish() {
        crashed = true;
        consumers.clear();
        held.clear();
        wanting.clear();
        windowSize = 0;
        windowFree = 0;
    }

    /** From now on it does what it can for everything to come to an end; whether there was anything. */
    boolean settleDown() {
        obliging = true;
        boolean any = simulation.pipes().arrive(this, 10, random);
        for (Map.Entry<SimulatedQueue, TreeSet<Long>> each : held.entrySet()) {
            for (Long position : each.getValue()) {
                SimulatedQueue queue = each.getKey();
                send(queue, () -> queue.settle(this, position, position, Outcome.ACCEPTED));
                any = true;
            }
            each.getValue().clear();
        }
        any |= !bytesToGrant.isEmpty();
        grantSome();
        return any;
    }

    private void resizeWindow(int size) {
        boolean before = windowSize > 0;
        int newSize = size == 0 && before ? NO_LIMIT : size;
        // What is under way when consumers begin to share cannot be called back.
        windowShrank |= newSize < windowSize || (!before && !touched.isEmpty());
        windowFree += newSize - windowSize;
        windowSize = newSize;
        if (!before && newSize > 0) {
            consumers.forEach((consumer, queue) -> send(queue, () -> queue.share(consumer, true)));
        }
        lend();
    }

    private void send(SimulatedQueue queue, Runnable what) {
        simulation.pipes().send(this, queue, what);
    }

    // What it hears.

    void hear() {
        simulation.pipes().arrive(this, random.between(1, 4), random);
    }

    void delivered(SimulatedQueue queue, QueueConsumer consumer, List<Long> positions, long bytes) {
        if (crashed) {
            return;
        }
        if (!consumer.settled()) {
            held.computeIfAbsent(queue, any -> new TreeSet<>()).addAll(positions);
        }
        if (consumers.containsKey(consumer)) {
            bytesToGrant.merge(consumer, bytes, Long::sum);
        }
    }

    void pulled(SimulatedQueue queue, long position, boolean settled) {
        if (!crashed && !settled) {
            held.computeIfAbsent(queue, any -> new TreeSet<>()).add(position);
        }
    }

    void wants(SimulatedQueue queue, QueueConsumer consumer, int messages) {
        if (!crashed && consumers.containsKey(consumer)) {
            wanted.put(consumer, messages);
            if (!wanting.contains(consumer)) {
                wanting.add(consumer);
            }
            lend();
        }
    }

    void unused(int places) {
        if (!crashed) {
            windowFree += places;
            lend();
        }
    }

    private void lend() {
        while (windowFree > 0 && !wanting.isEmpty()) {
            int share = Math.max(1, windowFree / wanting.size());
            QueueConsumer consumer = wanting.remove();
            int places = Math.min(share, wanted.get(consumer));
            windowFree -= places;
            SimulatedQueue queue = consumers.get(consumer);
            send(queue, () -> queue.lend(consumer, places));
        }
    }

    void revoked(QueueConsumer consumer) {
        consumers.remove(consumer);
        bytesToGrant.remove(consumer);
        wanting.remove(consumer);
    }

    /** It held something too long: that ends a session. */
    void late() {
        if (!crashed && !obliging) {
            crash();
        }
    }

    @Override
    public Loop loop() {
        throw new AssertionError("a simulation has no loops");
    }

    @Override
    public void receipt(long number, boolean stored) {
        throw new AssertionError("receipts are checked where they are given");
    }

    @Override
    public void hold() {
        throw new AssertionError("a machine holds nobody");
    }

    @Override
    public void resume() {
        throw new AssertionError("a machine holds nobody");
    }
}
