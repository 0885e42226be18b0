package org.entrepot.distribution;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A file system of a test's own: ext4 in a file. Used by one thread.
 *
 * <p>Its shutdown call lets it forget whatever is not on its disk; mounting it again repairs it as after a power cut. All
 * this needs root, loop devices, and xfs_io or Python.
 */
final class OwnDisk implements AutoCloseable {
    private static final long COMMAND_SECONDS_MAX = 60;
    private static final long PROBE_BYTES = 64L << 20;

    /** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, as in the kernel's fs/ext4/ext4.h. */
    private static final String SHUTDOWN =
            "import fcntl, os, struct, sys; fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))";

    private final Path image;
    private final Path mount;

    /** A new disk, mounted, whose file is in a directory, which is left to whoever owns that. */
    private OwnDisk(Path directory, long bytes) throws IOException {
        this.image = directory.resolve("disk.ext4");
        this.mount = directory.resolve("disk");
        Files.createDirectories(mount);
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(bytes);
        }
        run("mkfs.ext4", "-q", "-F", image.toString());
        mount();
    }

    /** A new disk; where there can be none on this machine the test is skipped, so that nobody takes it for passed. */
    static OwnDisk orSkip(Path directory, long bytes, String claim) throws IOException {
        Optional<String> whyNot = whyNot(directory);
        if (whyNot.isPresent()) {
            String reason = "NO EVIDENCE that " + claim + ": " + whyNot.get();
            System.err.println(reason);
            abort(reason);
        }
        return new OwnDisk(directory, bytes);
    }

    private static Optional<String> whyNot(Path directory) throws IOException {
        if (!System.getProperty("user.name").equals("root")) {
            return Optional.of("only root may mount a disk");
        }
        if (!isThere("mkfs.ext4") || !isThere("mount") || (!isThere("xfs_io") && !isThere("python3"))) {
            return Optional.of("it needs mkfs.ext4, mount, and xfs_io or python3");
        }
        try {
            new OwnDisk(Files.createTempDirectory(directory, "probe"), PROBE_BYTES).close();
            return Optional.empty();
        } catch (IOException refused) {
            return Optional.of("no disk could be mounted: " + refused.getMessage());
        }
    }

    private static boolean isThere(String command) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
    }

    /** Where its files are. */
    Path path() {
        return mount;
    }

    /** Loses what is not synced; nothing can be written or synced until it was {@linkplain #remount mounted again}. */
    void cutPower() throws IOException {
        if (isThere("xfs_io")) {
            run("xfs_io", "-x", "-c", "shutdown", mount.toString());
        } else {
            run("python3", "-c", SHUTDOWN, mount.toString());
        }
    }

    /** Nobody may have a file of it open. */
    void remount() throws IOException {
        run("umount", mount.toString());
        mount();
    }

    @Override
    public void close() throws IOException {
        run("umount", mount.toString());
        Files.delete(image);
    }

    private void mount() throws IOException {
        run("mount", "-t", "ext4", "-o", "loop", image.toString(), mount.toString());
    }

    private static void run(String... command) throws IOException {
        Path said = Files.createTempFile("entrepot-it-", ".out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            if (!process.waitFor(COMMAND_SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(List.of(command) + " failed: "
                        + Files.readString(said, StandardCharsets.UTF_8).strip());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } finally {
            process.destroyForcibly();
            Files.delete(said);
        }
    }
}
