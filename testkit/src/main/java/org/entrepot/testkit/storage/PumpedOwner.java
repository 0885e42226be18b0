package org.entrepot.testkit.storage;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An owner of logs that runs what it is given when it is told to, on the thread that tells it. Any thread may give, one
 * runs.
 */
final class PumpedOwner implements Executor {
    private static final long PATIENCE_SECONDS = 30;

    private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
    private final IntSupplier operations;
    private @Nullable Task running;

    /** An owner that notes how many operations a disk had done when it was given something. */
    PumpedOwner(IntSupplier operations) {
        this.operations = operations;
    }

    private record Task(Runnable body, int operations) {}

    @Override
    public void execute(Runnable body) {
        tasks.add(new Task(body, operations.getAsInt()));
    }

    /** How many operations the disk had done when what is running now was given; outside of that, how many it has done. */
    int operations() {
        return running == null ? operations.getAsInt() : running.operations();
    }

    /** Runs what is there. */
    void pump() {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            run(task);
        }
    }

    /** Runs what is there and what comes until something holds. */
    void await(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            try {
                Task task = tasks.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (task == null) {
                    throw new AssertionError("waited " + PATIENCE_SECONDS + " s in vain for " + what);
                }
                run(task);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for " + what, interrupted);
            }
        }
    }

    private void run(Task task) {
        running = task;
        try {
            task.body().run();
        } finally {
            running = null;
        }
    }
}
