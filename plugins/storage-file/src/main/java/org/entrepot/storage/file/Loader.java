package org.entrepot.storage.file;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that read entries back, so that no loop waits for a disk. Any thread may ask. They are there while there is
 * something to read, and a while longer.
 */
final class Loader {
    private static final Logger log = LoggerFactory.getLogger(Loader.class);
    private static final int THREADS_MAX = 2;
    private static final int IDLE_SECONDS_MAX = 10;
    private static final int END_SECONDS_MAX = 30;
    private static final int RETRY_SECONDS = 1;

    private final Threads threads;
    /** Guarded by this object, as are those below. */
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    private int running;
    private int idle;
    private boolean closed;

    Loader(Threads threads) {
        this.threads = threads;
    }

    /** Reads something, and gives what comes of it to the owner of whoever wants it. */
    void read(FileLog of, Supplier<Reading.Result> reading, Consumer<Reading.Result> then) {
        execute(() -> {
            Reading.Result result = reading.get();
            of.onOwner(() -> then.accept(result));
        });
    }

    /** Has the owner of a log do something in a while. */
    void later(FileLog of, Runnable task) {
        CompletableFuture.delayedExecutor(RETRY_SECONDS, TimeUnit.SECONDS, Runnable::run)
                .execute(() -> of.onOwner(task));
    }

    void execute(Runnable task) {
        synchronized (this) {
            if (closed) {
                return;
            }
            waiting.add(task);
            if (waiting.size() <= idle) {
                notifyAll();
                return;
            }
            if (running == THREADS_MAX) {
                return;
            }
            running++;
        }
        threads.start("store-reader", this::run);
    }

    private void run() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException | Error fault) {
                log.error("A fault in the store's reader: this is a defect, please report it with this trace", fault);
            }
        }
    }

    /** What to do next; null when the thread is to end. */
    private synchronized @Nullable Runnable next() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(IDLE_SECONDS_MAX);
        idle++;
        try {
            while (waiting.isEmpty() && !closed && end - System.nanoTime() > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
            }
        } catch (InterruptedException interrupted) {
            log.warn("A reader of the store was interrupted", interrupted);
        } finally {
            idle--;
        }
        Runnable task = waiting.poll();
        if (task == null) {
            running--;
            notifyAll();
        }
        return task;
    }

    /** Ends after what was begun; nobody interrupts a thread that reads, for that would close the file. */
    synchronized void close() throws InterruptedException {
        closed = true;
        notifyAll();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS_MAX);
        while (running > 0) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                log.warn("The store is closed while somebody still reads in it");
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
