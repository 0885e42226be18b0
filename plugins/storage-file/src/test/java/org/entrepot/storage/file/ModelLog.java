package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
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
    private final TreeMap<Long, Boolean> expected = new TreeMap<>();
    private final TreeMap<Long, Boolean> told = new TreeMap<>();
    private final CopyOnWriteArrayList<String> complaints = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Long> facts = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Long> toldFacts = new CopyOnWriteArrayList<>();
    private Log log;
    private long tail;
    private long lastIndex;
    private volatile CountDownLatch loaded = new CountDownLatch(0);

    ModelLog(long id, Owner owner) {
        this.id = id;
        this.owner = owner;
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
        return (int) (position * 37 % 300) + 8;
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

    boolean isDurable() {
        return owner.ask(() -> log.durableIndex() >= lastIndex);
    }

    /** Reads a few entries, loading what is not in memory. */
    void check(long from, int count) throws InterruptedException {
        Iterator<Map.Entry<Long, Boolean>> entries =
                expected.tailMap(from, true).entrySet().iterator();
        for (int i = 0; i < count && entries.hasNext(); i++) {
            check(entries.next().getKey());
        }
        assertThat(complaints).isEmpty();
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

    void checkAll() throws InterruptedException {
        check(0, Integer.MAX_VALUE);
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
        checkpoint();
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
    }

    @Override
    public void failed(String reason) {
        complaints.add(reason);
    }
}
