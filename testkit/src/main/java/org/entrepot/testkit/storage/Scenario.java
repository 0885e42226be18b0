package org.entrepot.testkit.storage;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Death;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.jspecify.annotations.Nullable;

/**
 * One life of an engine, from its start to its end, in which a seed decides what is done to its logs. Writes the {@link
 * History}. Used by one thread, once.
 */
final class Scenario {
    private static final int LARGE_BYTES = 3 * 4096;
    private static final byte SCRIBBLE = (byte) 0xEE;

    private final StartedEngine started;
    private final History history;
    private final SplittableRandom random;
    private final RecordingDisk disk;
    private final List<TestedLog> logs = new ArrayList<>();
    /** Distinguishes what is made here from all that was made in other lives. */
    private final long lifeId;

    /** In so many of a hundred steps something is waited for: engines sync many small things, or few that are large. */
    private final int patience;

    /** What was begun and is neither committed nor given up. */
    private @Nullable OpenTransaction pending;

    private long made;
    private long clock;

    /** A life on a disk that holds what a history says. */
    Scenario(StorageFactory factory, RecordingDisk disk, History history, long seed) {
        this(new StartedEngine(factory, disk), disk, history, seed);
    }

    /** The life of an engine that has just started and keeps its files on a disk. */
    Scenario(StartedEngine started, RecordingDisk disk, History history, long seed) {
        this.disk = disk;
        this.history = history;
        this.random = new SplittableRandom(seed);
        this.lifeId = random.nextLong();
        this.patience = 10 + random.nextInt(80);
        this.clock = 1_000L * history.size();
        this.started = started;
    }

    /** A log and what was done to it in this life. */
    private final class TestedLog {
        final LogName name;
        /** By index since the opening, the step that is durable with it; -1 for what is not to last, and what nobody awaits. */
        final List<Integer> steps = new ArrayList<>();
        /** For logs that are not durable, which no history tells of. */
        final TreeMap<Long, Message> live = new TreeMap<>();

        OpenLog open;
        long nextPosition;
        long lastIndex;
        long awaitedIndex;
        long toldIndex;

        TestedLog(LogName name) {
            this.name = name;
            this.open = open();
        }

        OpenLog open() {
            steps.clear();
            lastIndex = 0;
            awaitedIndex = 0;
            toldIndex = 0;
            open = OpenLog.open(name, started.owner(), this::durable, started.engine());
            nextPosition = Math.max(open.told().position, nextPositionByHistory());
            return open;
        }

        /** Transient entries that are gone may have been anywhere; so positions go on where they were. */
        private long nextPositionByHistory() {
            NavigableMap<Long, Integer> there = history.live(name.id());
            return there.isEmpty() ? 0 : there.lastKey() + 1;
        }

        private void durable(long index) {
            if (index < toldIndex || index > lastIndex) {
                throw new AssertionError(
                        name + " called " + index + " durable, after " + toldIndex + " and with " + lastIndex);
            }
            int last = -1;
            for (long told = toldIndex; told < index; told++) {
                last = Math.max(last, steps.get((int) told));
            }
            toldIndex = index;
            if (last >= 0) {
                history.told(started.owner().operations(), last);
            }
        }

        /** Counts a record, which is a step that is to last, or -1. */
        void appended(long index, int step, boolean awaited) {
            steps.add(awaited ? step : -1);
            lastIndex++;
            awaitedIndex = awaited ? lastIndex : awaitedIndex;
            if (index != lastIndex) {
                throw new AssertionError(name + " gave index " + index + " to its record " + lastIndex);
            }
        }

        List<Long> positions() {
            return new ArrayList<>(name.durable() ? history.live(name.id()).keySet() : live.keySet());
        }
    }

    /** Does so many things and ends the engine. */
    void run(int steps) {
        try (started) {
            LogName.ALL.forEach(name -> logs.add(new TestedLog(name)));
            for (int step = 0; step < steps; step++) {
                step();
                started.owner().pump();
                started.mustNotComplain();
            }
            if (random.nextBoolean()) {
                decide();
            }
            if (random.nextBoolean()) {
                logs.forEach(this::awaitDurable);
            }
            logs.forEach(log -> log.open.log().close());
            started.close();
            history.told(disk.operationCount(), history.size() - 1);
        }
    }

    private void step() {
        TestedLog log = logs.get(random.nextInt(logs.size()));
        if (!isPending(log) && log.open.takeCheckpointWanted()) {
            checkpoint(log);
        }
        if (random.nextInt(100) < patience) {
            awaitDurable(log);
        }
        int choice = random.nextInt(100);
        if (choice < 40) {
            append();
        } else if (choice < 50) {
            transact();
        } else if (choice < 67) {
            release(log);
        } else if (choice < 80) {
            appendFact(log);
        } else if (choice < 86) {
            checkpoint(log);
        } else if (choice < 93) {
            move(log);
        } else if (choice < 96) {
            unloadAndRead(log);
        } else if (choice < 99) {
            reopen(log);
        } else {
            delete(log);
        }
    }

    private void append() {
        Message message = message();
        Envelope envelope = envelope();
        boolean durable = random.nextInt(100) < 85;
        for (TestedLog log : logs) {
            // Mostly one or two of them; each message somewhere by chance.
            if (random.nextInt(5) < 2) {
                append(log, message, envelope, annotations(), durable);
            }
        }
    }

    private void append(TestedLog log, Message message, Envelope envelope, Annotations annotations, boolean durable) {
        long position = log.nextPosition + (random.nextInt(10) == 0 ? random.nextInt(100) : 0);
        long stamp = ++clock;
        int step = -1;
        if (log.name.durable()) {
            int number = history.add(
                    new Step.Entry(log.name.id(), position, stamp, message, envelope, annotations, durable));
            step = durable ? number : -1;
        } else {
            log.live.put(position, message);
        }
        log.nextPosition = position + 1;
        log.appended(log.open.log().append(position, stamp, message, envelope, annotations, durable), step, true);
    }

    private void appendFact(TestedLog log) {
        if (!log.open.log().keepsFacts()) {
            return;
        }
        Bytes bytes = bytes(Long.BYTES * 2 + random.nextInt(60));
        int step = log.name.durable() ? history.add(new Step.Fact(log.name.id(), bytes)) : -1;
        ByteBuf buffer = buffer(bytes);
        boolean awaited = random.nextBoolean();
        log.appended(log.open.log().append(buffer, awaited), step, awaited);
        scribble(buffer);
    }

    // Transactions.

    private boolean isPending(TestedLog log) {
        return pending != null && pending.logs().contains(log.name.id());
    }

    /** Goes on with what is pending, or begins. */
    private void transact() {
        OpenTransaction open = pending;
        if (open == null) {
            open = OpenTransaction.of(started.engine().begin());
            pending = open;
        }
        for (int parts = 1 + random.nextInt(4); parts > 0; parts--) {
            Message message = message();
            for (TestedLog log : logs) {
                if (random.nextInt(3) == 0) {
                    append(open, log, message);
                }
            }
            settleOrTell(open, logs.get(random.nextInt(logs.size())));
        }
        if (random.nextInt(3) > 0) {
            decide();
        }
    }

    private void append(OpenTransaction in, TestedLog log, Message message) {
        long position = log.nextPosition++;
        long stamp = ++clock;
        Envelope envelope = envelope();
        Annotations annotations = annotations();
        boolean durable = random.nextInt(100) < 85;
        in.logs().add(log.name.id());
        in.steps().add(new Step.Entry(log.name.id(), position, stamp, message, envelope, annotations, durable));
        log.open.log().append(in.transaction(), position, stamp, message, envelope, annotations, durable);
    }

    private void settleOrTell(OpenTransaction in, TestedLog log) {
        if (random.nextBoolean()) {
            Bytes bytes = bytes(Long.BYTES * 2 + random.nextInt(60));
            in.logs().add(log.name.id());
            in.steps().add(new Step.Fact(log.name.id(), bytes));
            ByteBuf buffer = buffer(bytes);
            log.open.log().append(in.transaction(), buffer);
            scribble(buffer);
        }
        List<Long> positions = log.positions();
        if (!positions.isEmpty() && random.nextBoolean()) {
            int first = random.nextInt(positions.size());
            long from = positions.get(first);
            long to = positions.get(Math.min(positions.size() - 1, first + random.nextInt(3)));
            if (!in.hasAny(log.name.id(), from, to)) {
                in.logs().add(log.name.id());
                in.steps().add(new Step.Release(log.name.id(), from, to));
                log.open.log().release(in.transaction(), from, to);
            }
        }
    }

    /** Commits what is pending, or gives it up. */
    private void decide() {
        OpenTransaction open = pending;
        pending = null;
        if (open == null) {
            return;
        }
        if (random.nextInt(4) == 0) {
            giveUp(open);
        } else {
            commit(open);
        }
    }

    private void giveUp(OpenTransaction open) {
        for (TestedLog log : logs) {
            for (long position : open.positions(log.name.id())) {
                log.open.log().release(position, position);
            }
        }
    }

    private void commit(OpenTransaction open) {
        int lasting = -1;
        List<Step> steps = new ArrayList<>();
        for (Step step : open.steps()) {
            TestedLog log = named(step.log());
            if (log.name.durable()) {
                lasting = lasts(step) ? history.size() + steps.size() : lasting;
                steps.add(step);
            } else if (step instanceof Step.Entry entry) {
                log.live.put(entry.position(), entry.message());
            } else if (step instanceof Step.Release release) {
                log.live.subMap(release.from(), true, release.to(), true).clear();
            }
        }
        if (!steps.isEmpty()) {
            history.addWhole(steps);
        }
        int told = lasting;
        boolean[] answered = new boolean[1];
        open.transaction().commit(started.owner(), lasts -> {
            answered[0] = true;
            if (lasts && told >= 0) {
                history.told(started.owner().operations(), told);
            }
        });
        started.owner().pump();
        for (long log : open.logs()) {
            if (!named(log).open.isCommitted(open.transaction())) {
                throw new AssertionError(named(log).name + " was not told that a transaction was committed");
            }
        }
        if (random.nextInt(100) < patience) {
            started.owner().await(() -> answered[0], "a transaction to be durable");
        }
    }

    private TestedLog named(long id) {
        return logs.stream().filter(log -> log.name.id() == id).findFirst().orElseThrow();
    }

    /** Whether a step, about to be done, has anything that lasts. */
    private boolean lasts(Step step) {
        if (step instanceof Step.Entry entry) {
            return entry.durable();
        }
        return !(step instanceof Step.Release release)
                || history.live(release.log()).subMap(release.from(), true, release.to(), true).values().stream()
                        .anyMatch(history::lasts);
    }

    private void checkpoint(TestedLog log) {
        if (isPending(log)) {
            decide();
        }
        List<Long> live = new ArrayList<>();
        history.live(log.name.id()).forEach((position, number) -> {
            if (history.lasts(number)) {
                live.add(position);
            }
        });
        Bytes state = CheckpointState.encoded(lifeId + ++made, live);
        if (log.name.durable()) {
            history.add(new Step.Checkpoint(log.name.id(), state));
        }
        ByteBuf buffer = buffer(state);
        log.open.log().checkpoint(buffer);
        scribble(buffer);
    }

    private void release(TestedLog log) {
        List<Long> positions = log.positions();
        if (positions.isEmpty()) {
            return;
        }
        int first = random.nextInt(3) == 0 ? random.nextInt(positions.size()) : 0;
        int last = Math.min(positions.size() - 1, first + random.nextInt(random.nextInt(4) == 0 ? 20 : 3));
        release(log, positions.get(first), positions.get(last));
    }

    private void release(TestedLog log, long from, long to) {
        if (pending != null && pending.hasAny(log.name.id(), from, to)) {
            // Owners release what they decide on, not what is not decided.
            return;
        }
        if (log.name.durable()) {
            history.add(new Step.Release(log.name.id(), from, to));
        } else {
            log.live.subMap(from, true, to, true).clear();
        }
        log.open.log().release(from, to);
    }

    /** What a dead letter does: the same message goes to another log, then leaves its own. */
    private void move(TestedLog log) {
        List<Long> positions = log.positions();
        if (positions.isEmpty()) {
            return;
        }
        long position = positions.get(random.nextInt(positions.size()));
        Message message = read(log, position);
        TestedLog other = logs.get(random.nextInt(logs.size()));
        append(other, message, envelope(), annotations(), true);
        release(log, position, position);
    }

    private void awaitDurable(TestedLog log) {
        long index = log.awaitedIndex;
        started.owner()
                .await(
                        () -> log.toldIndex >= index || log.open.log().durableIndex() >= index,
                        "record " + index + " of " + log.name + " to be durable");
        if (log.toldIndex < index) {
            log.durable(index);
        }
    }

    private void unloadAndRead(TestedLog log) {
        List<Long> positions = log.positions();
        if (!positions.isEmpty()) {
            log.open.log().unload(positions.get(0), positions.get(positions.size() - 1));
            for (int i = random.nextInt(3); i < positions.size(); i += 1 + random.nextInt(4)) {
                read(log, positions.get(i));
            }
        }
    }

    private Message read(TestedLog log, long position) {
        Message read = log.open.read(position);
        Message expected = log.name.durable()
                ? ((Step.Entry) history.step(Objects.requireNonNull(
                                history.live(log.name.id()).get(position))))
                        .message()
                : Objects.requireNonNull(log.live.get(position));
        if (read == null
                || !read.body().equals(expected.body())
                || !read.header().equals(expected.header())) {
            throw new AssertionError("entry " + position + " of " + log.name
                    + (read == null ? " could not be loaded again" : " is not the one that was appended"));
        }
        return read;
    }

    /** Closes and opens a log. Its transient entries may be there or not; here they are released. */
    private void reopen(TestedLog log) {
        if (isPending(log)) {
            decide();
        }
        log.open.log().close();
        started.owner().pump();
        open(log, started.engine().entries(log.name.id()));
        log.live.clear();
        List<Long> transients = new ArrayList<>();
        history.live(log.name.id()).forEach((position, number) -> {
            if (!history.lasts(number)) {
                transients.add(position);
            }
        });
        transients.forEach(position -> release(log, position, position));
    }

    private void delete(TestedLog log) {
        if (pending != null) {
            // It is left out then.
            pending.logs().remove(log.name.id());
            pending.steps().removeIf(step -> step.log() == log.name.id());
        }
        log.open.log().close();
        started.owner().pump();
        started.engine().delete(log.name.id());
        if (log.name.durable()) {
            history.add(new Step.Deletion(log.name.id()));
        }
        log.live.clear();
        open(log, 0);
    }

    /** Opens a log again and compares all that is in it. */
    private void open(TestedLog log, long count) {
        Recovered recovered = Recovered.of(log.open(), log.name.durable(), count);
        new Oracle(history).judge(history.size() - 1, List.of(recovered));
    }

    private Message message() {
        int bytes = random.nextInt(12) == 0 ? random.nextInt(LARGE_BYTES) : random.nextInt(200);
        Bytes header = random.nextInt(3) == 0 ? Bytes.EMPTY : filler(random.nextInt(40));
        return new Message(PlainFormat.INSTANCE, header, bytes(2 * Long.BYTES + bytes));
    }

    private Envelope envelope() {
        List<RoutingKey> copies = random.nextInt(8) == 0 ? List.of(RoutingKey.of("copy"), RoutingKey.EMPTY) : List.of();
        List<RoutingKey> blind = random.nextInt(8) == 0 ? List.of(RoutingKey.of("blind")) : List.of();
        return new Envelope(
                random.nextBoolean() ? "" : "exchange-" + random.nextInt(3),
                RoutingKey.of("key." + random.nextInt(5)),
                copies,
                blind,
                random.nextBoolean(),
                random.nextInt(4) == 0 ? random.nextInt(256) : Envelope.NO_PRIORITY,
                random.nextInt(4) == 0 ? random.nextInt(100_000) : Envelope.NO_TTL);
    }

    private Annotations annotations() {
        if (random.nextInt(8) != 0) {
            return Annotations.NONE;
        }
        Death first = death();
        return new Annotations(random.nextBoolean() ? List.of(first) : List.of(death(), first), first);
    }

    private Death death() {
        DeathReason[] reasons = DeathReason.values();
        return new Death(
                "queue-" + random.nextInt(3),
                reasons[random.nextInt(reasons.length)],
                1 + random.nextInt(9),
                ++clock,
                "exchange",
                List.of(RoutingKey.of("old.key")),
                random.nextBoolean() ? Envelope.NO_TTL : 60_000);
    }

    /** Bytes that nothing else has. */
    private Bytes bytes(int length) {
        ByteBuffer bytes = ByteBuffer.allocate(length).putLong(lifeId).putLong(++made);
        bytes.put(filler(bytes.remaining()).toArray());
        return Bytes.wrap(bytes.array());
    }

    private Bytes filler(int length) {
        byte[] filler = new byte[length];
        random.nextBytes(filler);
        return Bytes.wrap(filler);
    }

    private static ByteBuf buffer(Bytes bytes) {
        return Unpooled.wrappedBuffer(bytes.toArray());
    }

    /** What was given to a log is copied or dropped before the call returns: it may change afterwards. */
    private static void scribble(ByteBuf buffer) {
        if (buffer.refCnt() != 1) {
            throw new AssertionError("a log has changed the reference count of a buffer to " + buffer.refCnt());
        }
        for (int i = 0; i < buffer.capacity(); i++) {
            buffer.setByte(i, SCRIBBLE);
        }
    }
}
