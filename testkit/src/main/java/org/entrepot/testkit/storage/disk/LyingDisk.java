package org.entrepot.testkit.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;

/**
 * A disk that does what another does, but for syncs of one kind, of which it only says that they were done. As thread-safe as
 * the other one.
 *
 * <p>An engine over it is one that forgets these syncs. A campaign that does not find that out proves nothing:
 *
 * <pre>{@code
 * new CrashCampaign(disk -> new MyStorage(new LyingDisk(disk, LyingDisk.About.FILES), 64 * 1024)).run(20_000);
 * }</pre>
 */
public final class LyingDisk implements Disk {

    /** Which syncs are not done. */
    public enum About {
        /** Those of files: what was written does not last. */
        FILES,
        /** Those of the directory: what was created, renamed and deleted does not last. */
        DIRECTORY
    }

    private final Disk disk;
    private final About lie;

    /** A disk over another one that leaves out these syncs. */
    public LyingDisk(Disk disk, About lie) {
        this.disk = disk;
        this.lie = lie;
    }

    @Override
    public List<String> list() throws IOException {
        return disk.list();
    }

    @Override
    public DiskFile create(String name) throws IOException {
        return new LyingFile(disk.create(name));
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return new LyingFile(disk.open(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        disk.delete(name);
    }

    @Override
    public void sync() throws IOException {
        if (lie != About.DIRECTORY) {
            disk.sync();
        }
    }

    @Override
    public long free() {
        return disk.free();
    }

    /** A file of this disk. As thread-safe as the file below. */
    private final class LyingFile implements DiskFile {
        private final DiskFile file;

        LyingFile(DiskFile file) {
            this.file = file;
        }

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
            return file.write(source, at);
        }

        @Override
        public void resize(long size) throws IOException {
            file.resize(size);
        }

        @Override
        public void sync() throws IOException {
            if (lie != About.FILES) {
                file.sync();
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
