package org.entrepot.abuse;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What went wrong in the threads of an abuse, other than that the broker hung up. Thread-safe. */
final class Faults {
    private final AtomicReference<Throwable> first = new AtomicReference<>();
    private final AtomicReference<IOException> lastHungUp = new AtomicReference<>();
    private final AtomicInteger completed = new AtomicInteger();

    /** Something that abuses. */
    @FunctionalInterface
    interface Deed {
        void run() throws IOException;
    }

    void watch(Deed deed) {
        try {
            deed.run();
            completed.incrementAndGet();
        } catch (IOException hungUp) {
            lastHungUp.set(hungUp);
        } catch (RuntimeException | Error fault) {
            first.compareAndSet(null, fault);
        }
    }

    /** Runs threads to their end; nothing may have gone wrong. */
    void run(List<Thread> threads) throws InterruptedException {
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        if (first.get() != null) {
            throw new AssertionError("an abuse went wrong", first.get());
        }
    }

    /** How many deeds were done without the broker hanging up first. */
    int completed() {
        return completed.get();
    }

    /** How the broker hung up last, or null when it never did. */
    @Nullable IOException lastHungUp() {
        return lastHungUp.get();
    }
}
