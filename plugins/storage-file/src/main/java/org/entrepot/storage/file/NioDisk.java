package org.entrepot.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StoreInUseException;
import org.jspecify.annotations.Nullable;

/** A directory of the file system, locked against other processes. Immutable. Who only reads locks out who writes. */
final class NioDisk implements Disk, AutoCloseable {
    static final String LOCK = "lock";

    private final Path directory;
    private final @Nullable FileChannel lock;
    private final boolean readOnly;

    private NioDisk(Path directory, @Nullable FileChannel lock, boolean readOnly) {
        this.directory = directory;
        this.lock = lock;
        this.readOnly = readOnly;
    }

    /** Opens a directory, which is made where it is not there. */
    static NioDisk open(Path directory) throws IOException, StorageException {
        Files.createDirectories(directory);
        FileChannel lock =
                FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        hold(directory, lock, false);
        return new NioDisk(directory, lock, false);
    }

    /** Opens a directory to read in it, which needs no more than the right to do so. */
    static NioDisk openToRead(Path directory) throws IOException, StorageException {
        FileChannel lock = null;
        if (Files.exists(directory.resolve(LOCK))) {
            lock = FileChannel.open(directory.resolve(LOCK), StandardOpenOption.READ);
            hold(directory, lock, true);
        }
        return new NioDisk(directory, lock, true);
    }

    private static void hold(Path directory, FileChannel lock, boolean shared) throws IOException, StorageException {
        try {
            if (lock.tryLock(0, Long.MAX_VALUE, shared) != null) {
                return;
            }
        } catch (OverlappingFileLockException here) {
            // This process has it open already.
        }
        lock.close();
        throw new StoreInUseException("the store in " + directory + " is in use by another process");
    }

    @Override
    public void close() throws IOException {
        if (lock != null) {
            lock.close();
        }
    }

    @Override
    public List<String> list() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .collect(Collectors.toList());
        }
    }

    @Override
    public DiskFile create(String name) throws IOException {
        return open(name, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return readOnly
                ? open(name, StandardOpenOption.READ)
                : open(name, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private DiskFile open(String name, OpenOption... options) throws IOException {
        return new NioFile(FileChannel.open(directory.resolve(name), options));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public void sync() throws IOException {
        try (FileChannel opened = FileChannel.open(directory, StandardOpenOption.READ)) {
            opened.force(true);
        }
    }

    @Override
    public long free() {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException unknown) {
            return Long.MAX_VALUE;
        }
    }

    /** A file that is read and written by place. */
    private record NioFile(FileChannel channel) implements DiskFile {
        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public int read(ByteBuffer target, long at) throws IOException {
            return channel.read(target, at);
        }

        @Override
        public int write(ByteBuffer source, long at) throws IOException {
            return channel.write(source, at);
        }

        @Override
        public void resize(long size) throws IOException {
            if (size < channel.size()) {
                channel.truncate(size);
            } else if (size > channel.size()) {
                channel.write(ByteBuffer.allocate(1), size - 1);
            }
        }

        @Override
        public void sync() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
