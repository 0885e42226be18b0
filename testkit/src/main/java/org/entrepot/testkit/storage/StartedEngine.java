package org.entrepot.testkit.storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.jspecify.annotations.Nullable;

/**
 * A started engine. Over a disk that works it must complain of nothing; over another it may fail ({@link EngineFailed}) and
 * raise alarms. Used by one thread, which also owns its logs.
 */
final class StartedEngine implements AutoCloseable {
    private final RecordingDisk disk;
    private final boolean works;
    private final PumpedOwner owner;
    private final StorageEngine engine;
    private final ConcurrentLinkedQueue<String> complaints = new ConcurrentLinkedQueue<>();
    private volatile @Nullable String failure;
    private boolean closed;

    StartedEngine(StorageFactory factory, RecordingDisk disk) {
        this(factory, disk, disk);
    }

    /** An engine over a disk that does what it does on another. */
    StartedEngine(StorageFactory factory, Disk upper, RecordingDisk disk) {
        this.disk = disk;
        this.works = upper == disk;
        this.owner = new PumpedOwner(disk::operationCount);
        try {
            this.engine = factory.open(upper);
        } catch (IOException broken) {
            throw new EngineFailed("the engine was not made: " + broken);
        }
        try {
            engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), new Listener()));
        } catch (StorageException refused) {
            throw new EngineFailed("the engine does not start: " + refused.getMessage());
        }
    }

    private final class Listener implements StorageListener {
        @Override
        public void full(String reason) {
            complaints.add("says that the disk is full: " + reason);
        }

        @Override
        public void hasRoom() {}

        @Override
        public void failed(String reason) {
            failure = reason;
        }

        /** All logs are opened anyway. */
        @Override
        public void checkpointWanted(long log) {}

        @Override
        public void alarm(String text) {
            complaints.add("raises an alarm: " + text);
        }
    }

    StorageEngine engine() {
        return engine;
    }

    PumpedOwner owner() {
        return owner;
    }

    /** Opens all logs and reads everything in them. */
    List<Recovered> recoverAll() {
        Set<Long> stored = LongStream.of(engine.stored()).boxed().collect(Collectors.toSet());
        List<OpenLog> open = new ArrayList<>();
        List<Recovered> recovered = new ArrayList<>();
        for (LogName name : LogName.ALL) {
            long count = engine.entries(name.id());
            OpenLog log = OpenLog.open(name, owner, index -> {}, engine);
            open.add(log);
            recovered.add(Recovered.of(log, stored.remove(name.id()), count));
        }
        if (!stored.isEmpty()) {
            throw new AssertionError("logs " + stored + " are stored, which nobody ever opened");
        }
        open.forEach(log -> log.log().close());
        mustNotComplain();
        return recovered;
    }

    /** Fails when the engine has complained of anything. */
    void mustNotComplain() {
        String failed = failure;
        if (failed != null) {
            throw new EngineFailed("the engine has failed: " + failed);
        }
        String complaint = complaints.peek();
        if (works && complaint != null) {
            throw new AssertionError(
                    "on a disk that works, and after a crash that can happen, the engine " + complaint);
        }
    }

    /** Ends the engine, once. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        engine.close();
        owner.pump();
        mustNotComplain();
        if (disk.openFiles() > 0) {
            throw new AssertionError("the engine was closed and has left " + disk.openFiles() + " files open");
        }
    }
}
