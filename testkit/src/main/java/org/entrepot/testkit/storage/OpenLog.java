package org.entrepot.testkit.storage;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageEngine;
import org.jspecify.annotations.Nullable;

/** An open log of a {@link PumpedOwner}, and what it has told. Used by the owner's thread. */
final class OpenLog {
    private static final int LOAD_BYTES = 1 << 14;
    private static final int LOADS_MAX = 100;

    private final LogName name;
    private final PumpedOwner owner;
    private final LongConsumer durable;
    private final Log log;
    private final Deque<Range> loads = new ArrayDeque<>();
    private final Told told = new Told();
    private final Set<LogTransaction> committed = new HashSet<>();
    private boolean checkpointWanted;

    private OpenLog(LogName name, PumpedOwner owner, LongConsumer durable, StorageEngine engine) {
        this.name = name;
        this.owner = owner;
        this.durable = durable;
        this.log = engine.open(name.id(), name.durable(), new Listener(), owner);
    }

    /**
     * Opens a log and hears all that it holds.
     *
     * @param durable hears of indexes that are durable
     */
    static OpenLog open(LogName name, PumpedOwner owner, LongConsumer durable, StorageEngine engine) {
        OpenLog opened = new OpenLog(name, owner, durable, engine);
        opened.log.replay(opened.told);
        owner.await(() -> opened.told.ended, "the replay of " + name + " to end");
        return opened;
    }

    /** Positions, both included. */
    record Range(long from, long to) {
        boolean holds(long position) {
            return from <= position && position <= to;
        }
    }

    /** An entry as a replay tells it. */
    record ToldEntry(long position, long stamp, Envelope envelope, int bytes) {}

    /** What a replay has told. */
    final class Told implements LogReplay {
        @Nullable Bytes checkpoint;

        final List<ToldEntry> entries = new ArrayList<>();
        final List<Range> released = new ArrayList<>();
        final List<Bytes> facts = new ArrayList<>();
        long position;
        private boolean ended;

        @Override
        public void checkpoint(ByteBuf state) {
            must(checkpoint == null, "a second checkpoint");
            must(entries.isEmpty() && released.isEmpty() && facts.isEmpty(), "a checkpoint after other things");
            checkpoint = Bytes.copyOf(state, state.readerIndex(), state.readableBytes());
        }

        @Override
        public void entry(long at, long stamp, Envelope envelope, int bytes) {
            must(facts.isEmpty(), "an entry after a fact");
            must(entries.isEmpty() || entries.get(entries.size() - 1).position() < at, "entries out of order");
            entries.add(new ToldEntry(at, stamp, envelope, bytes));
        }

        @Override
        public void released(long from, long to) {
            must(from <= to, "a release of " + from + " to " + to);
            released.add(new Range(from, to));
        }

        @Override
        public void fact(ByteBuf fact) {
            must(true, "a fact");
            facts.add(Bytes.copyOf(fact, fact.readerIndex(), fact.readableBytes()));
        }

        @Override
        public void ended(long greaterThanAll) {
            must(true, "an end");
            position = greaterThanAll;
            ended = true;
        }

        @Override
        public void failed(String reason) {
            throw new EngineFailed(name + " cannot be read: " + reason);
        }

        private void must(boolean holds, String what) {
            if (!holds || ended) {
                throw new AssertionError("the replay of " + name + " told " + what + (ended ? " after its end" : ""));
            }
        }
    }

    private final class Listener implements LogListener {
        @Override
        public void durable(long index) {
            durable.accept(index);
        }

        @Override
        public void loaded(long from, long to) {
            loads.add(new Range(from, to));
        }

        @Override
        public void lost(long from, long to) {
            throw new EngineFailed(name + " has lost entries " + from + " to " + to);
        }

        @Override
        public void committed(LogTransaction transaction) {
            if (!committed.add(transaction)) {
                throw new AssertionError(name + " has told twice that a transaction was committed");
            }
        }

        @Override
        public void checkpointWanted() {
            checkpointWanted = true;
        }

        @Override
        public void failed(String reason) {
            throw new EngineFailed(name + " has failed: " + reason);
        }
    }

    LogName name() {
        return name;
    }

    Log log() {
        return log;
    }

    Told told() {
        return told;
    }

    /** Whether the log has told that a transaction was committed. */
    boolean isCommitted(LogTransaction transaction) {
        return committed.contains(transaction);
    }

    /** Whether the engine has asked for a checkpoint since this was asked last. */
    boolean takeCheckpointWanted() {
        boolean wanted = checkpointWanted;
        checkpointWanted = false;
        return wanted;
    }

    /** The message at a position, loaded where it must be; null when there is none. */
    @Nullable Message read(long position) {
        for (int tries = 0; tries < LOADS_MAX; tries++) {
            Message message = log.message(position);
            if (message != null) {
                return message;
            }
            loads.clear();
            log.load(position, LOAD_BYTES);
            owner.await(() -> !loads.isEmpty(), "entry " + position + " of " + name + " to be loaded");
            Range loaded = loads.remove();
            if (loaded.from() > position || loaded.holds(position)) {
                return log.message(position);
            }
        }
        throw new AssertionError(
                name + " was asked for entry " + position + " " + LOADS_MAX + " times and always loaded others");
    }
}
