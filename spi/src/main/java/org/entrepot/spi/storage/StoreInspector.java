package org.entrepot.spi.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Looks into a store that no broker uses, and mends it: what {@code entrepot store} does. Vendors implement it where their
 * engine keeps files; one instance a plugin, called by one thread.
 *
 * <p>It must get by with memory that does not grow with the messages in the store.
 */
public interface StoreInspector {

    /** The name of the engine whose stores it knows: that of {@link StorageEngine#name}. */
    String engine();

    /**
     * The store that an operator means by a directory: the directory itself, or where the engine puts its store in the
     * plugin's data directory. Empty where there is none of this engine; also a store that is damaged is one.
     */
    Optional<Path> find(Path directory);

    /**
     * Reads everything in a store, also where a broker would not start with it, and changes nothing: no more than the right
     * to read is needed.
     *
     * @param log an id: what this log holds is told meanwhile, as far as it can be read, as if it were opened
     * @param replay hears it, on any thread, and has heard it when the call returns
     * @throws StoreInUseException when another process has the store
     * @throws StorageException when nothing can be said, for the store is of a later release
     */
    StoreReport inspect(Path store, long log, LogReplay replay) throws IOException, StorageException;

    /**
     * Mends a store so that {@link #inspect} finds no damage and a broker starts with it. What can be read stays; nothing is
     * deleted: what is cut or replaced is moved into a folder in the store, with a text file that says what was done.
     *
     * @param dryRun only to say what would be done
     * @return what was done, for people, a line each; nothing where there was nothing to do
     * @throws StoreInUseException when another process has the store
     * @throws StorageException when it cannot be mended; nothing was changed
     */
    List<String> repair(Path store, boolean dryRun) throws IOException, StorageException;
}
