package org.entrepot.testkit.storage;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageEngine;
import org.jspecify.annotations.Nullable;

/**
 * A log with an owner of its own, used as the broker uses logs: every call is made by the owner, every answer must come to
 * it, and what is not in memory is loaded before it is read. Used by one thread.
 */
final class ContractLog implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 30;
    private static final int LOAD_BYTES = 1 << 16;

    private final ExecutorService owner = Executors.newSingleThreadExecutor();
    private final Thread ownersThread;
    private final Log log;
    private final List<Long> toldDurable = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<Long> loaded = new LinkedBlockingQueue<>();
    /** Wakes whoever waits for durability. */
    private final LinkedBlockingQueue<Long> durable = new LinkedBlockingQueue<>();

    /** What the log has told of the time before it was opened, in the words of {@link Replay}. */
    private final List<String> replayed = new CopyOnWriteArrayList<>();
    /** The position that a replay ended with. */
    private final LinkedBlockingQueue<Long> ended = new LinkedBlockingQueue<>();

    private final AtomicInteger checkpointsWanted = new AtomicInteger();
    private final List<LogTransaction> committed = new CopyOnWriteArrayList<>();

    private final AtomicReference<@Nullable String> complaint = new AtomicReference<>();
    private final long tail;

    ContractLog(StorageEngine engine, long id, boolean lasting) {
        this.ownersThread = on(Thread::currentThread);
        this.log = on(() -> engine.open(id, lasting, new Listener(), owner));
        on(() -> {
            log.replay(new Replay());
            return true;
        });
        this.tail = await(ended, "the replay to end");
    }

    /** What the log has told of the time before it was opened: one line for each call, in order. */
    List<String> replayed() {
        return replayed;
    }

    /** The position that the log says is greater than that of every entry there ever was. */
    long tail() {
        return tail;
    }

    private final class Replay implements LogReplay {
        @Override
        public void checkpoint(ByteBuf state) {
            tell("checkpoint " + ByteBufUtil.hexDump(state));
        }

        @Override
        public void entry(long position, long stamp, Envelope envelope, int bytes) {
            tell("entry " + position + " at " + stamp + " to " + envelope.exchange() + ", a body of " + bytes
                    + " bytes");
        }

        @Override
        public void released(long from, long to) {
            tell("released " + from + " to " + to);
        }

        @Override
        public void fact(ByteBuf fact) {
            tell("fact " + ByteBufUtil.hexDump(fact));
        }

        @Override
        public void ended(long position) {
            mustBeTheOwner("ended");
            ended.add(position);
        }

        @Override
        public void failed(String reason) {
            complaint.compareAndSet(null, "the replay has failed: " + reason);
            ended.add(0L);
        }

        private void tell(String line) {
            mustBeTheOwner("replay");
            replayed.add(line);
        }
    }

    private final class Listener implements LogListener {
        @Override
        public void durable(long index) {
            mustBeTheOwner("durable");
            toldDurable.add(index);
            durable.add(index);
        }

        @Override
        public void loaded(long from, long to) {
            mustBeTheOwner("loaded");
            loaded.add(from);
        }

        @Override
        public void lost(long from, long to) {
            complaint.compareAndSet(null, "entries " + from + " to " + to + " were lost");
        }

        @Override
        public void committed(LogTransaction transaction) {
            mustBeTheOwner("committed");
            committed.add(transaction);
        }

        @Override
        public void checkpointWanted() {
            mustBeTheOwner("checkpointWanted");
            checkpointsWanted.incrementAndGet();
        }

        @Override
        public void failed(String reason) {
            mustBeTheOwner("failed");
            complaint.compareAndSet(null, "the log has failed: " + reason);
        }
    }

    private void mustBeTheOwner(String call) {
        if (Thread.currentThread() != ownersThread) {
            complaint.compareAndSet(null, call + " was called by " + Thread.currentThread());
        }
    }

    long append(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean lasting) {
        return on(() -> log.append(position, stamp, message, envelope, annotations, lasting));
    }

    void append(LogTransaction in, long position, long stamp, Message message, Envelope envelope, boolean lasting) {
        on(() -> {
            log.append(in, position, stamp, message, envelope, Annotations.NONE, lasting);
            return true;
        });
    }

    void append(LogTransaction in, ByteBuf fact) {
        on(() -> {
            log.append(in, fact);
            return true;
        });
    }

    void release(LogTransaction in, long from, long to) {
        on(() -> {
            log.release(in, from, to);
            return true;
        });
    }

    /** Transactions that the log has said were committed, with all that was given to its owner before. */
    List<LogTransaction> committed() {
        return on(() -> List.copyOf(committed));
    }

    long append(ByteBuf fact) {
        return on(() -> log.append(fact, true));
    }

    long durableIndex() {
        return on(log::durableIndex);
    }

    List<Long> toldDurable() {
        return toldDurable;
    }

    /** Waits until everything up to a record is durable. */
    void awaitDurable(long index) {
        while (durableIndex() < index) {
            await(durable, "record " + index + " to be durable");
        }
    }

    void checkpoint(ByteBuf state) {
        on(() -> {
            log.checkpoint(state);
            return true;
        });
    }

    /** How often the log has asked for a checkpoint. */
    int checkpointsWanted() {
        return checkpointsWanted.get();
    }

    void unload(long from, long to) {
        on(() -> {
            log.unload(from, to);
            return true;
        });
    }

    void release(long from, long to) {
        on(() -> {
            log.release(from, to);
            return true;
        });
    }

    long residentBytes() {
        return on(log::residentBytes);
    }

    /** Brings an entry into memory where it is not; whether it is there then. */
    boolean read(long position) {
        while (!on(() -> log.message(position) != null)) {
            on(() -> {
                log.load(position, LOAD_BYTES);
                return true;
            });
            if (await(loaded, "entry " + position + " to be loaded") > position) {
                return false;
            }
        }
        return true;
    }

    Message message(long position) {
        return reading(position, () -> log.message(position));
    }

    Envelope envelope(long position) {
        return reading(position, () -> log.envelope(position));
    }

    Annotations annotations(long position) {
        return reading(position, () -> log.annotations(position));
    }

    long stamp(long position) {
        return reading(position, () -> log.stamp(position));
    }

    private <T> T reading(long position, Callable<@Nullable T> call) {
        if (!read(position)) {
            throw new AssertionError("entry " + position + " is not there");
        }
        return on(call);
    }

    @Override
    public void close() {
        on(() -> {
            log.close();
            return true;
        });
        owner.shutdown();
        String said = complaint.get();
        if (said != null) {
            throw new AssertionError(said);
        }
    }

    /** What comes of a call that the owner makes. */
    private <T> T on(Callable<@Nullable T> call) {
        try {
            T result = owner.submit(call).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (result == null) {
                throw new AssertionError("there was no answer where one is promised");
            }
            return result;
        } catch (ExecutionException failure) {
            throw new AssertionError("the log has thrown " + failure.getCause(), failure.getCause());
        } catch (TimeoutException stuck) {
            throw new AssertionError("the log has kept its owner for too long", stuck);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    private static long await(LinkedBlockingQueue<Long> news, String what) {
        try {
            Long next = news.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("waited in vain for " + what);
            }
            return next;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }
}
