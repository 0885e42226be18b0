package org.entrepot.core.storage;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.entrepot.core.storage.KeptRecords.Checkpoint;
import org.entrepot.core.storage.KeptRecords.Entry;
import org.entrepot.core.storage.KeptRecords.Fact;
import org.entrepot.core.storage.KeptRecords.Kept;
import org.entrepot.core.storage.KeptRecords.Released;
import org.entrepot.core.storage.KeptRecords.Whole;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.LogTransaction;

/** A log of a {@link KeepingStorage}. Owned by the executor it was opened with, and by its test. */
public final class KeepingLog implements Log {
    private static final long NOT_LOADING = -1;

    private final KeptRecords records;
    private final boolean lagging;
    private final LogListener listener;
    private final Executor owner;
    private final Runnable closing;
    private final int sizeBefore;
    private final NavigableMap<Long, Entry> live;
    /** Entries that are in memory. */
    private final Set<Long> resident = new HashSet<>();
    /** Records by which their entries became what they are, as far as they are of this opening. */
    private final Map<Long, Long> indexes = new TreeMap<>();

    private long residentBytes;
    private long index;
    private long durable;
    private long loadFrom = NOT_LOADING;
    private boolean replayed;
    private boolean failed;
    private boolean closed;
    private long lastStamp;
    private long lastPosition = -1;
    /** Entries of transactions that were neither committed nor given up. */
    private final NavigableSet<Long> undecided = new TreeSet<>();

    KeepingLog(KeptRecords records, boolean lagging, LogListener listener, Executor owner, Runnable closing) {
        this.records = records;
        this.lagging = lagging;
        this.listener = listener;
        this.owner = owner;
        this.closing = closing;
        records.dropPassing();
        this.sizeBefore = records.size();
        this.live = records.live();
        this.lastStamp = live.isEmpty() ? 0 : live.lastEntry().getValue().stamp();
    }

    // What tests do.

    /** Records since the log was opened. */
    public long index() {
        return index;
    }

    /** Says that everything up to a record is durable. */
    public void becomeDurable(long upTo) {
        durable = upTo;
        listener.durable(upTo);
    }

    /** Says that the log can take no more. */
    public void fail() {
        failed = true;
        listener.failed("a failure that this test wants");
    }

    /** Asks for a checkpoint. */
    public void wantCheckpoint() {
        listener.checkpointWanted();
    }

    public boolean isLoading() {
        return loadFrom != NOT_LOADING;
    }

    /** Loads so many entries of those that were asked for, or what there is. */
    public void answerLoad(int entries) {
        long from = loadFrom;
        long first = -1;
        long last = from - 1;
        int left = entries;
        for (Entry entry : live.tailMap(from).values()) {
            if (left-- == 0) {
                break;
            }
            first = first < 0 ? entry.position() : first;
            last = entry.position();
            if (resident.add(entry.position())) {
                residentBytes += entry.message().size();
            }
        }
        loadFrom = NOT_LOADING;
        listener.loaded(first < 0 ? from : first, last);
    }

    /** The process ends, and of the records since the log was opened the first so many are on the disk. */
    public void crash(long upTo) {
        if (upTo < durable) {
            throw new AssertionError("what is durable survives");
        }
        records.cut(sizeBefore + (int) upTo);
        close();
    }

    /** What is in it, in memory or not. */
    public Set<Long> positions() {
        return live.keySet();
    }

    /** Tells what a replay would if the process ended now with everything on disk. */
    public void tellAll(LogReplay replay) {
        if (records.isUnreadable()) {
            replay.failed("unreadable, as this test wants it");
            return;
        }
        List<Kept> all = records.records();
        int begin = 0;
        for (int i = all.size() - 1; i >= 0 && begin == 0; i--) {
            if (all.get(i) instanceof Checkpoint checkpoint) {
                begin = i + 1;
                replay.checkpoint(Unpooled.wrappedBuffer(checkpoint.bytes()));
            }
        }
        List<Kept> since = all.subList(begin, all.size());
        NavigableMap<Long, Entry> entries = new TreeMap<>();
        for (Kept kept : since) {
            if (kept instanceof Entry entry && entry.durable() && live.containsKey(entry.position())) {
                entries.put(entry.position(), entry);
            }
        }
        entries.values()
                .forEach(entry -> replay.entry(
                        entry.position(),
                        entry.stamp(),
                        entry.envelope(),
                        entry.message().body().length()));
        for (Kept kept : since) {
            if (kept instanceof Fact fact) {
                replay.fact(Unpooled.wrappedBuffer(fact.bytes()));
            }
        }
        for (Kept kept : since) {
            if (kept instanceof Released released) {
                replay.released(released.from(), released.to());
            }
        }
        replay.ended(records.tail());
    }

    // The log.

    @Override
    public void replay(LogReplay replay) {
        if (lagging) {
            replayed = true;
            tellAll(replay);
        } else {
            // In more turns than one, as of a disk.
            owner.execute(() -> owner.execute(() -> {
                if (!closed) {
                    replayed = true;
                    tellAll(replay);
                }
            }));
        }
    }

    @Override
    public long append(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean lasting) {
        if (failed) {
            throw new AssertionError("a log that has failed takes no entry");
        }
        Entry entry = new Entry(position, stamp, message, envelope, annotations, lasting);
        put(entry);
        long of = added(entry);
        indexes.put(position, of);
        return of;
    }

    private void put(Entry entry) {
        if (entry.position() < records.tail() || entry.position() <= lastPosition || entry.stamp() < lastStamp) {
            throw new AssertionError(entry + " is not above those before");
        }
        lastStamp = entry.stamp();
        lastPosition = entry.position();
        live.put(entry.position(), entry);
        resident.add(entry.position());
        residentBytes += entry.message().size();
        indexes.put(entry.position(), Long.MAX_VALUE);
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
        Entry entry = new Entry(position, stamp, message, envelope, annotations, lasting);
        put(entry);
        undecided.add(entry.position());
        ((KeepingTransaction) in).add(this, entry);
    }

    @Override
    public void append(LogTransaction in, ByteBuf fact) {
        ((KeepingTransaction) in).add(this, new Fact(ByteBufUtil.getBytes(fact)));
    }

    @Override
    public void release(LogTransaction in, long from, long to) {
        ((KeepingTransaction) in).add(this, new Released(from, to));
    }

    /** A transaction was committed, in which these are of this log. */
    void commit(LogTransaction transaction, List<Kept> parts) {
        owner.execute(() -> {
            if (closed) {
                return;
            }
            long of = added(new Whole(parts));
            for (Kept part : parts) {
                if (part instanceof Entry entry) {
                    indexes.put(entry.position(), of);
                    undecided.remove(entry.position());
                } else if (part instanceof Released released) {
                    let(released.from(), released.to());
                }
            }
            listener.committed(transaction);
        });
    }

    @Override
    public long append(ByteBuf fact, boolean awaited) {
        return added(new Fact(ByteBufUtil.getBytes(fact)));
    }

    @Override
    public void checkpoint(ByteBuf state) {
        if (!undecided.isEmpty()) {
            throw new AssertionError("a checkpoint while it is not decided what becomes of " + undecided);
        }
        added(new Checkpoint(ByteBufUtil.getBytes(state)));
    }

    @Override
    public void release(long from, long to) {
        boolean wasNeverThere = undecided.contains(from);
        let(from, to);
        if (!wasNeverThere) {
            added(new Released(from, to));
        }
    }

    private void let(long from, long to) {
        for (Entry entry : live.subMap(from, true, to, true).values()) {
            if (resident.remove(entry.position())) {
                residentBytes -= entry.message().size();
            }
        }
        live.subMap(from, true, to, true).clear();
        undecided.subSet(from, true, to, true).clear();
    }

    private long added(Kept kept) {
        mustBeOpen();
        records.add(kept);
        index++;
        if (!lagging) {
            durable = index;
        }
        return index;
    }

    @Override
    public boolean keepsFacts() {
        return true;
    }

    @Override
    public long durableIndex() {
        return durable;
    }

    @Override
    public Message message(long position) {
        mustBeOpen();
        return resident.contains(position) ? live.get(position).message() : null;
    }

    @Override
    public Envelope envelope(long position) {
        return inMemory(position).envelope();
    }

    @Override
    public Annotations annotations(long position) {
        return inMemory(position).annotations();
    }

    @Override
    public long stamp(long position) {
        return inMemory(position).stamp();
    }

    private Entry inMemory(long position) {
        if (!resident.contains(position)) {
            throw new AssertionError("asked for entry " + position + ", which is not in memory");
        }
        return live.get(position);
    }

    @Override
    public void load(long from, int bytes) {
        mustBeOpen();
        if (isLoading()) {
            throw new AssertionError("asked to load from " + from + " and " + loadFrom);
        }
        loadFrom = from;
        if (!lagging) {
            owner.execute(() -> {
                if (!closed) {
                    answerLoad(entriesOf(from, bytes));
                }
            });
        }
    }

    private int entriesOf(long from, int bytes) {
        int entries = 0;
        long left = bytes;
        for (Entry entry : live.tailMap(from).values()) {
            if (left <= 0) {
                break;
            }
            left -= entry.message().size();
            entries++;
        }
        return entries;
    }

    @Override
    public void unload(long from, long to) {
        SortedMap<Long, Entry> asked = live.subMap(from, true, to, true);
        for (Entry entry : asked.values()) {
            boolean onDisk = entry.durable() && indexes.getOrDefault(entry.position(), 0L) <= durable;
            if (onDisk && resident.remove(entry.position())) {
                residentBytes -= entry.message().size();
            }
        }
    }

    @Override
    public long residentBytes() {
        return residentBytes;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            closing.run();
        }
    }

    private void mustBeOpen() {
        if (closed || !replayed) {
            throw new AssertionError("the log is closed, or not replayed yet");
        }
    }
}
