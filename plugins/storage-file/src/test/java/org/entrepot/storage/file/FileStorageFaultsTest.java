package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;
import org.entrepot.testkit.storage.PlainFormat;
import org.entrepot.testkit.storage.disk.FaultyDisk;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the engine does about a full disk, and which stores it does not start with. */
@Timeout(120)
final class FileStorageFaultsTest {
    private static final int SEGMENT_BYTES = 1 << 15;

    private final Owner owner = new Owner();
    private final CopyOnWriteArrayList<String> told = new CopyOnWriteArrayList<>();

    @TempDir
    private Path directory;

    @AfterEach
    void end() {
        owner.close();
    }

    private FileStorage start(FileStorage.DiskSupplier disk) throws StorageException {
        FileStorage engine = new FileStorage(
                disk,
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, SEGMENT_BYTES, 4 * SEGMENT_BYTES, Integer.MAX_VALUE),
                new StoreMeters(new SimpleMeterRegistry()));
        engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), new Told()));
        return engine;
    }

    private FileStorage start() throws StorageException {
        return start(() -> NioDisk.open(directory));
    }

    private final class Told implements StorageListener {
        @Override
        public void full(String reason) {
            told.add("full");
        }

        @Override
        public void hasRoom() {
            told.add("has room");
        }

        @Override
        public void failed(String reason) {
            told.add("failed: " + reason);
        }

        @Override
        public void checkpointWanted(long log) {}

        @Override
        public void alarm(String text) {
            told.add("alarm: " + text);
        }
    }

    private void await(String what) {
        while (!told.contains(what)) {
            Thread.onSpinWait(); // the test's time is bounded
        }
    }

    @Test
    void aFullDiskIsToldAndLosesNothingAndThereIsRoomAgain() throws Exception {
        RecordingDisk memory = new RecordingDisk();
        FaultyDisk disk = new FaultyDisk(memory);
        Disk shared = disk;
        FileStorage engine = start(() -> shared);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        disk.capacity(disk.taken() + 2L * SEGMENT_BYTES);
        while (!told.contains("full")) {
            log.append(true);
        }
        for (int i = 0; i < 1_000; i++) {
            log.append(true);
        }
        assertThat(log.isDurable()).isFalse();

        disk.unlimit();
        await("has room");
        while (!log.isDurable()) {
            Thread.onSpinWait();
        }
        assertThat(told).containsExactly("full", "has room");
        log.close();
        engine.close();

        FileStorage again = start(() -> shared);
        log.open(again);
        log.checkAll();
        log.close();
        again.close();
    }

    @Test
    void aDiskThatTheStoreAloneHasFilledHasRoomAgainWhenConsumersSettle() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        disk.capacity(disk.taken() + 12L * SEGMENT_BYTES);
        for (int round = 0; round < 5; round++) {
            while (!told.contains("full")) {
                log.append(true);
                // What waits for the disk is limited by the broker; here it is one entry.
                while (!log.isDurable() && !told.contains("full")) {
                    Thread.onSpinWait();
                }
            }
            log.append(true);

            log.release(0, log.position(1));
            await("has room");
            while (!log.isDurable()) {
                Thread.onSpinWait();
            }
            told.clear();
        }
        log.close();
        engine.close();
    }

    @Test
    void aLogThatNeedsNoDiskWaitsForNoSync() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = start(() -> disk);
        ModelLog safe = new ModelLog(1, owner);
        ModelLog quick = new ModelLog(2, owner);
        safe.open(engine);
        quick.open(engine);
        quick.durability(StorageEngine.Durability.OPERATING_SYSTEM);
        disk.holdSyncs();
        ModelLog.appendShared(List.of(quick, safe));
        while (!quick.isDurable()) {
            Thread.onSpinWait();
        }
        assertThat(safe.isDurable()).isFalse();
        quick.durability(StorageEngine.Durability.DISK);
        quick.append(true);
        assertThat(quick.isDurable()).isFalse();
        disk.letSyncs();
        while (!safe.isDurable() || !quick.isDurable()) {
            Thread.onSpinWait();
        }
        safe.close();
        quick.close();
        engine.close();
    }

    @Test
    void aDirectoryServesOneAtATime() throws Exception {
        FileStorage engine = start();
        assertThatThrownBy(this::start).isInstanceOf(StorageException.class).hasMessageContaining("in use");
        engine.close();
    }

    @Test
    void aLaterFormatIsRefused() throws Exception {
        Files.writeString(directory.resolve("store"), "entrepot store, format 2, number 00000000000000ff\n");
        assertThatThrownBy(this::start).isInstanceOf(StorageException.class).hasMessageContaining("later release");
    }

    @Test
    void filesWithoutTheirIdentityAreRefused() throws Exception {
        start().close();
        assertThat(directory.resolve(Segment.name(1))).exists();
        Files.delete(directory.resolve("store"));
        assertThatThrownBy(this::start).isInstanceOf(StorageException.class).hasMessageContaining("but not the file");
    }

    @Test
    void aMissingSegmentIsRefusedAndNothingIsChanged() throws Exception {
        FileStorage engine = start();
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        for (int i = 0; i < 400; i++) {
            log.append(true);
        }
        log.close();
        engine.close();
        assertThat(directory.resolve(Segment.name(3))).exists();
        Files.delete(directory.resolve(Segment.name(2)));

        assertThatThrownBy(this::start).isInstanceOf(StorageException.class).hasMessageContaining("has a gap");
        // Nothing is changed, and nothing held: a second try says the same.
        assertThatThrownBy(this::start).isInstanceOf(StorageException.class).hasMessageContaining("has a gap");
        assertThat(directory.resolve(Segment.name(1))).exists();
        assertThat(directory.resolve(Segment.name(3))).exists();
    }

    /** A byte that changes where everything was synced is never taken for an end that a write left torn. */
    @Test
    void aChangedByteIsFoundAndCostsNothingElse() throws Exception {
        FileStorage engine = start();
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        // Each is on a page of its own; more than the journal may hold would be moved to a table.
        int entries = 20;
        for (int i = 0; i < entries; i++) {
            log.append(true);
            while (!log.isDurable()) {
                Thread.onSpinWait();
            }
        }
        log.close();
        engine.close();
        byte[] whole = Files.readAllBytes(directory.resolve(Segment.name(1)));
        byte[] damaged = whole.clone();
        damaged[Batch.PAGE + Batch.HEAD + Records.HEAD + 4] ^= 1;
        Files.write(directory.resolve(Segment.name(1)), damaged);

        FileStorage again = start();
        assertThat(told).singleElement().asString().startsWith("alarm: " + Segment.name(1) + " is damaged");
        assertThat(again.entries(1)).isEqualTo(entries - 1);
        again.close();
    }
}
