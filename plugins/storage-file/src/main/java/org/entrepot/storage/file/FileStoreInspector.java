package org.entrepot.storage.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StoreInspector;
import org.entrepot.spi.storage.StoreReport;

/** Looks into stores of the file engine and mends them. Immutable. */
final class FileStoreInspector implements StoreInspector {

    @Override
    public String engine() {
        return FileStorage.NAME;
    }

    @Override
    public Optional<Path> find(Path directory) {
        return Stream.of(directory, directory.resolve(FileStoragePlugin.STORE))
                .filter(FileStoreInspector::isStore)
                .findFirst();
    }

    private static boolean isStore(Path directory) {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .anyMatch(name -> isOfAStore(directory, name));
        } catch (IOException unreadable) {
            return false;
        }
    }

    /** Others may have a file that is called `store`, so where there is nothing else it has to say that it is one. */
    private static boolean isOfAStore(Path directory, String name) {
        return Segment.number(name) >= 0
                || Table.number(name) >= 0
                || (name.equals(StoreIdentity.NAME) && Files.exists(directory.resolve(NioDisk.LOCK)));
    }

    @Override
    public StoreReport inspect(Path store, long log, LogReplay replay) throws IOException, StorageException {
        try (NioDisk disk = NioDisk.openToRead(store);
                Inspection inspection = Inspection.of(disk)) {
            return inspection.report(log, replay);
        }
    }

    @Override
    public List<String> repair(Path store, boolean dryRun) throws IOException, StorageException {
        try (NioDisk disk = dryRun ? NioDisk.openToRead(store) : NioDisk.open(store)) {
            return new Repair(disk, store, Instant.now(), dryRun).run();
        }
    }
}
