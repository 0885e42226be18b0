package org.entrepot.testkit.storage;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.testkit.storage.OpenLog.Range;
import org.jspecify.annotations.Nullable;

/** A log of {@link ReferenceStorage}, all in memory. Owned by its owner; the journal's thread tells it what is durable. */
final class ReferenceLog implements Log {
    private final ReferenceStorage storage;
    private final long id;
    private final boolean durable;
    private final TreeMap<Long, Step.Entry> entries = new TreeMap<>();
    private final List<Range> released = new ArrayList<>();
    private final List<Bytes> facts = new ArrayList<>();
    private @Nullable Bytes checkpoint;
    /** Entries from here on came after the checkpoint. */
    private long checkpointPosition;

    private long nextPosition;
    private @Nullable LogListener listener;
    private @Nullable Executor owner;
    private long index;
    private long durableIndex;
    private volatile boolean deleted;
    /** What is released in transactions that are not committed. */
    private final Map<LogTransaction, List<Range>> releasing = new HashMap<>();

    /** Facts that are in such. */
    private final Map<LogTransaction, List<Bytes>> factsOf = new HashMap<>();

    ReferenceLog(ReferenceStorage storage, long id, boolean durable) {
        this.storage = storage;
        this.id = id;
        this.durable = durable;
    }

    void open(LogListener newListener, Executor newOwner) {
        listener = newListener;
        owner = newOwner;
        index = 0;
        durableIndex = 0;
    }

    /** Tells whoever opened it, if it is still open. */
    void fail(LogListener hearing, String reason) {
        if (hearing == listener) {
            hearing.failed(reason);
        }
    }

    boolean holdsSomething() {
        return !entries.isEmpty() || !facts.isEmpty() || checkpoint != null;
    }

    long entries() {
        return entries.size();
    }

    /** Writes what is there, in an order in which it can be read again. */
    void writeAll(Consumer<byte[]> target) {
        entries.headMap(checkpointPosition).values().forEach(entry -> target.accept(ReferenceRecords.entry(entry)));
        target.accept(ReferenceRecords.tail(id, checkpointPosition));
        if (checkpoint != null) {
            target.accept(ReferenceRecords.checkpoint(id, checkpoint));
        }
        released.forEach(range -> target.accept(ReferenceRecords.release(id, range)));
        entries.tailMap(checkpointPosition).values().forEach(entry -> target.accept(ReferenceRecords.entry(entry)));
        facts.forEach(fact -> target.accept(ReferenceRecords.fact(id, fact)));
        target.accept(ReferenceRecords.tail(id, nextPosition));
    }

    @Override
    public void replay(LogReplay replay) {
        if (checkpoint != null) {
            replay.checkpoint(buffer(checkpoint));
        }
        released.forEach(range -> replay.released(range.from(), range.to()));
        entries.tailMap(checkpointPosition)
                .forEach((position, entry) -> replay.entry(
                        position,
                        entry.stamp(),
                        entry.envelope(),
                        entry.message().body().length()));
        facts.forEach(fact -> replay.fact(buffer(fact)));
        replay.ended(nextPosition);
    }

    private static ByteBuf buffer(Bytes bytes) {
        return Unpooled.wrappedBuffer(bytes.toArray());
    }

    @Override
    public long append(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean lasting) {
        Step.Entry entry = new Step.Entry(id, position, stamp, message, envelope, annotations, lasting);
        apply(entry);
        return written(lasting ? ReferenceRecords.entry(entry) : null);
    }

    void apply(Step.Entry entry) {
        entries.put(entry.position(), entry);
        applyTail(entry.position() + 1);
    }

    void applyTail(long position) {
        nextPosition = Math.max(nextPosition, position);
    }

    @Override
    public long append(ByteBuf fact, boolean awaited) {
        Bytes bytes = Bytes.copyOf(fact, fact.readerIndex(), fact.readableBytes());
        apply(bytes);
        return written(ReferenceRecords.fact(id, bytes));
    }

    void apply(Bytes fact) {
        facts.add(fact);
    }

    @Override
    public void append(
            LogTransaction in,
            long position,
            long stamp,
            Message message,
            Envelope envelope,
            Annotations annotations,
            boolean lasting) {
        Step.Entry entry = new Step.Entry(id, position, stamp, message, envelope, annotations, lasting);
        apply(entry);
        takePart(in, durable && lasting ? ReferenceRecords.entry(entry) : null);
    }

    @Override
    public void append(LogTransaction in, ByteBuf fact) {
        Bytes bytes = Bytes.copyOf(fact, fact.readerIndex(), fact.readableBytes());
        factsOf.computeIfAbsent(in, none -> new ArrayList<>()).add(bytes);
        takePart(in, durable ? ReferenceRecords.fact(id, bytes) : null);
    }

    @Override
    public void release(LogTransaction in, long from, long to) {
        Range range = new Range(from, to);
        releasing.computeIfAbsent(in, none -> new ArrayList<>()).add(range);
        boolean lasts = entries.subMap(from, true, to, true).values().stream().anyMatch(Step.Entry::durable);
        takePart(in, durable && lasts ? ReferenceRecords.release(id, range) : null);
    }

    private void takePart(LogTransaction in, byte @Nullable [] record) {
        ReferenceTransaction transaction = (ReferenceTransaction) in;
        if (record == null) {
            transaction.add(this);
        } else {
            transaction.add(this, record);
        }
    }

    /** A transaction that this log takes part in was committed. */
    void committed(LogTransaction transaction) {
        LogListener hearing = listener;
        Objects.requireNonNull(owner).execute(() -> {
            factsOf.getOrDefault(transaction, List.of()).forEach(this::apply);
            releasing.getOrDefault(transaction, List.of()).forEach(this::apply);
            factsOf.remove(transaction);
            releasing.remove(transaction);
            if (hearing != null && hearing == listener) {
                hearing.committed(transaction);
            }
        });
    }

    void delete() {
        deleted = true;
    }

    boolean isDeleted() {
        return deleted;
    }

    private long written(byte @Nullable [] record) {
        long written = ++index;
        LogListener hearing = Objects.requireNonNull(listener);
        Executor hearingOwner = Objects.requireNonNull(owner);
        // A log that was closed and opened again counts from one again.
        Runnable tell = () -> {
            if (hearing == listener) {
                durableIndex = written;
                hearing.durable(written);
            }
        };
        storage.write(durable ? record : null, () -> hearingOwner.execute(tell));
        return written;
    }

    @Override
    public void checkpoint(ByteBuf state) {
        Bytes bytes = Bytes.copyOf(state, state.readerIndex(), state.readableBytes());
        applyCheckpoint(bytes);
        storage.write(durable ? ReferenceRecords.checkpoint(id, bytes) : null, () -> {});
    }

    void applyCheckpoint(Bytes state) {
        checkpoint = state;
        checkpointPosition = nextPosition;
        released.clear();
        facts.clear();
    }

    @Override
    public void release(long from, long to) {
        Range range = new Range(from, to);
        apply(range);
        if (!storage.leavesOut(ReferenceStorage.Flaw.RELEASES_NOT_WRITTEN)) {
            storage.write(durable ? ReferenceRecords.release(id, range) : null, () -> {});
        }
    }

    void apply(Range range) {
        entries.subMap(range.from(), true, range.to(), true).clear();
        released.add(range);
    }

    void applyDeletion() {
        storage.forget(id);
    }

    @Override
    public boolean keepsFacts() {
        return true;
    }

    @Override
    public long durableIndex() {
        return durableIndex;
    }

    @Override
    public @Nullable Message message(long position) {
        Step.Entry entry = entries.get(position);
        return entry == null ? null : entry.message();
    }

    @Override
    public Envelope envelope(long position) {
        return there(position).envelope();
    }

    @Override
    public Annotations annotations(long position) {
        return there(position).annotations();
    }

    @Override
    public long stamp(long position) {
        return there(position).stamp();
    }

    private Step.Entry there(long position) {
        return Objects.requireNonNull(entries.get(position));
    }

    @Override
    public void load(long from, int bytes) {
        Long next = entries.ceilingKey(from);
        LogListener hearing = Objects.requireNonNull(listener);
        Objects.requireNonNull(owner)
                .execute(() -> hearing.loaded(next == null ? Long.MAX_VALUE : next, Long.MAX_VALUE));
    }

    @Override
    public void unload(long from, long to) {}

    @Override
    public long residentBytes() {
        return entries.values().stream()
                .mapToLong(entry -> entry.message().size())
                .sum();
    }

    @Override
    public void close() {
        listener = null;
    }
}
