package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.testkit.storage.disk.RecordingDisk;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the running engine does about damage that it meets, and about what is only missing for now. */
@Timeout(120)
final class FileStorageDamageTest {
    private final Owner owner = new Owner();
    private final Told told = new Told();

    @TempDir
    private Path directory;

    @AfterEach
    void end() {
        owner.close();
    }

    /** Otherwise the table would stay for ever, and with it the space of all that is settled. */
    @Test
    void aTableWithDamageIsMovedAllTheSame() throws Exception {
        FileStorage engine = told.start(() -> NioDisk.open(directory));
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        log.appendMany(1_500);
        while (largeTables().isEmpty()) {
            log.isDurable(); // the test's time is bounded
        }
        log.close();
        engine.close();
        Path table = largeTables().get(0);
        long first;
        try (NioDisk disk = NioDisk.openToRead(directory)) {
            Table.Opened opened = Table.open(
                    disk,
                    Table.number(table.getFileName().toString()),
                    StoreIdentity.read(disk).store(),
                    Checksums.EXACT);
            first = opened.table().runs().get(0).first();
            opened.table().release();
        }
        byte[] bytes = Files.readAllBytes(table);
        bytes[Records.HEAD + 10] ^= 1;
        Files.write(table, bytes);

        FileStorage again = told.start(() -> NioDisk.open(directory));
        ReadBack read = new ReadBack(owner);
        read.open(again, log.id);
        // What is left of the table is its first entry, the damaged one.
        read.release(0, first - 1);
        read.release(first + 1, 2_000);
        while (Files.exists(table)) {
            assertThat(Thread.interrupted()).isFalse();
        }
        again.close();
        assertThat(directory.resolve("damaged-" + table.getFileName())).exists();
        assertThat(told.lines)
                .containsExactly("alarm: the entry at position " + first + " of log 1 is damaged and is not delivered");
    }

    /** Tables that take more than may be wasted. */
    private List<Path> largeTables() {
        return Stream.of(directory.toFile().listFiles())
                .filter(file -> Table.number(file.getName()) >= 0 && file.length() > Told.SEGMENT_BYTES)
                .map(File::toPath)
                .toList();
    }

    /** A disk that opens no file for a while. */
    private static final class Closed implements Disk {
        private final Disk disk = new RecordingDisk();
        volatile boolean closed;

        private void mustBeOpen() throws IOException {
            if (closed) {
                throw new IOException("store: Too many open files");
            }
        }

        @Override
        public List<String> list() throws IOException {
            return disk.list();
        }

        @Override
        public DiskFile create(String name) throws IOException {
            mustBeOpen();
            return disk.create(name);
        }

        @Override
        public DiskFile open(String name) throws IOException {
            mustBeOpen();
            return disk.open(name);
        }

        @Override
        public void rename(String from, String to) throws IOException {
            disk.rename(from, to);
        }

        @Override
        public void delete(String name) throws IOException {
            disk.delete(name);
        }

        @Override
        public void sync() throws IOException {
            mustBeOpen();
            disk.sync();
        }

        @Override
        public long free() {
            return disk.free();
        }
    }

    @Test
    void aStoreWithoutFilesToOpenWaitsForThem() throws Exception {
        Closed disk = new Closed();
        FileStorage engine = told.start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        disk.closed = true;
        while (!told.lines.contains("full")) {
            log.append(true);
        }
        assertThat(log.isDurable()).isFalse();
        disk.closed = false;
        told.await("has room"::equals);
        log.awaitDurable();
        log.checkAll();
        log.close();
        engine.close();
        assertThat(told.lines).containsExactly("full", "has room");
    }

    @Test
    void aMessageThatNobodyUnderstandsForNowIsNotLost() throws Exception {
        RecordingDisk disk = new RecordingDisk();
        FileStorage engine = told.start(() -> disk);
        ModelLog log = new ModelLog(1, owner);
        log.open(engine);
        for (int i = 0; i < 5; i++) {
            log.append(true);
        }
        log.close();
        engine.close();

        FileStorage without = new FileStorage(
                () -> disk,
                new FileSettings(FileSettings.Sync.ALWAYS, 200, 0, Told.SEGMENT_BYTES, 1 << 20, Integer.MAX_VALUE),
                new StoreMeters(new SimpleMeterRegistry()));
        without.start(new StorageContext(Map.of(), told));
        log.open(without);
        log.loadInVain(0);
        log.closeFailed("the store cannot read entries of log 1: a message is of the format");
        without.close();

        FileStorage again = told.start(() -> disk);
        log.open(again);
        log.checkAll();
        log.close();
        again.close();
    }
}
