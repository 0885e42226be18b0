package org.entrepot.storage.file;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that read entries back, so that no loop waits for a disk. Any thread may ask. */
final class Loader {
    private static final Logger log = LoggerFactory.getLogger(Loader.class);
    private static final int THREADS = 2;
    private static final int END_SECONDS_MAX = 30;
    private static final int RETRY_SECONDS = 1;

    private final ScheduledExecutorService threads =
            Executors.newScheduledThreadPool(THREADS, task -> new Thread(task, "store-reader"));

    /** Reads something, and gives what comes of it to the owner of whoever wants it. */
    void read(FileLog of, Supplier<Reading.Result> reading, Consumer<Reading.Result> then) {
        execute(() -> {
            Reading.Result result = reading.get();
            of.onOwner(() -> then.accept(result));
        });
    }

    /** Has the owner of a log do something in a while. */
    void later(FileLog of, Runnable task) {
        try {
            threads.schedule(() -> of.onOwner(task), RETRY_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException closed) {
            log.debug("The engine is closed", closed);
        }
    }

    void execute(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException closed) {
            log.debug("The engine is closed", closed);
        }
    }

    /** Ends after what was begun; nobody interrupts a thread that reads, for that would close the file. */
    void close() throws InterruptedException {
        threads.shutdown();
        if (!threads.awaitTermination(END_SECONDS_MAX, TimeUnit.SECONDS)) {
            log.warn("The store is closed while somebody still reads in it");
        }
    }
}
