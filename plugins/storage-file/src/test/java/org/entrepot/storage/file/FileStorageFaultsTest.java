package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
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
    private final Owner owner = new Owner();
    private final Told told = new Told();

    @TempDir
    private Path directory;

    @AfterEach
    void end() {
        owner.close();
    }

    private FileStorage start() throws StorageException {
        return told.start(() -> NioDisk.open(directory));
    }

    @Test
    void aFullDiskIsToldAndLosesNothingAndThereIsRoomAgain() throws Exception {
        RecordingDisk memory = new RecordingDisk();
        FaultyDisk disk = new FaultyDisk(memory);
        Disk shared = disk;
        FileStorage engine = told.start(() -> shared);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        disk.capacity(disk.taken() + 2L * Told.SEGMENT_BYTES);
        while (!told.lines.contains("full")) {
            log.append(true);
        }
        for (int i = 0; i < 1_000; i++) {
            log.append(true);
        }
        assertThat(log.isDurable()).isFalse();

        disk.unlimit();
        told.await("has room"::equals);
        log.awaitDurable();
        assertThat(told.lines).containsExactly("full", "has room");
        log.close();
        engine.close();

        FileStorage again = told.start(() -> shared);
        log.open(again);
        log.checkAll();
        log.close();
        again.close();
    }

    @Test
    void aDiskThatTheStoreAloneHasFilledHasRoomAgainWhenConsumersSettle() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        disk.capacity(disk.taken() + 12L * Told.SEGMENT_BYTES);
        for (int round = 0; round < 5; round++) {
            while (!told.lines.contains("full")) {
                log.append(true);
                // What waits for the disk is limited by the broker; here it is one entry.
                Waiting.until(() -> log.isDurable() || told.lines.contains("full"));
            }
            log.append(true);

            log.release(0, log.position(1));
            told.await("has room"::equals);
            log.awaitDurable();
            told.lines.clear();
        }
        log.close();
        engine.close();
    }

    @Test
    void aLogThatNeedsNoDiskWaitsForNoSync() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk);
        ModelLog safe = new ModelLog(1, owner);
        ModelLog quick = new ModelLog(2, owner);
        safe.open(engine);
        quick.open(engine);
        quick.durability(StorageEngine.Durability.OPERATING_SYSTEM);
        disk.holdSyncs();
        ModelLog.appendShared(List.of(quick, safe));
        quick.awaitDurable();
        assertThat(safe.isDurable()).isFalse();
        quick.durability(StorageEngine.Durability.DISK);
        quick.append(true);
        assertThat(quick.isDurable()).isFalse();
        disk.letSyncs();
        safe.awaitDurable();
        quick.awaitDurable();
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
        // No more than one segment takes, or the reclaimer would move them.
        for (int i = 0; i < 7; i++) {
            log.append(true);
            log.awaitDurable();
        }
        log.close();
        engine.close();
        byte[] whole = Files.readAllBytes(directory.resolve(Segment.name(1)));
        byte[] damaged = whole.clone();
        damaged[Batch.PAGE + Batch.HEAD + Records.HEAD + 4] ^= 1;
        Files.write(directory.resolve(Segment.name(1)), damaged);

        FileStorage again = start();
        assertThat(told.lines).singleElement().asString().startsWith("alarm: " + Segment.name(1) + " is damaged");
        assertThat(again.entries(1)).isEqualTo(6);
        again.close();
    }

    /** Consumers go on while the disk is full: what they settle makes room, or is written to the reserve. */
    @Test
    void twentyFullDisksLoseNothing() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        for (int round = 0; round < 20; round++) {
            told.lines.clear();
            disk.capacity(disk.taken() + 3L * Told.SEGMENT_BYTES);
            while (!told.lines.contains("full")) {
                log.append(true);
            }
            log.release(log.position(0), log.position(0.5));
            log.check(log.position(0), 3);
            disk.unlimit();
            told.await("has room"::equals);
            log.awaitDurable();
            log.release(log.position(0), log.position(0.8));
        }
        log.checkAll();
        log.close();
        engine.close();

        FileStorage again = told.start(() -> disk);
        log.open(again);
        log.checkAll();
        log.close();
        again.close();
    }

    @Test
    void oneFailedSyncEndsAllPromisesAndReadsGoOn() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        log.fill(20);
        log.unload(0, 1_000);
        disk.holdSyncs();
        log.append(true);
        disk.awaitHeldSync();
        disk.fail(FaultyDisk.Call.SYNC, 1);
        disk.letSyncs();
        told.await(line -> line.startsWith("failed: the journal cannot be written"));

        // Later syncs would succeed; they are not asked for, for nobody knows what the failed one has thrown away.
        long syncs = disk.count(FaultyDisk.Call.SYNC);
        assertThat(log.isDurable()).isFalse();
        log.appendInVain();
        assertThat(log.isDurable()).isFalse();
        log.checkFailed("the journal cannot be written", 0, 20);
        assertThat(disk.count(FaultyDisk.Call.SYNC)).isEqualTo(syncs);
        log.closeFailed("the journal cannot be written");
        engine.close();
        assertThat(disk.count(FaultyDisk.Call.SYNC)).isEqualTo(syncs);
    }

    @Test
    void whatTheDiskDoesNotGiveIsAskedForAgain() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        log.fill(20);
        log.unload(0, 1_000);
        disk.fail(FaultyDisk.Call.READ, 1);

        log.checkAll();
        assertThat(disk.failures()).isEqualTo(1);
        assertThat(told.lines).isEmpty();
        log.close();
        engine.close();
    }

    @Test
    void whatTheDiskNeverGivesFailsTheLogAndIsNotLost() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        log.append(true);
        log.awaitDurable();
        log.unload(0, 1_000);
        disk.failFrom(FaultyDisk.Call.READ, 1);
        log.loadInVain(0);
        assertThat(told.lines).singleElement().asString().startsWith("alarm: the store cannot read entries of log 1");
        log.closeFailed("the store cannot read entries of log 1");
        engine.close();
        disk.mend();

        FileStorage again = told.start(() -> disk);
        log.open(again);
        log.checkAll();
        log.close();
        again.close();
    }

    @Test
    void aSlowDiskMakesConfirmsSlowAndNothingElse() throws Exception {
        FaultyDisk disk = new FaultyDisk(new RecordingDisk());
        FileStorage engine = told.start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        log.append(true);
        disk.holdSyncs();
        disk.awaitHeldSync();
        // More than fits into all buffers that are outside of the heap.
        for (int i = 0; i < 3_000; i++) {
            log.append(true);
        }
        log.check(0, 3_001);
        log.release(0, 10);
        assertThat(log.isDurable()).isFalse();

        disk.letSyncs();
        log.awaitDurable();
        log.close();
        engine.close();
        assertThat(told.lines).isEmpty();
    }

    /** A deletion may not have lasted. */
    @Test
    void aSegmentThatComesBackIsOfNoUseAndGoesAgain() throws Exception {
        FileStorage engine = start();
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        log.append(true);
        log.awaitDurable();
        Path first = directory.resolve(Segment.name(1));
        byte[] old = Files.readAllBytes(first);
        while (Files.exists(first)) {
            log.append(true);
            log.awaitDurable();
        }
        log.close();
        engine.close();
        Files.write(first, old);

        FileStorage again = start();
        log.open(again);
        log.checkAll();
        assertThat(first).doesNotExist();
        log.close();
        again.close();
        assertThat(told.lines).isEmpty();
    }

    /** Nothing tells one node that it has been set back: what is there counts, whole. */
    @Test
    void anOldCopyIsWhatItWas() throws Exception {
        FileStorage engine = start();
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        for (int i = 0; i < 300; i++) {
            log.append(true);
        }
        log.close();
        engine.close();
        Path copy = Files.createDirectory(directory.resolve("copy"));
        for (File file : directory.toFile().listFiles(File::isFile)) {
            Files.copy(file.toPath(), copy.resolve(file.getName()));
        }
        FileStorage second = start();
        ModelLog other = new ModelLog(2, owner);
        other.open(second);
        other.append(true);
        other.close();
        second.close();

        FileStorage again = told.start(() -> NioDisk.open(copy));
        log.open(again);
        log.checkAll();
        assertThat(again.entries(2)).isZero();
        log.close();
        again.close();
        assertThat(told.lines).isEmpty();
    }

    @Test
    void anEmptyDirectoryIsNoNewStoreWhereThereWasOne() throws Exception {
        Path known = directory.resolve("known");
        Path elsewhere = directory.resolve("elsewhere");
        startKnown(elsewhere, known).close();
        startKnown(elsewhere, known).close();

        Files.move(elsewhere, directory.resolve("unmounted"));
        assertThatThrownBy(() -> startKnown(elsewhere, known))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("there is nothing in the directory of the store")
                .hasMessageContaining(known.toString());
        told.start(() -> NioDisk.open(directory.resolve("other"))).close();
        assertThatThrownBy(() -> startKnown(directory.resolve("other"), known))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("another store");

        Files.delete(known);
        startKnown(elsewhere, known).close();
    }

    private FileStorage startKnown(Path elsewhere, Path known) throws StorageException {
        FileStorage engine = new FileStorage(
                () -> NioDisk.open(elsewhere),
                new KnownStore(known)::of,
                new FileSettings(
                        FileSettings.Sync.ALWAYS,
                        200,
                        0,
                        Told.SEGMENT_BYTES,
                        4 * Told.SEGMENT_BYTES,
                        Integer.MAX_VALUE),
                new StoreMeters(new SimpleMeterRegistry()));
        engine.start(new StorageContext(Map.of(PlainFormat.INSTANCE.name(), PlainFormat.INSTANCE), told));
        return engine;
    }

    /** One byte at a time, all over a segment; -Dflips=1 takes every byte. */
    @Test
    void noChangedByteIsEverReadOrPassedOver() throws Exception {
        FileStorage engine = start();
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        for (int i = 0; i < 7; i++) {
            log.fact(i);
            log.append(true);
            log.awaitDurable();
        }
        log.close();
        engine.close();
        Path segment = directory.resolve(Segment.name(1));
        byte[] whole = Files.readAllBytes(segment);
        int step = Integer.getInteger("flips", 97);
        for (int at = 0; at < whole.length; at += step) {
            told.lines.clear();
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 << at % 8);
            Files.write(segment, damaged);
            for (File file : directory.toFile().listFiles(File::isFile)) {
                if (Segment.number(file.getName()) > 1) {
                    Files.delete(file.toPath());
                }
            }
            FileStorage again = start();
            int missing = log.readWhatIsThere(again);
            again.close();
            assertThat(missing == 0 || !told.lines.isEmpty())
                    .as(missing + " entries are missing and nobody was told, with another byte " + at)
                    .isTrue();
            assertThat(missing).as("entries missing with another byte " + at).isLessThanOrEqualTo(1);
        }
    }
}
