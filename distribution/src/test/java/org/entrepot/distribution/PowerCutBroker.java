package org.entrepot.distribution;

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
 * The product on a file system of its own, whose power is cut: what is not synced is gone, and every further sync fails,
 * while the process goes on for a moment or does not. Used by one thread.
 *
 * <p>The file system is ext4 in a file. Its shutdown call lets it forget whatever is not on its disk; mounting it again
 * repairs it as after a power cut. That needs root, loop devices, and xfs_io or Python.
 */
final class PowerCutBroker implements CrashingBroker {
    private static final long DISK_BYTES = 1L << 30;
    private static final long COMMAND_SECONDS_MAX = 60;
    /** How long the product goes on without power in every other cut. */
    private static final long WITHOUT_POWER_MILLIS = 300;

    /** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, as in the kernel's fs/ext4/ext4.h. */
    private static final String SHUTDOWN =
            "import fcntl, os, struct, sys; fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))";

    private final Path image;
    private final Path mount;
    private final String engine;
    private ProductProcess process;
    private int cuts;

    /** The product with a disk whose file is in a directory, which is left to whoever owns that. */
    PowerCutBroker(Path directory, String engine) throws IOException {
        this.image = directory.resolve("disk.ext4");
        this.mount = directory.resolve("disk");
        this.engine = engine;
        Files.createDirectories(mount);
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(DISK_BYTES);
        }
        run("mkfs.ext4", "-q", "-F", image.toString());
        mount();
    }

    /** Why there can be no such disk on this machine; empty where there can. */
    static Optional<String> whyNot(Path directory) throws IOException {
        if (!System.getProperty("user.name").equals("root")) {
            return Optional.of("only root may mount a disk");
        }
        if (!isThere("mkfs.ext4") || !isThere("mount") || (!isThere("xfs_io") && !isThere("python3"))) {
            return Optional.of("it needs mkfs.ext4, mount, and xfs_io or python3");
        }
        try {
            new PowerCutBroker(Files.createTempDirectory(directory, "probe"), "none").close();
            return Optional.empty();
        } catch (IOException refused) {
            return Optional.of("no disk could be mounted: " + refused.getMessage());
        }
    }

    private static boolean isThere(String command) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
    }

    @Override
    public int start() throws InterruptedException {
        process = KilledBroker.startProduct(mount.resolve("data"), engine);
        return ProductProcess.amqpPort(process.awaitReady());
    }

    @Override
    public void crash() throws IOException, InterruptedException {
        cuts++;
        if (isThere("xfs_io")) {
            run("xfs_io", "-x", "-c", "shutdown", mount.toString());
        } else {
            run("python3", "-c", SHUTDOWN, mount.toString());
        }
        if (cuts % 2 == 0) {
            process.endsWithin(WITHOUT_POWER_MILLIS);
        }
        process.kill();
        process.close();
        run("umount", mount.toString());
        mount();
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            try {
                process.kill();
            } catch (InterruptedException interrupted) {
                throw interrupted();
            }
            process.close();
        }
        run("umount", mount.toString());
        Files.delete(image);
    }

    private void mount() throws IOException {
        run("mount", "-t", "ext4", "-o", "loop", image.toString(), mount.toString());
    }

    private static InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException();
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
            throw interrupted();
        } finally {
            process.destroyForcibly();
            Files.delete(said);
        }
    }
}
