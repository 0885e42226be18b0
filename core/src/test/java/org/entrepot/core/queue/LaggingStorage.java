package org.entrepot.core.queue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.entrepot.core.storage.MemoryStorage;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;

/** Keeps logs in memory, and makes what is in them durable when it is told to. */
final class LaggingStorage implements StorageEngine {
    private final StorageEngine memory = new MemoryStorage();
    /** Facts that were appended, in hexadecimal. */
    final ConcurrentLinkedQueue<String> facts = new ConcurrentLinkedQueue<>();

    volatile LaggingLog last;

    @Override
    public String name() {
        return "lagging";
    }

    @Override
    public Durability durability() {
        return Durability.DISK;
    }

    @Override
    public void start(StorageContext context) {}

    @Override
    public long[] stored() {
        return new long[0];
    }

    @Override
    public long entries(long id) {
        return 0;
    }

    @Override
    public Log open(long id, boolean durable, LogListener listener, Executor owner) {
        LaggingLog log = new LaggingLog(memory.open(id, durable, listener, owner), listener);
        last = log;
        return log;
    }

    @Override
    public LogTransaction begin() {
        return memory.begin();
    }

    @Override
    public void delete(long id) {
        memory.delete(id);
    }

    @Override
    public void close() {
        memory.close();
    }

    /** A log whose durability lags. Owned by its queue's loop. */
    final class LaggingLog implements Log {
        private final Log log;
        private final LogListener listener;
        private long index;
        private long durable;
        /** What was demanded last. */
        volatile Durability demanded;

        LaggingLog(Log log, LogListener listener) {
            this.log = log;
            this.listener = listener;
        }

        void becomeDurable(long upTo) {
            durable = upTo;
            listener.durable(upTo);
        }

        void fail() {
            listener.failed("a failure that this test wants");
        }

        @Override
        public void replay(LogReplay replay) {
            log.replay(replay);
        }

        @Override
        public void durability(Durability least) {
            demanded = least;
        }

        @Override
        public void checkpoint(ByteBuf state) {}

        @Override
        public long append(
                long position,
                long stamp,
                Message message,
                Envelope envelope,
                Annotations annotations,
                boolean lasting) {
            log.append(position, stamp, message, envelope, annotations, lasting);
            return ++index;
        }

        @Override
        public long append(ByteBuf fact, boolean awaited) {
            facts.add(ByteBufUtil.hexDump(fact));
            return ++index;
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
            log.append(in, position, stamp, message, envelope, annotations, lasting);
        }

        @Override
        public void append(LogTransaction in, ByteBuf fact) {
            facts.add(ByteBufUtil.hexDump(fact));
            log.append(in, fact);
        }

        @Override
        public void release(LogTransaction in, long from, long to) {
            log.release(in, from, to);
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
        public void release(long from, long to) {
            log.release(from, to);
        }

        @Override
        public Message message(long position) {
            return log.message(position);
        }

        @Override
        public Envelope envelope(long position) {
            return log.envelope(position);
        }

        @Override
        public Annotations annotations(long position) {
            return log.annotations(position);
        }

        @Override
        public long stamp(long position) {
            return log.stamp(position);
        }

        @Override
        public void load(long from, int bytes) {
            log.load(from, bytes);
        }

        @Override
        public void unload(long from, long to) {}

        @Override
        public long residentBytes() {
            return log.residentBytes();
        }

        @Override
        public void close() {
            log.close();
        }
    }
}
