package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.entrepot.spi.storage.StorageException;

/**
 * Which store a directory is, in the file {@code store}: a line that a person can read, with the version of the format and the
 * store's number, which all files of the store carry. Immutable.
 */
record StoreIdentity(long store) {
    static final String NAME = "store";

    /** The version of the format that this release reads and writes. */
    static final int VERSION = 1;

    private static final String UNFINISHED = NAME + ".unfinished";
    private static final Pattern LINE = Pattern.compile("entrepot store, format ([0-9]{1,9}), number ([0-9a-f]{16})\n");
    private static final int HEX = 16;
    /** Bytes at the beginning of a segment in which a batch is looked for. */
    private static final int SEARCHED = 1 << 22;

    /** Reads who the store is; makes a new one where there is nothing at all. */
    static StoreIdentity of(Disk disk, long newStore) throws IOException, StorageException {
        List<String> files = disk.list();
        if (files.contains(NAME)) {
            try {
                return read(disk);
            } catch (DamagedException damaged) {
                throw new StorageException(
                        "the file `" + NAME + "` " + damaged.getMessage() + "; put back a whole copy of it, or let"
                                + " `entrepot store repair` make it anew",
                        damaged);
            }
        }
        for (String file : files) {
            if (Segment.number(file) >= 0 || Table.number(file) >= 0) {
                throw new StorageException("there are files of a store, such as " + file + ", but not the file `" + NAME
                        + "` that says which; put it back from where the others come from, or let `entrepot store"
                        + " repair` make it anew");
            }
        }
        return make(disk, newStore);
    }

    /** Writes the file for a new store, or anew for one that has lost it. */
    static StoreIdentity make(Disk disk, long store) throws IOException {
        disk.delete(UNFINISHED);
        try (DiskFile file = disk.create(UNFINISHED)) {
            ByteBuffer bytes = ByteBuffer.wrap(new StoreIdentity(store).line().getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                file.write(bytes, bytes.position());
            }
            file.sync();
        }
        disk.rename(UNFINISHED, NAME);
        disk.sync();
        return new StoreIdentity(store);
    }

    private String line() {
        return "entrepot store, " + this + "\n";
    }

    /**
     * Reads the file.
     *
     * @throws StorageException when a later release has written the store
     * @throws DamagedException when it does not say what it should; the message goes on after the file's name
     */
    static StoreIdentity read(Disk disk) throws IOException, StorageException, DamagedException {
        try (DiskFile file = disk.open(NAME)) {
            ByteBuf bytes = Table.read(file, 0, (int) Math.min(file.size(), 100));
            Matcher line = LINE.matcher(bytes.toString(StandardCharsets.US_ASCII));
            if (!line.matches()) {
                throw new DamagedException("does not say which store this is");
            }
            int version = Integer.parseInt(line.group(1));
            if (version > VERSION) {
                throw new StorageException("the store is of format " + version
                        + ", written by a later release; this one reads formats up to " + VERSION);
            }
            return new StoreIdentity(Long.parseUnsignedLong(line.group(2), HEX));
        }
    }

    /** Which store the other files say that they are of: most of them; empty where none says it. */
    static OptionalLong ofOtherFiles(Disk disk) throws IOException {
        Map<Long, Integer> votes = new TreeMap<>();
        for (String name : disk.list()) {
            if (Segment.number(name) >= 0 || Table.number(name) >= 0) {
                try (DiskFile file = disk.open(name)) {
                    OptionalLong store = Segment.number(name) >= 0
                            ? Batch.store(Table.read(file, 0, (int) Math.min(file.size(), SEARCHED)))
                            : Table.store(file);
                    store.ifPresent(number -> votes.merge(number, 1, Integer::sum));
                } catch (DamagedException shorter) {
                    // It says nothing.
                }
            }
        }
        return votes.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(most -> OptionalLong.of(most.getKey()))
                .orElse(OptionalLong.empty());
    }

    @Override
    public String toString() {
        return "format " + VERSION + ", number " + String.format("%016x", store);
    }
}
