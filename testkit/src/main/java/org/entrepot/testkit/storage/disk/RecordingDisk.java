package org.entrepot.testkit.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;

/**
 * A disk in memory that remembers everything done to it. {@link CrashStates} makes of that what a power cut may leave; what
 * it makes are disks of this type again. Thread-safe.
 *
 * <p>As a file of Java does, a file closes under a thread that is interrupted.
 */
public final class RecordingDisk implements Disk {
    private final Map<String, File> names = new TreeMap<>();
    private final List<DiskOperation> operations = new ArrayList<>();
    private final Origin origin;
    private long lastFile;
    private int openFiles;

    /** An empty disk. */
    public RecordingDisk() {
        this(Map.of());
    }

    /** A disk with these files, which nobody else changes from here on; everything on it is lasting. */
    RecordingDisk(Map<String, Pages> files) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        Map<Long, Pages> contents = new LinkedHashMap<>();
        files.forEach((name, pages) -> {
            lastFile++;
            names.put(name, new File(lastFile, pages));
            numbers.put(name, lastFile);
            contents.put(lastFile, pages.copy());
        });
        origin = new Origin(numbers, contents);
    }

    /** What was on a disk before its first operation. Nobody changes it. */
    record Origin(Map<String, Long> names, Map<Long, Pages> files) {}

    /** Guarded by the disk. */
    private static final class File {
        final long number;
        final Pages pages;

        File(long number, Pages pages) {
            this.number = number;
            this.pages = pages;
        }
    }

    Origin origin() {
        return origin;
    }

    /** What was done so far, in its order. */
    public synchronized List<DiskOperation> operations() {
        return List.copyOf(operations);
    }

    /** How many things were done so far. */
    public synchronized int operationCount() {
        return operations.size();
    }

    /** How many files are open: 0 when whoever used the disk has ended well. */
    public synchronized int openFiles() {
        return openFiles;
    }

    /** The SHA-256 of names, sizes and bytes of all files as they are now: equal where these are. */
    public synchronized String contentHash() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            names.forEach((name, file) -> {
                digest.update(name.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) '/');
                file.pages.addTo(digest);
            });
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Writes all files as they are now to a directory, to look at them or to run the product on them. */
    public synchronized void copyTo(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (Map.Entry<String, File> named : names.entrySet()) {
            ByteBuffer content =
                    ByteBuffer.allocate(Math.toIntExact(named.getValue().pages.size()));
            named.getValue().pages.read(content, 0);
            content.flip();
            try (FileChannel file = FileChannel.open(
                    directory.resolve(named.getKey()), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                while (content.hasRemaining()) {
                    file.write(content);
                }
            }
        }
    }

    @Override
    public synchronized List<String> list() {
        return List.copyOf(names.keySet());
    }

    @Override
    public synchronized DiskFile create(String name) throws IOException {
        mustBePlain(name);
        if (names.containsKey(name)) {
            throw new FileAlreadyExistsException(name);
        }
        File file = new File(++lastFile, new Pages());
        names.put(name, file);
        operations.add(new DiskOperation.Create(file.number, name));
        return new OpenFile(file);
    }

    @Override
    public synchronized DiskFile open(String name) throws IOException {
        File file = names.get(name);
        if (file == null) {
            throw new NoSuchFileException(name);
        }
        return new OpenFile(file);
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        mustBePlain(to);
        File file = names.get(from);
        if (file == null) {
            throw new NoSuchFileException(from);
        }
        if (!from.equals(to)) {
            names.remove(from);
            names.put(to, file);
            operations.add(new DiskOperation.Rename(from, to));
        }
    }

    @Override
    public synchronized void delete(String name) {
        if (names.remove(name) != null) {
            operations.add(new DiskOperation.Delete(name));
        }
    }

    @Override
    public synchronized void sync() {
        operations.add(new DiskOperation.SyncDirectory());
    }

    @Override
    public long free() {
        return Long.MAX_VALUE;
    }

    private static void mustBePlain(String name) {
        if (name.isEmpty() || name.indexOf('/') >= 0 || name.equals(".") || name.equals("..")) {
            throw new IllegalArgumentException("'" + name + "' is not a plain file name");
        }
    }

    /** A file as whoever opened it sees it. Guarded by the disk. */
    final class OpenFile implements DiskFile {
        private final File file;
        private boolean closed;

        private OpenFile(File file) {
            this.file = file;
            openFiles++;
        }

        @Override
        public long size() throws IOException {
            synchronized (RecordingDisk.this) {
                mustBeOpen();
                return file.pages.size();
            }
        }

        @Override
        public int read(ByteBuffer target, long at) throws IOException {
            synchronized (RecordingDisk.this) {
                mustBeOpen();
                return file.pages.read(target, at);
            }
        }

        @Override
        public int write(ByteBuffer source, long at) throws IOException {
            byte[] written = new byte[source.remaining()];
            synchronized (RecordingDisk.this) {
                mustBeOpen();
                if (written.length == 0) {
                    return 0;
                }
                source.get(written);
                Bytes bytes = Bytes.wrap(written);
                file.pages.write(at, bytes, 0, written.length);
                operations.add(new DiskOperation.Write(file.number, at, bytes));
                return written.length;
            }
        }

        @Override
        public void resize(long size) throws IOException {
            synchronized (RecordingDisk.this) {
                mustBeOpen();
                if (size != file.pages.size()) {
                    file.pages.resize(size);
                    operations.add(new DiskOperation.Resize(file.number, size));
                }
            }
        }

        @Override
        public void sync() throws IOException {
            synchronized (RecordingDisk.this) {
                mustBeOpen();
                operations.add(new DiskOperation.SyncFile(file.number));
            }
        }

        /** A sync that has failed, and after which nobody knows what is lasting. */
        void failSync() {
            synchronized (RecordingDisk.this) {
                operations.add(new DiskOperation.FailedSync(file.number));
            }
        }

        @Override
        public void close() {
            synchronized (RecordingDisk.this) {
                if (!closed) {
                    closed = true;
                    openFiles--;
                }
            }
        }

        private void mustBeOpen() throws IOException {
            if (closed) {
                throw new ClosedChannelException();
            }
            if (Thread.currentThread().isInterrupted()) {
                close();
                throw new ClosedByInterruptException();
            }
        }
    }
}
