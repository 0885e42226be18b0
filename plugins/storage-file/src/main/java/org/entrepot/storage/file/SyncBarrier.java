package org.entrepot.storage.file;

import java.util.concurrent.CountDownLatch;

/**
 * Somebody who waits until all is synced that was appended before. The waiter may be any thread, the rest is the journal
 * writer's.
 */
final class SyncBarrier {
    private final CountDownLatch over = new CountDownLatch(1);
    private final boolean patient;
    private volatile boolean synced;
    private volatile boolean noRoom;

    /**
     * One who waits.
     *
     * @param patient whether also while the disk is full
     */
    SyncBarrier(boolean patient) {
        this.patient = patient;
    }

    /** Waits; whether all was synced. */
    boolean await() throws InterruptedException {
        over.await();
        return synced;
    }

    /** Whether the waiting ended because the disk is full. */
    boolean isSentAway() {
        return noRoom;
    }

    void synced() {
        synced = true;
        over.countDown();
    }

    /** It will not be synced any more. */
    void giveUp() {
        over.countDown();
    }

    /** The disk is full: who is not patient goes; whether that is so. */
    boolean sendAway() {
        if (patient) {
            return false;
        }
        noRoom = true;
        over.countDown();
        return true;
    }
}
