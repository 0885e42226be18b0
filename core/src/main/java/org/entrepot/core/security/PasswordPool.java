package org.entrepot.core.security;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for slow hashes of passwords: half as many as cores, which end when idle, and a bounded queue. Any thread may
 * hand work in; work beyond the queue is refused with {@link java.util.concurrent.RejectedExecutionException}. Owned by
 * {@code boot}, which closes it.
 */
public final class PasswordPool implements Executor, AutoCloseable {
    private static final int WAITING_MAX = 512;
    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads;

    public PasswordPool(int cores) {
        int most = Math.max(1, cores / 2);
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                most, most, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING_MAX), work -> {
                    Thread thread = new Thread(work, "password-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable work) {
        threads.execute(work);
    }

    /** Drops what waits; work that has begun ends by itself. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
