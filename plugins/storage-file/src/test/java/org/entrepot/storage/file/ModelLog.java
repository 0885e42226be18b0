package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.testkit.storage.PlainFormat;

/**
 * A log and what must be in it: keeps what a machine would keep, as checkpoint the number of live entries below and their sum.
 * Used by one thread; the log is the owner's.
 */
final class ModelLog implements LogListener {
    private static final int SECONDS_MAX = 60;
    private static final int LOAD_BYTES = 10_000;

    final long id;
    private final Owner owner;
    private final int leastBytes;
    private final TreeMap<Long, Boolean> expected = new TreeMap<>();
    private final TreeMap<Long, Boolean> told = new TreeMap<>();
    private final CopyOnWriteArrayList<String> complaints = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Long> facts = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Long> toldFacts = new CopyOnWriteArrayList<>();
    private Log log;
    private long tail;
    private long lastIndex;
    /** What is in a transaction that is not decided. */
    private final TreeMap<Long, Boolean> undecided = new TreeMap<>();

    private long releasedFrom;
    private long releasedTo;
    private boolean takesPart;
    private boolean checkpointDue;
    private volatile CountDownLatch loaded = new CountDownLatch(0);

    ModelLog(long id, Owner owner) {
        this(id, owner, 8);
    }

    /** A log whose messages have no less than so many bytes, and not many more. */
    ModelLog(long id, Owner owner, int leastBytes) {
        this.id = id;
        this.owner = owner;
        this.leastBytes = leastBytes;
    }

    void open(StorageEngine engine) throws InterruptedException {
        CountDownLatch replayed = new CountDownLatch(1);
        told.clear();
        toldFacts.clear();
        expected.values().removeIf(lasts -> !lasts);
        owner.tell(() -> {
            log = engine.open(id, true, this, owner);
            log.replay(new LogReplay() {
                @Override
                public void checkpoint(ByteBuf state) {
                    while (state.isReadable()) {
                        if (state.readBoolean()) {
                            told.put(state.readLong(), true);
                        } else {
                            toldFacts.add(state.readLong());
                        }
                    }
                }

                @Override
                public void entry(long position, long stamp, Envelope envelope, int bytes) {
                    if (told.put(position, true) != null || bytes != size(position)) {
                        complaints.add("entry " + position + " of " + bytes + " bytes");
                    }
                }

                @Override
                public void released(long from, long to) {
                    told.subMap(from, true, to, true).clear();
                }

                @Override
                public void fact(ByteBuf fact) {
                    toldFacts.add(fact.readLong());
                }

                @Override
                public void ended(long position) {
                    if (!expected.isEmpty() && position <= expected.lastKey()) {
                        complaints.add("ended with " + position + " where there is " + expected.lastKey());
                    }
                    tail = position;
                    replayed.countDown();
                }

                @Override
                public void failed(String reason) {
                    complaints.add(reason);
                    replayed.countDown();
                }
            });
        });
        assertThat(replayed.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        assertThat(complaints).isEmpty();
        assertThat(told.keySet()).as("log " + id).isEqualTo(expected.keySet());
        assertThat(toldFacts).as("facts of " + id).isEqualTo(facts);
    }

    private int size(long position) {
        return (int) (position * 37 % 300) + leastBytes;
    }

    private byte[] body(long position) {
        return body(size(position), position);
    }

    private static byte[] body(int size, long seed) {
        byte[] body = new byte[size];
        for (int i = 0; i < size; i++) {
            body[i] = (byte) (seed * 31 + i);
        }
        return body;
    }

    void append(boolean lasting) {
        Message message = new Message(PlainFormat.INSTANCE, Bytes.EMPTY, Bytes.wrap(body(tail)));
        append(message, lasting);
    }

    /** What is expected changes with the log, for a checkpoint may be asked for between any two tasks of the owner. */
    private void append(Message message, boolean lasting) {
        owner.tell(() -> {
            lastIndex = log.append(
                    tail,
                    1_000 + tail,
                    message,
                    Envelope.of("exchange", RoutingKey.of("key"), lasting),
                    Annotations.NONE,
                    lasting);
            expected.put(tail, lasting);
            tail++;
        });
    }

    /** Appends entries at one go, which come into few batches. */
    void appendMany(int count) {
        owner.tell(() -> {
            for (int i = 0; i < count; i++) {
                Message message = new Message(PlainFormat.INSTANCE, Bytes.EMPTY, Bytes.wrap(body(tail)));
                lastIndex = log.append(
                        tail,
                        1_000 + tail,
                        message,
                        Envelope.of("exchange", RoutingKey.of("key"), true),
                        Annotations.NONE,
                        true);
                expected.put(tail, true);
                tail++;
            }
        });
    }

    /** The same message goes into several logs, which stand at the same position. */
    static void appendShared(List<ModelLog> logs) {
        long tail = logs.stream().mapToLong(log -> log.tail).max().orElse(0);
        Message message = new Message(
                PlainFormat.INSTANCE, Bytes.EMPTY, Bytes.wrap(logs.get(0).body(tail)));
        for (ModelLog log : logs) {
            log.tail = tail;
            log.append(message, true);
        }
    }

    /** Some logs take part in a transaction, which is committed or given up. */
    static void transact(StorageEngine engine, List<ModelLog> logs, SplittableRandom random) {
        Owner owner = logs.get(0).owner;
        LogTransaction in = owner.ask(engine::begin);
        for (ModelLog log : logs) {
            if (random.nextBoolean()) {
                long from = log.position(random.nextDouble());
                int entries = random.nextInt(3);
                boolean lasting = random.nextInt(4) > 0;
                owner.tell(() -> log.prepare(in, entries, lasting, from, from + 2));
            }
        }
        if (random.nextInt(3) == 0) {
            logs.forEach(log -> log.append(true));
            logs.forEach(log -> log.unload(0, Long.MAX_VALUE >>> 8));
        }
        boolean commits = random.nextInt(4) > 0;
        owner.tell(() -> {
            logs.forEach(log -> log.decide(commits));
            if (commits) {
                in.commit(owner, lasts -> {});
            }
        });
    }

    private void prepare(LogTransaction in, int entries, boolean lasting, long from, long to) {
        takesPart = true;
        for (int i = 0; i < entries; i++) {
            Message message = new Message(PlainFormat.INSTANCE, Bytes.EMPTY, Bytes.wrap(body(tail)));
            Envelope envelope = Envelope.of("exchange", RoutingKey.of("key"), lasting);
            log.append(in, tail, 1_000 + tail, message, envelope, Annotations.NONE, lasting);
            undecided.put(tail, lasting);
            tail++;
        }
        log.append(in, Unpooled.copyLong(from));
        releasedFrom = from;
        releasedTo = Math.min(to, tail - 1 - entries);
        if (releasedFrom <= releasedTo) {
            log.release(in, releasedFrom, releasedTo);
        }
    }

    private void decide(boolean commits) {
        if (!takesPart) {
            return;
        }
        if (commits) {
            expected.putAll(undecided);
            facts.add(releasedFrom);
            if (releasedFrom <= releasedTo) {
                expected.subMap(releasedFrom, true, releasedTo, true).clear();
            }
        } else {
            undecided.keySet().forEach(position -> log.release(position, position));
            takesPart = false;
            if (checkpointDue) {
                checkpoint();
            }
        }
        undecided.clear();
    }

    @Override
    public void committed(LogTransaction transaction) {
        takesPart = false;
        if (checkpointDue) {
            checkpoint();
        }
    }

    void fact(long number) {
        owner.tell(() -> {
            lastIndex = log.append(Unpooled.copyLong(number), false);
            facts.add(number);
        });
    }

    void release(long from, long to) {
        owner.tell(() -> {
            log.release(from, to);
            expected.subMap(from, true, to, true).clear();
        });
    }

    long position(double share) {
        if (expected.isEmpty()) {
            return 0;
        }
        long first = expected.firstKey();
        return first + (long) (share * (expected.lastKey() - first));
    }

    void unload(long from, long to) {
        owner.tell(() -> log.unload(from, to));
    }

    long residentBytes() {
        return owner.ask(() -> log.residentBytes());
    }

    void durability(StorageEngine.Durability least) {
        owner.tell(() -> log.durability(least));
    }

    /** Waits until everything that was appended is durable, as long as the test's time lasts. */
    void awaitDurable() {
        Waiting.until(this::isDurable);
    }

    /** Appends so many entries one after the other, and waits until they are durable. */
    void fill(int count) {
        for (int i = 0; i < count; i++) {
            append(true);
        }
        awaitDurable();
    }

    boolean isDurable() {
        return owner.ask(() -> log.durableIndex() >= lastIndex);
    }

    /** Reads a few entries, loading what is not in memory. */
    void check(long from, int count) throws InterruptedException {
        read(from, count);
        assertThat(complaints).isEmpty();
    }

    /** The same of a log that has failed for this reason. */
    void checkFailed(String reason, long from, int count) throws InterruptedException {
        read(from, count);
        assertThat(complaints).isNotEmpty().allMatch(complaint -> complaint.startsWith(reason));
    }

    private void read(long from, int count) throws InterruptedException {
        Iterator<Map.Entry<Long, Boolean>> entries =
                expected.tailMap(from, true).entrySet().iterator();
        for (int i = 0; i < count && entries.hasNext(); i++) {
            check(entries.next().getKey());
        }
    }

    private void check(long position) throws InterruptedException {
        for (int tries = 0; owner.ask(() -> log.message(position) == null); tries++) {
            assertThat(tries).as("loads of " + position + " in log " + id).isLessThan(3);
            CountDownLatch waiting = new CountDownLatch(1);
            loaded = waiting;
            owner.tell(() -> log.load(position, LOAD_BYTES));
            assertThat(waiting.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        }
        Message message = owner.ask(() -> log.message(position));
        assertThat(message.body().toArray()).as("entry " + position).isEqualTo(body(position));
        assertThat((long) owner.ask(() -> log.stamp(position))).isEqualTo(1_000 + position);
    }

    /** The positions of entries that must be there after a restart. */
    List<Long> lasting() {
        return expected.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What the message at a position must be. */
    byte[] expectedBody(long position) {
        return body(position);
    }

    void checkAll() throws InterruptedException {
        check(0, Integer.MAX_VALUE);
    }

    /** Appends what will not be there, for the log has failed. */
    void appendInVain() {
        owner.tell(() -> lastIndex = log.append(
                tail + 1,
                1_001 + tail,
                new Message(PlainFormat.INSTANCE, Bytes.EMPTY, Bytes.wrap(body(tail + 1))),
                Envelope.of("exchange", RoutingKey.of("key"), true),
                Annotations.NONE,
                true));
    }

    /** Asks for an entry that the disk does not give, until the log fails. */
    void loadInVain(long position) {
        owner.tell(() -> log.load(position, LOAD_BYTES));
        Waiting.until(() -> !complaints.isEmpty());
    }

    /** Closes the log, which must have failed for this reason and told of nothing else. */
    void closeFailed(String reason) {
        close();
        assertThat(complaints).isNotEmpty().allMatch(complaint -> complaint.startsWith(reason));
        complaints.clear();
    }

    /** Opens the log of a damaged store and reads what is there, which must be what was written; counts what is not. */
    int readWhatIsThere(StorageEngine engine) throws Exception {
        ReadBack read = new ReadBack(owner);
        read.read(engine, this);
        return read.missing();
    }

    int size() {
        return expected.size();
    }

    void close() {
        owner.tell(() -> log.close());
    }

    // The owner's side.

    @Override
    public void durable(long index) {}

    @Override
    public void loaded(long from, long to) {
        loaded.countDown();
    }

    @Override
    public void lost(long from, long to) {
        complaints.add("lost " + from + " to " + to);
    }

    @Override
    public void checkpointWanted() {
        checkpointDue = takesPart;
        if (!takesPart) {
            checkpoint();
        }
    }

    private void checkpoint() {
        ByteBuf state = Unpooled.buffer();
        expected.forEach((position, lasts) -> {
            if (lasts) {
                state.writeBoolean(true).writeLong(position);
            }
        });
        facts.forEach(number -> state.writeBoolean(false).writeLong(number));
        log.checkpoint(state);
        checkpointDue = false;
    }

    @Override
    public void failed(String reason) {
        complaints.add(reason);
    }
}
