package org.entrepot.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;

/**
 * A disk that reads from another and changes nothing on it: what is deleted is gone for who uses this one only, what is cut
 * stays. Used by one thread; its files by any.
 */
final class DryDisk implements Disk {
    private final Disk disk;
    private final Set<String> deleted = new TreeSet<>();

    DryDisk(Disk disk) {
        this.disk = disk;
    }

    /** Names of files that would be gone. */
    Set<String> deleted() {
        return deleted;
    }

    @Override
    public List<String> list() throws IOException {
        List<String> names = new ArrayList<>(disk.list());
        names.removeAll(deleted);
        return names;
    }

    @Override
    public DiskFile create(String name) throws IOException {
        throw new IOException(name + " is not to be made: the store is only read");
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return new DryFile(disk.open(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        throw new IOException(from + " is not to be renamed: the store is only read");
    }

    @Override
    public void delete(String name) throws IOException {
        if (disk.list().contains(name)) {
            deleted.add(name);
        }
    }

    @Override
    public void sync() {}

    @Override
    public long free() {
        return disk.free();
    }

    /** A file that is only read. */
    private record DryFile(DiskFile file) implements DiskFile {
        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int read(ByteBuffer target, long at) throws IOException {
            return file.read(target, at);
        }

        @Override
        public int write(ByteBuffer source, long at) throws IOException {
            throw new IOException("the store is only read");
        }

        @Override
        public void resize(long size) {}

        @Override
        public void sync() {}

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
