package org.entrepot.core.queue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.entrepot.core.queue.ModelQueue.Command;
import org.entrepot.core.queue.ModelQueue.Entry;
import org.entrepot.core.queue.ModelQueue.Place;
import org.entrepot.core.seeded.SeededRandom;
import org.entrepot.core.storage.KeepingLog;
import org.entrepot.core.storage.KeepingStorage;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * A queue's loop in a simulation: the machine, a log that is durable later, may fail and outlives a process, and a model
 * that follows what the machine says. Tells invariants of everything.
 */
final class SimulatedQueue implements QueueEffects, LogListener {
    private static final long ID = 1;

    private final Simulation simulation;
    private final SeededRandom random;
    private final String name;
    private final QueueRecords records = new QueueRecords();
    private KeepingStorage storage = KeepingStorage.lagging();
    private KeepingLog log;
    private ModelQueue model;
    private QueueMachine machine;
    private WaitingReceipts waiting = new WaitingReceipts();
    /** What was recorded since the process began. */
    private final List<Recorded> recorded = new ArrayList<>();

    /** What the process found when it began. */
    private final Map<Long, Entry> before = new TreeMap<>();

    private final Map<Long, Long> indexes = new HashMap<>();
    private final List<Purge> purges = new ArrayList<>();
    private final List<Pull> pullsLater = new ArrayList<>();
    /** Entries by position, also after they are gone. */
    private final Map<Long, Entry> everything = new HashMap<>();
    /** Entries by their publishes, also after they are gone. */
    private final Map<Publisher, Map<Long, Entry>> stored = new HashMap<>();

    private final Map<Publisher, List<Long>> offered = new LinkedHashMap<>();
    private final Set<Entry> unwatched = new HashSet<>();
    /** Dead letters that are out of memory and not published yet. */
    private final Set<Entry> unread = new HashSet<>();
    /** Parts of transactions that are not decided, as far as the machine knows. */
    private final List<TransactionPart> undecided = new ArrayList<>();
    /** The records of those that were committed. */
    private final Map<LogTransaction, Long> committed = new HashMap<>();
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
    private long wakeAt = Long.MAX_VALUE;
    private boolean onlyTicked;

    /** The records that a purge made. */
    private record Purge(long first, long last) {}

    private record Pull(SimulatedSession session, boolean settled) {}

    /** Something that a model does when it is started anew, with the record that stands for it. */
    private record Recorded(long index, Consumer<NavigableMap<Long, Entry>> entries) {}

    SimulatedQueue(Simulation simulation, String name, QueueSpec spec) {
        this.simulation = simulation;
        this.random = simulation.random();
        this.name = name;
        this.evicts = random.percent(25);
        open(spec);
    }

    private void open(QueueSpec spec) {
        log = (KeepingLog) storage.open(ID, true, this, Runnable::run);
        machine = new QueueMachine(spec, this, new LogEntries(log), true, simulation.now());
        ThisMustWork ended = new ThisMustWork();
        log.replay(new QueueReplay(log::release, machine, ended));
        if (ended.muddled) {
            checkpointWanted();
        }
        model = new ModelQueue(name, spec, machine.state());
        model.now = simulation.now();
        model.lastUsed = simulation.now();
    }

    /** Nothing is wrong with what was written. */
    private static final class ThisMustWork implements QueueReplay.Ended {
        private boolean muddled;

        @Override
        public void recovered(boolean tellsOfWhatWasNotSo) {
            muddled = tellsOfWhatWasNotSo;
        }

        @Override
        public void unreadable(String reason) {
            throw new AssertionError(reason);
        }
    }

    /** Any record that may be the last that is on the disk when the process ends now. */
    long anyCut() {
        return cutAt(durable + random.below((int) (log.index() - durable) + 1));
    }

    /** The last record that is on the disk where this one is. */
    long cutAt(long cut) {
        // That is one record to the queue and many to the log; of half a purge, bytes are counted wrongly until it is
        // empty.
        return purges.stream()
                .filter(purge -> purge.first <= cut && cut < purge.last)
                .mapToLong(Purge::last)
                .findAny()
                .orElse(cut);
    }

    /** The process ends with some of what is not durable yet on the disk, and another begins. */
    void restart(long kept) {
        if (model.deleted) {
            return;
        }
        NavigableMap<Long, Entry> survivors = new TreeMap<>();
        before.forEach((position, entry) -> survivors.put(position, entry));
        recorded.stream().filter(each -> each.index <= kept).forEach(each -> each.entries.accept(survivors));
        QueueSpec spec = model.spec;
        log.crash(kept);
        storage = storage.restarted();
        forgetTheProcess();
        open(spec);
        survivors.values().stream().filter(entry -> entry.envelope.durable()).forEach(entry -> {
            Entry again = entry.asItCame();
            again.returns = entry.returns;
            again.condemned = entry.condemned;
            if (again.condemned) {
                again.place = Place.DYING;
                unread.add(again);
            }
            model.entries.put(again.position, again);
            before.put(again.position, entry);
            everything.put(again.position, again);
        });
        model.now = simulation.now();
        command(new Command(Command.Kind.RESUME, null, 0, 0, null, false), machine::resume);
        endPass();
    }

    private void forgetTheProcess() {
        waiting = new WaitingReceipts();
        recorded.clear();
        before.clear();
        indexes.clear();
        pullsLater.clear();
        purges.clear();
        stored.clear();
        offered.clear();
        unwatched.clear();
        unread.clear();
        undecided.clear();
        committed.clear();
        taken.clear();
        served.clear();
        news.clear();
        durable = 0;
        failed = false;
        wakeAt = Long.MAX_VALUE;
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

    KeepingLog log() {
        return log;
    }

    Map<Publisher, List<Long>> offered() {
        return offered;
    }

    boolean isLoading() {
        return log.isLoading();
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

    /** What a restart makes of what was recorded, if all of it is on the disk. */
    QueueMachine replayed() {
        QueueMachine again = new QueueMachine(model.spec, this, new LogEntries(log), true, simulation.now());
        log.tellAll(new QueueReplay((from, to) -> {}, again, new ThisMustWork()));
        return again;
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
        if (random.percent(3) && !model.deleted) {
            checkpointWanted();
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
        log.becomeDurable(index);
    }

    private void load(int entries) {
        log.answerLoad(entries);
        List<Pull> pulls = List.copyOf(pullsLater);
        pullsLater.clear();
        pulls.forEach(each -> pull(each.session, each.settled));
    }

    /** Entries leave memory, as those of a long backlog do. */
    private void evict() {
        for (Entry entry : model.entries.values()) {
            if (random.percent(30)) {
                log.unload(entry.position, entry.position);
            }
        }
    }

    // What the log says.

    @Override
    public void loaded(long from, long to) {
        machine.loaded(from, to, simulation.now());
    }

    @Override
    public void lost(long from, long to) {
        throw new AssertionError("nothing is lost here");
    }

    @Override
    public void durable(long index) {
        waiting.answerUpTo(index, this::answer, true);
    }

    @Override
    public void checkpointWanted() {
        if (!undecided.isEmpty()) {
            return;
        }
        ByteBuf state = Unpooled.buffer();
        QueueCheckpoint.write(machine.state(), machine.expiry(), state);
        log.checkpoint(state);
        machine.state().checkpointed();
    }

    @Override
    public void failed(String reason) {
        throw new AssertionError("the simulation fails logs itself");
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
            pullsLater.removeIf(pull -> pull.session == session);
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

    // Transactions.

    LogTransaction begin() {
        return storage.begin();
    }

    /** Whether it was not told yet of a transaction that was committed. */
    boolean hasNewsOfTransactions() {
        return !committed.isEmpty();
    }

    boolean prepare(TransactionPart part) {
        boolean[] taken = new boolean[1];
        command(new Command(Command.Kind.PREPARE, part.session(), 0, 0, null, false), () -> {
            long refused = machine.counters().refused;
            taken[0] = machine.prepare(part, simulation.now());
            model.refused += machine.counters().refused - refused;
        });
        if (taken[0] && !part.isEmpty()) {
            undecided.add(part);
        }
        return taken[0];
    }

    /** The log has it from now on; the queue hears of it a little later. */
    @Override
    public void committed(LogTransaction transaction) {
        long index = log.index();
        committed.put(transaction, index);
        TransactionPart part = undecided.stream()
                .filter(each -> each.transaction() == transaction)
                .findFirst()
                .orElseThrow();
        recorded.add(new Recorded(index, entries -> survive(part, entries)));
        simulation.pipes().send(log, this, () -> committed(transaction, part));
    }

    private void survive(TransactionPart part, NavigableMap<Long, Entry> entries) {
        for (int i = 0; i < part.prepared(); i++) {
            long position = part.position(i);
            entries.put(position, everything.get(position).asItCame());
        }
        for (TransactionPart.Fate fate : part.fates()) {
            if (fate instanceof TransactionPart.Gone) {
                entries.remove(fate.position());
            } else {
                entries.computeIfPresent(fate.position(), (any, there) -> {
                    if (fate instanceof TransactionPart.Returns returns) {
                        there.returns = returns.failures();
                    }
                    there.condemned = fate instanceof TransactionPart.Dies;
                    return there;
                });
            }
        }
    }

    /** The record of a transaction that was committed, if the queue has a part in it. */
    Optional<Long> committedBy(LogTransaction transaction) {
        return Optional.ofNullable(committed.get(transaction));
    }

    private void committed(LogTransaction transaction, TransactionPart part) {
        committed.remove(transaction);
        undecided.remove(part);
        command(Command.OTHER, () -> {
            if (!model.deleted) {
                for (int i = 0; i < part.prepared(); i++) {
                    model.get(part.position(i)).place = Place.READY;
                    model.published++;
                }
                part.fates().forEach(this::follow);
            }
            machine.committed(part);
        });
    }

    private void follow(TransactionPart.Fate fate) {
        Entry entry = model.get(fate.position());
        if (fate instanceof TransactionPart.Gone gone) {
            model.acknowledged += gone.reason() == null ? 1 : 0;
            model.dropped += gone.reason() == null ? 0 : 1;
            model.entries.remove(entry.position);
        } else if (fate instanceof TransactionPart.Dies) {
            entry.place = Place.DYING;
            entry.condemned = true;
            model.dropped++;
            unread.add(entry);
        } else if (fate instanceof TransactionPart.Returns returns) {
            comeBack(entry, returns.failures());
        }
    }

    private void comeBack(Entry entry, int failures) {
        entry.place = Place.READY;
        entry.returns = failures;
        entry.consumer = null;
        entry.session = null;
        unwatched.remove(entry);
        model.returned++;
    }

    void giveUp(TransactionPart part) {
        undecided.remove(part);
        command(new Command(Command.Kind.GIVE_UP, part.session(), 0, 0, null, false), () -> machine.givenUp(part));
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
            if (left == QueueMachine.LATER) {
                pullsLater.add(new Pull(session, settled));
            } else if (left != QueueMachine.NOTHING && left != model.count(Place.READY)) {
                throw new AssertionError("a pull says that " + left + " are left of " + model.entries.values());
            }
        });
    }

    void purge() {
        if (!undecided.isEmpty()) {
            // The checkpoint that ends a purge would come later, and bytes be counted wrongly by a restart before that.
            return;
        }
        command(new Command(Command.Kind.PURGE, null, 0, 0, null, false), () -> {
            long before = model.entries.size();
            long first = log.index() + 1;
            long purged = machine.purge(simulation.now());
            purges.add(new Purge(first, log.index()));
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
            noteUnreadLetters(command);
            simulation.invariants().forEach(invariant -> invariant.commanded(model));
        }
        model.command = Command.OTHER;
    }

    /** Entries that die while they are out of memory: they are published when they were read. */
    private void noteUnreadLetters(Command command) {
        for (Entry entry : model.in(Place.HELD)) {
            if (machine.state().isDying(entry.position)) {
                boolean rejected = command.settles(entry) && command.outcome() == Outcome.REJECTED;
                die(entry, rejected ? DeathReason.REJECTED : DeathReason.DELIVERY_LIMIT);
                unread.add(entry);
            }
        }
    }

    private void die(Entry entry, DeathReason reason) {
        simulation.invariants().forEach(invariant -> invariant.dying(model, entry, reason));
        entry.place = Place.DYING;
        model.dropped++;
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
        long index = log.append(position, stamp, message, envelope, annotations, envelope.durable());
        indexes.put(position, index);
        waiting.appended(index);
        recorded.add(new Recorded(index, entries -> entries.put(position, entry.asItCame())));
        return !envelope.durable();
    }

    @Override
    public void settled(long from, long to, long lastingBytes) {
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
        if (lastingBytes > 0 && from < machine.state().checkpointTail()) {
            log.append(records.left(from, to, lastingBytes), false);
        }
        log.release(from, to);
        recorded.add(new Recorded(
                log.index(), entries -> entries.subMap(from, true, to, true).clear()));
    }

    @Override
    public void emptied() {
        if (machine.state().checkpointTail() > 0) {
            checkpointWanted();
        }
    }

    @Override
    public void returned(long position, int failures) {
        Entry entry = model.get(position);
        simulation.invariants().forEach(invariant -> invariant.returning(model, entry, failures));
        comeBack(entry, failures);
        long index = log.append(records.returned(position, failures), false);
        recorded.add(new Recorded(
                index,
                entries -> entries.computeIfPresent(position, (any, there) -> {
                    there.returns = failures;
                    return there;
                })));
    }

    @Override
    public void append(LogTransaction in, long position, long stamp, Message message, Envelope envelope) {
        Entry entry = new Entry(position, stamp, message, envelope, null, 0, model.laneOf(envelope));
        simulation.invariants().forEach(invariant -> invariant.appended(model, entry));
        entry.place = Place.UNDECIDED;
        model.entries.put(position, entry);
        everything.put(position, entry);
        log.append(in, position, stamp, message, envelope, Annotations.NONE, envelope.durable());
    }

    @Override
    public void settled(LogTransaction in, long from, long to, long lastingBytes) {
        for (long position = from; position <= to; position++) {
            settling(position);
        }
        if (lastingBytes > 0 && from < machine.state().checkpointTail()) {
            log.append(in, records.left(from, to, lastingBytes));
        }
        log.release(in, from, to);
    }

    @Override
    public boolean erased(RoutingKey key, long below, boolean asDurable) {
        throw new AssertionError("no queue of the simulation is a table");
    }

    @Override
    public void erased(LogTransaction in, RoutingKey key, long below) {
        throw new AssertionError("no queue of the simulation is a table");
    }

    @Override
    public void returned(LogTransaction in, long position, int failures) {
        settling(position);
        log.append(in, records.returned(position, failures));
    }

    @Override
    public void dies(LogTransaction in, long position, DeathReason reason, int lane, int bytes) {
        settling(position);
        log.append(in, records.dies(position, reason, lane, bytes));
    }

    private void settling(long position) {
        Entry entry = model.get(position);
        if (entry.place != Place.HELD || entry.session != model.command.session()) {
            throw new AssertionError(entry + " is settled by somebody who does not hold it");
        }
        entry.place = Place.SETTLING;
    }

    @Override
    public void givenUp(long position) {
        model.entries.remove(position);
        log.release(position, position);
    }

    @Override
    public void load(long from) {
        log.load(from, 0);
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
            if (!unread.remove(entry)) {
                die(entry, reason);
            }
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
