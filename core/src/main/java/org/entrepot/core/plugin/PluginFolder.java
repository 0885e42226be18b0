package org.entrepot.core.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The folder {@code plugins/} and beside it, under the data directory, the folder where its zips lie unpacked. Used by
 * the thread that starts the broker.
 *
 * <p>An unpacked zip is named after the zip and its hash, so that a changed zip is another one, and gets its name only
 * when all of it is there: what carries the name is whole.
 */
final class PluginFolder {
    private static final String STAGING = ".staging-";
    private static final int HASH_CHARACTERS = 16;
    private static final int COPY_BYTES = 64 << 10;

    private final Path plugins;
    private final Path unpacked;

    PluginFolder(Path plugins, Path unpacked) {
        this.plugins = plugins;
        this.unpacked = unpacked;
    }

    /** Something in the folder. */
    sealed interface Found {

        /** Its name in the folder. */
        String file();
    }

    /** A plugin, or what claims to be one: its folder is ready to be loaded. */
    record Ready(String file, Path folder) implements Found {}

    /** Something that cannot be a plugin. */
    record Broken(String file, String reason) implements Found {}

    /** What is in the folder, by name; zips are unpacked where they are not yet. None where there is no such folder. */
    List<Found> find() throws IOException {
        if (!Files.exists(plugins)) {
            return List.of();
        }
        List<Path> files;
        try (Stream<Path> listing = Files.list(plugins)) {
            files = listing.sorted().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        List<Found> found = new ArrayList<>();
        for (Path file : files) {
            String name = String.valueOf(file.getFileName());
            String lower = name.toLowerCase(Locale.ROOT);
            if (name.startsWith(".")) {
                continue;
            }
            if (Files.isDirectory(file)) {
                found.add(new Ready(name, file));
            } else if (lower.endsWith(".zip")) {
                found.add(unpack(file, name));
            } else if (lower.endsWith(".jar")) {
                found.add(new Broken(name, "a jar is not a plugin: a plugin is a zip with plugin.properties and lib/"));
            }
        }
        return found;
    }

    /** Removes what was unpacked from zips that are no longer in the folder, and what an interrupted start left. */
    void removeLeftovers(List<Found> found) throws IOException {
        if (!Files.isDirectory(unpacked)) {
            return;
        }
        Set<Path> wanted = new HashSet<>();
        for (Found one : found) {
            if (one instanceof Ready ready) {
                wanted.add(ready.folder());
            }
        }
        List<Path> folders;
        try (Stream<Path> listing = Files.list(unpacked)) {
            folders = listing.toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path folder : folders) {
            if (!wanted.contains(folder)) {
                delete(folder);
            }
        }
    }

    private Found unpack(Path zip, String name) {
        try {
            Path folder = unpacked.resolve(name.substring(0, name.length() - ".zip".length()) + "-" + hash(zip));
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(unpacked);
                Path staging = Files.createTempDirectory(unpacked, STAGING);
                try {
                    ZipUnpacker.DEFAULT.unpack(zip, staging);
                    publish(staging, folder);
                } finally {
                    delete(staging);
                }
            }
            return new Ready(name, folder);
        } catch (IOException e) {
            return new Broken(name, "it cannot be unpacked: " + Reason.of(e));
        }
    }

    /** Gives an unpacked zip its name; another process may have been first, with the same content. */
    private static void publish(Path staging, Path folder) throws IOException {
        try {
            Files.move(staging, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException | AtomicMoveNotSupportedException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        Path parent = folder.getParent();
        if (parent != null) {
            try (FileChannel directory = FileChannel.open(parent)) {
                directory.force(true);
            }
        }
    }

    private static String hash(Path file) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
        byte[] chunk = new byte[COPY_BYTES];
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            int read = in.read(chunk);
            while (read >= 0) {
                read = in.read(chunk);
            }
        }
        return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_CHARACTERS);
    }

    /** Deletes a file or a folder with everything in it, without following links; nothing happens where there is none. */
    static void delete(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> tree = Files.walk(path)) {
            all = tree.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path one : all) {
            Files.deleteIfExists(one);
        }
    }
}
