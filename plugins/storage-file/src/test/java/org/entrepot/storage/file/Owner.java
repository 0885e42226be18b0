package org.entrepot.storage.file;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A thread that owns logs in tests; what it is asked is answered within a minute or fails. */
final class Owner implements Executor, AutoCloseable {
    private static final int SECONDS_MAX = 60;

    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    @Override
    public void execute(Runnable task) {
        thread.execute(task);
    }

    <T> T ask(Callable<@Nullable T> question) {
        try {
            T answer = thread.submit(question).get(SECONDS_MAX, TimeUnit.SECONDS);
            if (answer == null) {
                throw new AssertionError("no answer");
            }
            return answer;
        } catch (ExecutionException failed) {
            throw new AssertionError(failed.getCause());
        } catch (TimeoutException stuck) {
            throw new AssertionError("the owner is stuck", stuck);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    void tell(Runnable task) {
        ask(() -> {
            task.run();
            return true;
        });
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
