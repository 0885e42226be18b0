package org.entrepot.storage.file;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;
import org.entrepot.testkit.storage.PlainFormat;

/** What engines of a test have said of themselves, in order. Any thread may add. */
final class Told implements StorageListener {
    static final int SEGMENT_BYTES = 1 << 15;

    final CopyOnWriteArrayList<String> lines = new CopyOnWriteArrayList<>();

    /** Starts an engine that is heard here, with small files. */
    FileStorage start(FileStorage.DiskSupplier disk, FileSettings.Sync sync, long intervalMillis)
            throws StorageException {
        FileStorage engine = new FileStorage(
                disk,
                new FileSettings(sync, intervalMillis, 0, SEGMENT_BYTES, 4 * SEGMENT_BYTES, Integer.MAX_VALUE),
                new StoreMeters(new SimpleMeterRegistry()));
        engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), this));
        return engine;
    }

    FileStorage start(FileStorage.DiskSupplier disk) throws StorageException {
        return start(disk, FileSettings.Sync.ALWAYS, 200);
    }

    /** Waits for a line, as long as the test's time lasts. */
    void await(Predicate<String> line) {
        Waiting.until(() -> lines.stream().anyMatch(line));
    }

    @Override
    public void full(String reason) {
        lines.add("full");
    }

    @Override
    public void hasRoom() {
        lines.add("has room");
    }

    @Override
    public void failed(String reason) {
        lines.add("failed: " + reason);
    }

    @Override
    public void checkpointWanted(long log) {}

    @Override
    public void alarm(String text) {
        lines.add("alarm: " + text);
    }
}
