package org.entrepot.core.session;

import org.entrepot.core.queue.Queues;
import org.entrepot.spi.storage.StorageListener;

/** Takes what the storage engine has to say about itself to where it belongs. Immutable; any thread may call it. */
public final class StorageAlarms implements StorageListener {
    private final Alarms alarms;
    private final Queues queues;

    public StorageAlarms(Alarms alarms, Queues queues) {
        this.alarms = alarms;
        this.queues = queues;
    }

    @Override
    public void full(String reason) {
        alarms.storageIsFull(reason);
    }

    @Override
    public void hasRoom() {
        alarms.storageHasRoom();
    }

    @Override
    public void failed(String reason) {
        alarms.storageHasFailed(reason);
    }

    @Override
    public void checkpointWanted(long log) {
        queues.open(log);
    }

    @Override
    public void alarm(String text) {
        alarms.note(text);
    }
}
