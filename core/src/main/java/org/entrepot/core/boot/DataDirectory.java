package org.entrepot.core.boot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * The directory that a broker keeps things in, held against other brokers as long as it is open. Used by the thread that
 * starts and stops the broker.
 */
final class DataDirectory implements AutoCloseable {
    private static final String LOCK_FILE = "lock";
    private static final int PID_BYTES_MAX = 20;

    private final Path path;
    private final FileChannel lockFile;

    private DataDirectory(Path path, FileChannel lockFile) {
        this.path = path;
        this.lockFile = lockFile;
    }

    /** Makes the directory where it is not there, for its owner only, and takes it. */
    static DataDirectory open(Path path) throws StartException {
        try {
            create(path);
        } catch (IOException e) {
            throw StartException.usage("the data directory " + path + " cannot be made: " + reason(e), e);
        }
        Path file = path.resolve(LOCK_FILE);
        try {
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (lock(channel) == null) {
                String holder = read(channel);
                channel.close();
                throw StartException.unavailable(
                        "the data directory " + path + " is in use by another broker"
                                + (holder.isEmpty() ? "" : ", process " + holder),
                        new IOException("locked"));
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
            return new DataDirectory(path, channel);
        } catch (IOException e) {
            throw StartException.usage("the data directory " + path + " cannot be used: " + reason(e), e);
        }
    }

    Path path() {
        return path;
    }

    /** Where the plugins' zips lie unpacked. */
    Path unpackedPlugins() {
        return path.resolve("unpacked-plugins");
    }

    /** Gives the directory up. The lock file stays: removing it could remove another broker's. */
    @Override
    public void close() throws IOException {
        lockFile.close();
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldByThisProcess) {
            return null;
        }
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(PID_BYTES_MAX);
        channel.read(buffer, 0);
        return new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII).trim();
    }

    private static void create(Path path) throws IOException {
        boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes = posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
        Files.createDirectories(path, attributes);
    }

    private static String reason(IOException e) {
        return e.getClass().getSimpleName() + (e.getMessage() == null ? "" : " " + e.getMessage());
    }
}
