package org.entrepot.storage.file;

import java.util.concurrent.Callable;

/** Waits in tests, as long as their time lasts. Stateless. */
final class Waiting {
    private Waiting() {}

    /** Waits until something holds, or the test's time is over and its thread is interrupted. */
    static void until(Callable<Boolean> condition) {
        while (!holds(condition)) {
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("waited in vain");
            }
            Thread.onSpinWait();
        }
    }

    private static boolean holds(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception failed) {
            throw new AssertionError("what is waited for cannot be told", failed);
        }
    }
}
