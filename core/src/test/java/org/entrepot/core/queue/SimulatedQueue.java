package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.entrepot.core.queue.ModelQueue.Command;
import org.entrepot.core.queue.ModelQueue.Entry;
import org.entrepot.core.queue.ModelQueue.Place;
import org.entrepot.core.seeded.SeededRandom;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * A queue's loop in a simulation: the machine, a log that is durable later and may fail, and a model that follows what the
 * machine says. Tells invariants of everything.
 */
final class SimulatedQueue implements QueueEffects {
    private final Simulation simulation;
    private final SeededRandom random;
    private final ModelQueue model;
    private final QueueMachine machine;
    private final SimulatedLog log = new SimulatedLog();
    private final WaitingReceipts waiting = new WaitingReceipts();
    private final List<Consumer<QueueState>> records = new ArrayList<>();
    private final Map<Long, Long> indexes = new HashMap<>();
    /** Entries by position, also after they are gone. */
    private final Map<Long, Entry> everything = new HashMap<>();
    /** Entries by their publishes, also after they are gone. */
    private final Map<Publisher, Map<Long, Entry>> stored = new HashMap<>();

    private final Map<Publisher, List<Long>> offered = new LinkedHashMap<>();
    private final Set<Entry> unwatched = new HashSet<>();
    /** Consumers that were not refused. */
    private final Set<QueueConsumer> taken = new HashSet<>();
    /** What was handed out, and said to consumers, since the last pass ended. */
    private final Map<QueueConsumer, List<Long>> served = new LinkedHashMap<>();

    private final List<Runnable> news = new ArrayList<>();
    private final boolean evicts;
    private @Nullable Publisher publishing;
    private long publishingNumber;
    private boolean publishingRefused;
    private long durable;
    private boolean failed;
    private long loadFrom = -1;
    private long wakeAt = Long.MAX_VALUE;
    private boolean onlyTicked;

    SimulatedQueue(Simulation simulation, String name, QueueSpec spec) {
        this.simulation = simulation;
        this.random = simulation.random();
        this.machine = new QueueMachine(spec, this, log, simulation.now());
        this.model = new ModelQueue(name, spec, machine.state());
        this.model.now = simulation.now();
        this.model.lastUsed = simulation.now();
        this.evicts = random.percent(25);
    }

    Simulation simulation() {
        return simulation;
    }

    ModelQueue model() {
        return model;
    }

    QueueMachine machine() {
        return machine;
    }

    SimulatedLog log() {
        return log;
    }

    Map<Publisher, List<Long>> offered() {
        return offered;
    }

    boolean isLoading() {
        return loadFrom >= 0;
    }

    long wakeAt() {
        return wakeAt;
    }

    /** Whether the last pass did nothing but what was due. */
    boolean onlyTicked() {
        return onlyTicked;
    }

    /** Whether a held entry's deadline counts: its consumer was not told since. */
    boolean isWatched(Entry entry) {
        return entry.consumer != null && entry.consumer.leaseMillis().isPresent() && !unwatched.contains(entry);
    }

    /** Whether a publish is as safe as it asked for. */
    boolean isSafe(Publisher publisher, long number) {
        Entry entry = stored.get(publisher).get(number);
        return !entry.envelope.durable() || indexes.get(entry.position) <= durable;
    }

    /** The state that a restart makes of what was recorded. */
    QueueState replay() {
        QueueState state = new QueueState(
                new EverythingAppended(everything), model.spec.priorities(), model.spec.defaultPriority());
        records.forEach(record -> record.accept(state));
        return state;
    }

    /** Entries as a log has them that is read from its beginning. */
    private record EverythingAppended(Map<Long, Entry> all) implements Entries {
        @Override
        public Message message(long position) {
            return all.get(position).message;
        }

        @Override
        public Envelope envelope(long position) {
            return all.get(position).envelope;
        }

        @Override
        public Annotations annotations(long position) {
            return Annotations.NONE;
        }

        @Override
        public long stamp(long position) {
            return all.get(position).stamp;
        }
    }

    // The pass.

    /** One pass of the loop: some of what has arrived, or what the log says, or what is due. */
    void pass() {
        model.now = simulation.now();
        onlyTicked = false;
        if (wakeAt <= simulation.now() && random.percent(80)) {
            tick();
        } else if (random.percent(20)) {
            logSpeaks();
        } else {
            simulation.pipes().arrive(this, random.between(1, 4), random);
        }
        if (evicts && random.percent(20)) {
            evict();
        }
        endPass();
    }

    private void endPass() {
        machine.dispatch(simulation.now());
        passOn();
        simulation.invariants().forEach(invariant -> invariant.passed(this));
    }

    private void tick() {
        onlyTicked = true;
        wakeAt = Long.MAX_VALUE;
        machine.tick(simulation.now());
    }

    /** Everything that can happen here without anybody else, happens; whether anything did. */
    boolean settleDown() {
        model.now = simulation.now();
        onlyTicked = false;
        boolean any = simulation.pipes().arrive(this, 10, random);
        if (!failed && durable < log.index()) {
            becomeDurable(log.index());
            any = true;
        }
        if (isLoading()) {
            load(100);
            any = true;
        }
        if (wakeAt <= simulation.now()) {
            tick();
            any = true;
        }
        endPass();
        return any;
    }

    private void logSpeaks() {
        if (isLoading() && random.percent(50)) {
            load(random.between(1, 5));
        } else if (!failed && durable < log.index()) {
            if (simulation.logsFail() && random.percent(2)) {
                failed = true;
                waiting.answerUpTo(Long.MAX_VALUE, this::answer, false);
            } else {
                becomeDurable(durable + 1 + random.below((int) (log.index() - durable)));
            }
        }
    }

    private void becomeDurable(long index) {
        durable = index;
        waiting.answerUpTo(index, this::answer, true);
    }

    private void load(int entries) {
        log.load(loadFrom, entries);
        loadFrom = -1;
        machine.loaded(simulation.now());
    }

    /** Ready entries leave memory, as those of a long backlog do. */
    private void evict() {
        for (Entry entry : model.in(Place.READY)) {
            if (random.percent(30)) {
                log.evict(entry.position, entry.position);
            }
        }
    }

    private void passOn() {
        served.forEach((consumer, positions) -> {
            long bytes = 0;
            for (Long position : positions) {
                bytes += everything.get(position).message.size() + DeliveryBatch.OVERHEAD_BYTES;
            }
            long sum = bytes;
            List<Long> batch = List.copyOf(positions);
            send(consumer, session -> session.delivered(this, consumer, batch, sum));
        });
        served.clear();
        news.forEach(Runnable::run);
        news.clear();
    }

    private void send(QueueConsumer consumer, Consumer<SimulatedSession> what) {
        SimulatedSession session = (SimulatedSession) consumer.holder().session();
        simulation.pipes().send(this, session, () -> what.accept(session));
    }

    // Commands, as they arrive.

    void enqueue(Message message, Envelope envelope, Publisher publisher, long number) {
        publishing = publisher;
        publishingNumber = number;
        publishingRefused = true;
        offered.computeIfAbsent(publisher, any -> new ArrayList<>()).add(number);
        command(Command.OTHER, () -> {
            machine.enqueue(message, envelope, Annotations.NONE, publisher, number, simulation.now());
            if (publishingRefused && !model.deleted) {
                simulation.invariants().forEach(invariant -> invariant.refusing(model, message));
                model.refused++;
            }
        });
    }

    QueueMachine.Attached attach(QueueConsumer consumer, int window, long bytes) {
        QueueMachine.Attached[] answer = new QueueMachine.Attached[1];
        command(Command.OTHER, () -> {
            // The machine may speak of it before it answers.
            model.byteCredit.put(consumer, bytes);
            model.windows.put(consumer, window);
            answer[0] = machine.attach(consumer, simulation.now());
            if (answer[0] == QueueMachine.Attached.YES) {
                taken.add(consumer);
                model.consumers.add(consumer);
                model.lastUsed = simulation.now();
            }
        });
        return answer[0];
    }

    void detach(QueueConsumer consumer) {
        command(Command.OTHER, () -> {
            if (model.consumers.remove(consumer)) {
                ended();
                machine.detach(consumer, simulation.now());
            }
        });
    }

    void release(SimulatedSession session) {
        command(new Command(Command.Kind.RELEASE, session, 0, 0, null, false), () -> {
            if (model.consumers.removeIf(consumer -> consumer.holder().session() == session)) {
                ended();
            }
            machine.release(session, simulation.now());
        });
    }

    private void ended() {
        model.lastUsed = simulation.now();
        if (!model.consumers.contains(model.active)) {
            model.active = null;
        }
    }

    void settle(SimulatedSession session, long from, long to, Outcome outcome) {
        command(
                new Command(Command.Kind.SETTLE, session, from, to, outcome, false),
                () -> machine.settle(session, from, to, outcome));
    }

    void grantBytes(QueueConsumer consumer, long bytes) {
        command(Command.OTHER, () -> {
            model.byteCredit.merge(consumer, bytes, Long::sum);
            machine.grantBytes(consumer, bytes);
        });
    }

    void lend(QueueConsumer consumer, int places) {
        command(Command.OTHER, () -> machine.lend(consumer, places));
    }

    void share(QueueConsumer consumer, boolean shared) {
        // Sessions do not know a consumer that was refused.
        if (taken.contains(consumer)) {
            command(Command.OTHER, () -> machine.share(consumer, shared));
        }
    }

    void pull(SimulatedSession session, boolean settled) {
        command(Command.OTHER, () -> {
            model.lastUsed = simulation.now();
            long left = machine.pull(
                    session,
                    settled,
                    (position, returns, message, envelope, annotations) -> {
                        Entry entry = handOut(position, null, returns);
                        entry.session = session;
                        entry.settledByDelivery = settled;
                        simulation.pipes().send(this, session, () -> session.pulled(this, position, settled));
                    },
                    simulation.now());
            if (left != QueueMachine.NOTHING && left != model.count(Place.READY)) {
                throw new AssertionError("a pull says that " + left + " are left of " + model.entries.values());
            }
        });
    }

    void purge() {
        command(new Command(Command.Kind.PURGE, null, 0, 0, null, false), () -> {
            long before = model.entries.size();
            long purged = machine.purge(simulation.now());
            model.purged += purged;
            model.dropped -= purged;
            if (purged > before) {
                throw new AssertionError("a purge says that it removed " + purged + " of " + before);
            }
        });
    }

    void used() {
        command(Command.OTHER, () -> {
            model.lastUsed = simulation.now();
            machine.used(simulation.now());
        });
    }

    void deadLettered(Letter letter, boolean taken) {
        Command command =
                new Command(Command.Kind.DEAD_LETTERED, null, letter.position(), letter.position(), null, taken);
        command(command, () -> {
            if (taken && !model.deleted && letter.position() >= 0) {
                model.deadLettered++;
            }
            if (machine.deadLettered(letter.position(), taken)) {
                simulation.publishLater(letter);
            }
        });
    }

    void reconfigure(QueueSpec changed) {
        command(Command.OTHER, () -> {
            if (!changed.limits().idleMillis().equals(model.spec.limits().idleMillis())) {
                model.lastUsed = simulation.now();
            }
            model.spec = changed;
            if (!changed.singleActiveConsumer()) {
                model.active = null;
            }
            machine.reconfigure(changed, simulation.now());
        });
    }

    void delete() {
        command(Command.OTHER, () -> {
            machine.delete("deleted", simulation.now());
            if (!model.deleted) {
                model.deleted = true;
                model.consumers.clear();
                model.entries.clear();
                waiting.answerUpTo(Long.MAX_VALUE, this::answer, true);
            }
        });
    }

    private void command(Command command, Runnable doing) {
        model.command = command;
        doing.run();
        if (!model.deleted) {
            simulation.invariants().forEach(invariant -> invariant.commanded(model));
        }
        model.command = Command.OTHER;
    }

    // What the machine wants done.

    @Override
    public boolean append(long position, long stamp, Message message, Envelope envelope, Annotations annotations) {
        publishingRefused = false;
        Entry entry =
                new Entry(position, stamp, message, envelope, publishing, publishingNumber, model.laneOf(envelope));
        simulation.invariants().forEach(invariant -> invariant.appended(model, entry));
        model.entries.put(position, entry);
        model.published++;
        everything.put(position, entry);
        stored.computeIfAbsent(publishing, any -> new HashMap<>()).put(publishingNumber, entry);
        long index = log.append(position, stamp, message, envelope, annotations);
        indexes.put(position, index);
        waiting.appended(index);
        records.add(state -> state.enqueued(position, stamp, envelope, message.size()));
        return !envelope.durable();
    }

    @Override
    public void settled(long from, long to) {
        for (long position = from; position <= to; position++) {
            Entry entry = model.get(position);
            simulation.invariants().forEach(invariant -> invariant.leaving(model, entry));
            if (model.command.settles(entry) && model.command.outcome() == Outcome.ACCEPTED) {
                model.acknowledged++;
            }
            if (entry.place == Place.READY
                    || (entry.place == Place.HELD
                            && !entry.settledByDelivery
                            && !(model.command.settles(entry) && model.command.outcome() == Outcome.ACCEPTED))) {
                model.dropped++;
            }
            model.entries.remove(position);
        }
        log.release(from, to);
        records.add(state -> {
            for (long position = from; position <= to; position++) {
                state.settled(position);
            }
        });
    }

    @Override
    public void returned(long position, int failures) {
        Entry entry = model.get(position);
        simulation.invariants().forEach(invariant -> invariant.returning(model, entry, failures));
        entry.place = Place.READY;
        entry.returns = failures;
        entry.consumer = null;
        entry.session = null;
        unwatched.remove(entry);
        model.returned++;
        records.add(state -> state.returned(position, failures));
    }

    @Override
    public void load(long from) {
        if (isLoading()) {
            throw new AssertionError("asked to load from " + from + " and " + loadFrom);
        }
        loadFrom = from;
    }

    @Override
    public void deliver(
            QueueConsumer consumer,
            long position,
            int returns,
            Message message,
            Envelope envelope,
            Annotations annotations) {
        Entry entry = handOut(position, consumer, returns);
        entry.consumer = consumer;
        entry.session = consumer.holder().session();
        entry.settledByDelivery = consumer.settled();
        model.byteCredit.merge(consumer, -(long) (message.size() + DeliveryBatch.OVERHEAD_BYTES), Long::sum);
        served.computeIfAbsent(consumer, any -> new ArrayList<>()).add(position);
    }

    private Entry handOut(long position, @Nullable QueueConsumer consumer, int returns) {
        Entry entry = model.get(position);
        simulation.invariants().forEach(invariant -> invariant.delivering(model, entry, consumer, returns));
        entry.place = Place.HELD;
        entry.heldSince = simulation.now();
        model.delivered++;
        model.redelivered += entry.returns == ReturnCounts.NEVER ? 0 : 1;
        return entry;
    }

    @Override
    public void answer(Publisher publisher, long number, boolean ok) {
        simulation.invariants().forEach(invariant -> invariant.answered(this, publisher, number, ok));
        if (publisher instanceof Letter.Receipts letter) {
            simulation.pipes().send(this, letter.queue(), () -> letter.receipt(number, ok));
        }
    }

    @Override
    public void answerWhenDurable(Publisher publisher, long number) {
        if (failed) {
            answer(publisher, number, false);
        } else {
            waiting.add(publisher, number);
        }
    }

    @Override
    public void deadLetter(
            long position,
            DeathReason reason,
            DeadLetter to,
            Message message,
            Envelope envelope,
            Annotations annotations) {
        if (position >= 0) {
            Entry entry = model.get(position);
            simulation.invariants().forEach(invariant -> invariant.dying(model, entry, reason));
            entry.place = Place.DYING;
            model.dropped++;
        }
        simulation.publish(new Letter(this, position, message, envelope));
    }

    @Override
    public void wants(QueueConsumer consumer, int messages) {
        news.add(() -> send(consumer, session -> session.wants(this, consumer, messages)));
    }

    @Override
    public void unused(QueueConsumer consumer, int places) {
        news.add(() -> send(consumer, session -> session.unused(places)));
    }

    @Override
    public void active(QueueConsumer consumer, boolean active) {
        if (!model.spec.singleActiveConsumer() || model.active != null) {
            throw new AssertionError("two consumers are active");
        }
        model.active = consumer;
    }

    @Override
    public void revoked(QueueConsumer consumer, String reason) {
        news.add(() -> send(consumer, session -> session.revoked(consumer)));
    }

    @Override
    public void leaseExpired(QueueConsumer consumer, long leaseMillis) {
        boolean late = false;
        for (Entry entry : model.in(Place.HELD)) {
            if (entry.consumer == consumer) {
                late |= isWatched(entry) && entry.heldSince + leaseMillis <= simulation.now();
                unwatched.add(entry);
            }
        }
        if (!late) {
            throw new AssertionError("a consumer is said to be late and is not");
        }
        news.add(() -> send(consumer, SimulatedSession::late));
    }

    @Override
    public void wakeAt(long instant) {
        if (instant < simulation.now()) {
            throw new AssertionError("to be woken in the past");
        }
        wakeAt = instant;
    }

    @Override
    public void abandoned() {
        model.abandoned = true;
        simulation.pipes().send(this, this, this::delete);
    }
}
