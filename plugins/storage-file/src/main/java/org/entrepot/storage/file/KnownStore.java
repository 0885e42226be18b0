package org.entrepot.storage.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.StorageException;

/**
 * Remembers, in a file apart from it, which store a broker has, where that is on a disk of its own: an empty directory where
 * the disk should be mounted is not a new store. Used by the thread that starts the engine.
 */
final class KnownStore {
    private final Path file;

    KnownStore(Path file) {
        this.file = file;
    }

    /** Which store a directory is; refuses another than the one that was there before. */
    StoreIdentity of(Disk disk, long newStore) throws IOException, StorageException {
        String known = Files.exists(file) ? Files.readString(file).strip() : "";
        if (!known.isEmpty() && isEmpty(disk)) {
            throw refusal("there is nothing in the directory of the store, where this broker had one", known);
        }
        StoreIdentity found = StoreIdentity.of(disk, newStore);
        if (known.isEmpty()) {
            remember(found);
        } else if (!known.equals(found.toString())) {
            throw refusal(
                    "the directory of the store has another store in it (" + found + ") than this broker had", known);
        }
        return found;
    }

    private static boolean isEmpty(Disk disk) throws IOException {
        return disk.list().stream().allMatch(NioDisk.LOCK::equals);
    }

    private StorageException refusal(String what, String known) {
        return new StorageException(
                what + " (" + known + "). Is the right disk mounted? Who wants to begin anew deletes the file " + file);
    }

    private void remember(StoreIdentity found) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        Files.writeString(unfinished, found + "\n");
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
