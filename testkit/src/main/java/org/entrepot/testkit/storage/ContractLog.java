package org.entrepot.testkit.storage;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
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

    private final AtomicReference<@Nullable String> complaint = new AtomicReference<>();

    ContractLog(StorageEngine engine, long id, boolean lasting) {
        this.ownersThread = on(Thread::currentThread);
        this.log = on(() -> engine.open(id, lasting, new Listener(), owner));
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
        public void failed(String reason) {
            mustBeTheOwner("failed");
            complaint.compareAndSet(null, "the log has failed: " + reason);
        }

        private void mustBeTheOwner(String call) {
            if (Thread.currentThread() != ownersThread) {
                complaint.compareAndSet(null, call + " was called by " + Thread.currentThread());
            }
        }
    }

    long append(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean lasting) {
        return on(() -> log.append(position, stamp, message, envelope, annotations, lasting));
    }

    long append(ByteBuf fact) {
        return on(() -> log.append(fact));
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
