package org.entrepot.storage.file;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;
import org.entrepot.testkit.storage.PlainFormat;

/** A store in real files, with something of everything in it, and what must be in it. Used by one thread. */
final class SampleStore {
    private static final int SEGMENT_BYTES = 1 << 15;
    private static final int LOGS = 3;

    private final Path directory;
    private final Owner owner;
    private final List<ModelLog> logs = new ArrayList<>();

    SampleStore(Path directory, Owner owner) {
        this.directory = directory;
        this.owner = owner;
    }

    /** The same store in another directory. */
    SampleStore copyTo(Path other) throws IOException {
        Files.createDirectories(other);
        for (String name : names("")) {
            Files.copy(directory.resolve(name), other.resolve(name));
        }
        SampleStore copy = new SampleStore(other, owner);
        copy.logs.addAll(logs);
        return copy;
    }

    static FileStorage start(Path directory, StorageListener listener) throws StorageException {
        FileStorage engine = new FileStorage(
                () -> NioDisk.open(directory),
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, SEGMENT_BYTES, 3 * SEGMENT_BYTES, Integer.MAX_VALUE),
                new StoreMeters(new SimpleMeterRegistry()));
        engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), listener));
        return engine;
    }

    /** Fills the store, until it has tables and a journal of several segments. */
    void build(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        FileStorage engine = start(directory, new Told());
        for (int i = 1; i <= LOGS; i++) {
            ModelLog log = new ModelLog(i, owner);
            log.open(engine);
            logs.add(log);
        }
        fill(random, 700);
        // How much comes into a batch depends on the disk's speed, and with it when the journal is long enough.
        while (names("table-").isEmpty()) {
            fill(random, 10);
        }
        fill(random, 250);
        for (ModelLog log : logs) {
            log.close();
        }
        engine.close();
        deleteLeftovers();
    }

    /** The reclaimer may have been stopped in the middle of something, which a start would end. */
    private void deleteLeftovers() throws Exception {
        try (NioDisk disk = NioDisk.openToRead(directory);
                Inspection inspection = Inspection.of(disk)) {
            for (String name : inspection.names()) {
                if (inspection.isOver(name)) {
                    Files.delete(directory.resolve(name));
                }
            }
        }
    }

    private void fill(SplittableRandom random, int steps) {
        for (int step = 0; step < steps; step++) {
            ModelLog log = logs.get(random.nextInt(LOGS));
            int choice = random.nextInt(100);
            if (choice < 60) {
                log.append(true);
            } else if (choice < 80) {
                ModelLog.appendShared(logs);
            } else if (choice < 90) {
                log.fact(step);
            } else {
                long from = log.position(random.nextDouble());
                log.release(from, from + random.nextInt(3));
            }
        }
    }

    List<ModelLog> logs() {
        return logs;
    }

    long entries() {
        return logs.stream().mapToLong(log -> log.lasting().size()).sum();
    }

    /** Files whose names begin like this, in order. */
    List<String> names(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(prefix) && !name.endsWith(".unfinished"))
                    .sorted()
                    .toList();
        }
    }

    /** Changes bits of one byte of a file. */
    void flip(String name, long at, int mask) throws IOException {
        byte[] bytes = Files.readAllBytes(directory.resolve(name));
        bytes[Math.toIntExact(at)] ^= (byte) mask;
        Files.write(directory.resolve(name), bytes);
    }
}
