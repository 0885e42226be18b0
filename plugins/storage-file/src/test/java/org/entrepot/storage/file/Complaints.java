package org.entrepot.storage.file;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.entrepot.spi.storage.StorageListener;

/** What an engine under test has found wrong. Any thread may call it. */
final class Complaints implements StorageListener {
    private final CopyOnWriteArrayList<String> complaints = new CopyOnWriteArrayList<>();

    List<String> all() {
        return complaints;
    }

    @Override
    public void full(String reason) {
        complaints.add(reason);
    }

    @Override
    public void hasRoom() {}

    @Override
    public void failed(String reason) {
        complaints.add(reason);
    }

    @Override
    public void checkpointWanted(long log) {}

    @Override
    public void alarm(String text) {
        complaints.add(text);
    }
}
