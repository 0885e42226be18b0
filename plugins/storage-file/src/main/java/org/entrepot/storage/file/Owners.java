package org.entrepot.storage.file;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Asks the owners of logs, and waits for their answers, until the engine is closed. Any thread may call it but an owner. */
final class Owners {
    private static final int SECONDS_MAX = 60;

    private final CompletableFuture<Boolean> closing = new CompletableFuture<>();

    /** The engine ends, or an owner has ended: what is half done is left. */
    static final class StoppedException extends Exception {
        private static final long serialVersionUID = 1;

        StoppedException(String why) {
            super(why);
        }
    }

    /** Nobody waits any more: an owner may be the one who closes. */
    void close() {
        closing.complete(true);
    }

    boolean isClosing() {
        return closing.isDone();
    }

    /** What an owner says of its log. */
    <T> T ask(FileLog log, Supplier<T> question) throws StoppedException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            log.executor().execute(() -> {
                try {
                    answer.complete(question.get());
                } catch (RuntimeException | AssertionError fault) {
                    answer.completeExceptionally(fault);
                }
            });
            CompletableFuture.anyOf(answer, closing).get(SECONDS_MAX, TimeUnit.SECONDS);
            if (!answer.isDone()) {
                throw new StoppedException("the engine is closed");
            }
            return answer.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new StoppedException("interrupted");
        } catch (ExecutionException fault) {
            throw new IllegalStateException("a fault in log " + log.id(), fault.getCause());
        } catch (TimeoutException | RejectedExecutionException stopped) {
            throw new StoppedException("the owner of log " + log.id() + " does not answer");
        }
    }
}
