package org.entrepot.core.topology;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.StorageEngine;
import org.jspecify.annotations.Nullable;

/** The topology's records in a log of the storage engine, as facts. */
@OwnedBy("the topology's loop")
public final class StoredTopologyLog implements TopologyLog {
    /** The log's id, which no queue ever has. */
    public static final long ID = 0;

    private final StorageEngine storage;
    private final Loop loop;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private @Nullable Log log;
    private @Nullable Owner owner;
    private boolean ended;
    private boolean checkpointDue;
    private boolean failed;

    private record Waiting(long index, Runnable whenDurable) {}

    public StoredTopologyLog(StorageEngine storage, Loop loop) {
        this.storage = storage;
        this.loop = loop;
    }

    @Override
    public void open(Owner newOwner) {
        owner = newOwner;
        Log opened = storage.open(ID, true, new Listener(), loop);
        log = opened;
        opened.replay(new Replay());
    }

    @Override
    public void append(List<TopologyRecord> records, Runnable whenDurable) {
        if (failed) {
            return;
        }
        Log to = Objects.requireNonNull(log);
        ByteBuf bytes = Unpooled.buffer();
        TopologyRecords.write(bytes, records);
        waiting.add(new Waiting(to.append(bytes, true), whenDurable));
        tellUpTo(to.durableIndex());
    }

    private void tellUpTo(long index) {
        for (Waiting first = waiting.peek(); first != null && first.index <= index; first = waiting.peek()) {
            waiting.remove();
            first.whenDurable.run();
        }
    }

    private void fail(String reason) {
        if (!failed) {
            failed = true;
            waiting.clear();
            owner().failed(reason);
        }
    }

    private void writeCheckpoint() {
        ByteBuf bytes = Unpooled.buffer();
        TopologyRecords.write(bytes, owner().checkpoint());
        Objects.requireNonNull(log).checkpoint(bytes);
    }

    private Owner owner() {
        return Objects.requireNonNull(owner);
    }

    @Override
    public void close() {
        failed = true;
        waiting.clear();
        if (log != null) {
            log.close();
        }
    }

    private final class Replay implements LogReplay {
        @Override
        public void checkpoint(ByteBuf state) {
            fact(state);
        }

        @Override
        public void fact(ByteBuf fact) {
            if (failed) {
                return;
            }
            try {
                TopologyRecords.read(fact).forEach(owner()::replayed);
            } catch (IllegalArgumentException | IllegalStateException unknown) {
                fail(String.valueOf(unknown.getMessage()));
            }
        }

        @Override
        public void entry(long position, long stamp, Envelope envelope, int bytes) {
            fail("there is a message in the topology's log");
        }

        @Override
        public void released(long from, long to) {}

        @Override
        public void ended(long position) {
            if (!failed) {
                ended = true;
                owner().ended();
                if (checkpointDue) {
                    writeCheckpoint();
                }
            }
        }

        @Override
        public void failed(String reason) {
            fail(reason);
        }
    }

    private final class Listener implements LogListener {
        @Override
        public void durable(long index) {
            tellUpTo(index);
        }

        @Override
        public void loaded(long from, long to) {}

        @Override
        public void lost(long from, long to) {}

        @Override
        public void checkpointWanted() {
            if (!ended) {
                checkpointDue = true;
            } else if (!failed) {
                writeCheckpoint();
            }
        }

        @Override
        public void failed(String reason) {
            fail(reason);
        }
    }
}
