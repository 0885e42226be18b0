package org.entrepot.core.boot;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A few threads for what would hold a loop up and is no part of the way of a message: certificates, TLS handshakes,
 * looking at the disk. They end when idle. Any thread may hand work in.
 */
final class BackgroundPool implements Executor {
    private static final int THREADS_MAX = 2;
    private static final int IDLE_SECONDS = 30;
    private static final int CLOSE_SECONDS_MAX = 5;

    private final ThreadPoolExecutor threads;

    BackgroundPool() {
        threads = new ThreadPoolExecutor(
                THREADS_MAX, THREADS_MAX, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "background");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable work) {
        threads.execute(work);
    }

    /** Finishes what was handed in, for a while; refuses further work. */
    void close() throws InterruptedException {
        threads.shutdown();
        if (!threads.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
            threads.shutdownNow();
        }
    }
}
