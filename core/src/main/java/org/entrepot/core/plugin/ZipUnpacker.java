package org.entrepot.core.plugin;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Unpacks a zip that is not to be trusted into an empty folder: nothing lands outside it, no links are made, and a small
 * file cannot fill the disk. Every failure says what was wrong in the words after "cannot be unpacked: ". Immutable.
 */
final class ZipUnpacker {
    static final ZipUnpacker DEFAULT = new ZipUnpacker(10_000, 512L << 20, 200);

    /** Entries smaller than this may be packed as densely as they like. */
    private static final long RATIO_APPLIES_FROM_BYTES = 1 << 20;

    private static final int COPY_BYTES = 64 << 10;

    private final int entriesMax;
    private final long bytesMax;
    private final int ratioMax;

    /**
     * An unpacker with limits.
     *
     * @param entriesMax most files and folders
     * @param bytesMax most bytes, unpacked, of all together
     * @param ratioMax most bytes that one packed byte may become
     */
    ZipUnpacker(int entriesMax, long bytesMax, int ratioMax) {
        this.entriesMax = entriesMax;
        this.bytesMax = bytesMax;
        this.ratioMax = ratioMax;
    }

    /** Unpacks into {@code folder}, which exists and is empty, and sees to it that all of it is on disk. */
    void unpack(Path zip, Path folder) throws IOException {
        ZipTable table = ZipTable.read(zip);
        if (table.entries().size() > entriesMax) {
            throw new IOException("it has more than " + entriesMax + " entries");
        }
        for (ZipTable.Entry entry : table.entries()) {
            check(entry);
        }
        try (ZipFile file = new ZipFile(zip.toFile())) {
            if (file.size() != table.entries().size()) {
                throw new IOException("its table of contents is damaged");
            }
            long left = bytesMax;
            for (Enumeration<? extends ZipEntry> entries = file.entries(); entries.hasMoreElements(); ) {
                ZipEntry entry = entries.nextElement();
                Path target = target(folder, entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else {
                    Path parent = target.getParent();
                    if (parent != null) {
                        Files.createDirectories(parent);
                    }
                    left -= copy(file, entry, target, left);
                }
            }
        } catch (EOFException e) {
            throw new IOException("it ends too early", e);
        }
    }

    private static void check(ZipTable.Entry entry) throws IOException {
        if (entry.encrypted()) {
            throw new IOException("'" + entry.name() + "' is encrypted");
        }
        switch (entry.kind()) {
            case LINK -> throw new IOException("'" + entry.name() + "' is a symbolic link");
            case SPECIAL -> throw new IOException("'" + entry.name() + "' is neither a file nor a folder");
            case PLAIN -> {}
        }
    }

    /**
     * Where an entry goes. What counts is where the name leads, compared by whole path elements, so that neither
     * {@code ..} nor a sibling whose name begins alike gets by; the rest are names that mean different things on
     * different systems.
     */
    private static Path target(Path folder, String name) throws IOException {
        if (name.isEmpty() || name.startsWith("/") || name.indexOf('\\') >= 0 || name.indexOf(':') >= 0) {
            throw new IOException("'" + name + "' is not a relative path");
        }
        if (name.chars().anyMatch(Character::isISOControl)) {
            throw new IOException("a name in it has control characters");
        }
        Path root = folder.toAbsolutePath().normalize();
        Path target;
        try {
            target = root.resolve(name).normalize();
        } catch (InvalidPathException e) {
            throw new IOException("a name in it cannot be a file's name here", e);
        }
        if (!target.startsWith(root)) {
            throw new IOException("'" + name + "' leads out of the plugin's folder");
        }
        return target;
    }

    /** Copies an entry and returns its bytes; what the zip says of sizes is not believed. */
    private long copy(ZipFile file, ZipEntry entry, Path target, long left) throws IOException {
        byte[] chunk = new byte[COPY_BYTES];
        long bytes = 0;
        try (InputStream in = file.getInputStream(entry);
                FileChannel out = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                bytes += read;
                if (bytes > left) {
                    throw new IOException("it unpacks to more than " + bytesMax + " bytes");
                }
                if (bytes > RATIO_APPLIES_FROM_BYTES && bytes / ratioMax > entry.getCompressedSize()) {
                    throw new IOException(
                            "'" + entry.getName() + "' unpacks to more than " + ratioMax + " times what it is packed");
                }
                for (ByteBuffer rest = ByteBuffer.wrap(chunk, 0, read); rest.hasRemaining(); ) {
                    out.write(rest);
                }
            }
            out.force(true);
        } catch (FileAlreadyExistsException e) {
            throw new IOException("'" + entry.getName() + "' is in it twice", e);
        }
        return bytes;
    }
}
