package org.entrepot.storage.file;

import java.util.function.BooleanSupplier;

/** Waits in tests, as long as their time lasts. Stateless. */
final class Waiting {
    private Waiting() {}

    /** Waits until something holds, or the test's time is over and its thread is interrupted. */
    static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("waited in vain");
            }
            Thread.onSpinWait();
        }
    }
}
