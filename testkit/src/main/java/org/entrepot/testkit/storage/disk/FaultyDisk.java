package org.entrepot.testkit.storage.disk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;

/**
 * A disk that does what another does until it is told to fail: with I/O errors, by running full, by taking its time.
 * Thread-safe.
 *
 * <p>It counts what it is asked for. A test that wants every write of a scenario to fail once runs the scenario with {@code
 * fail(WRITE, n)} for n from 1 on until {@link #failures} stays 0.
 *
 * <p>Over a {@link RecordingDisk} a failed sync leaves in doubt what it was to make lasting, as real ones do, even when a
 * later sync succeeds.
 */
public final class FaultyDisk implements Disk {

    /** What a disk is asked for. */
    public enum Call {
        LIST,
        CREATE,
        OPEN,
        RENAME,
        DELETE,
        SYNC_DIRECTORY,
        READ,
        WRITE,
        RESIZE,
        SYNC
    }

    private static final int PAGE_BYTES = 4096;
    private static final long PATIENCE_SECONDS = 60;

    private final Disk disk;
    private final Map<Call, Long> counts = new EnumMap<>(Call.class);
    private final Map<Call, Fault> faults = new EnumMap<>(Call.class);
    /** The pages that files take, by name. */
    private final Map<String, BitSet> space = new TreeMap<>();

    private long capacityPages = Long.MAX_VALUE;
    private long takenPages;
    private long failures;
    private int bytesBeforeFailure;
    private boolean syncsHeld;
    private int heldSyncs;
    private Duration syncDelay = Duration.ZERO;

    /** A disk without faults over another one. */
    public FaultyDisk(Disk disk) throws IOException {
        this.disk = disk;
        for (String name : disk.list()) {
            try (DiskFile file = disk.open(name)) {
                BitSet pages = new BitSet();
                pages.set(0, pages(file.size()));
                space.put(name, pages);
                takenPages += pages.cardinality();
            }
        }
    }

    /** Guarded by the disk. */
    private record Fault(long first, long last) {}

    /** Fails a call once: the n-th of its kind from now on, 1 being the next. */
    public synchronized void fail(Call call, long nth) {
        faults.put(call, new Fault(count(call) + nth, count(call) + nth));
    }

    /** Fails a call from the n-th of its kind from now on until {@link #mend}. */
    public synchronized void failFrom(Call call, long nth) {
        faults.put(call, new Fault(count(call) + nth, Long.MAX_VALUE));
    }

    /** Lets a write that is to fail store so many of its bytes first. */
    public synchronized void storeBeforeFailure(int bytes) {
        bytesBeforeFailure = bytes;
    }

    /** Fails no call any more; capacity and delays stay. */
    public synchronized void mend() {
        faults.clear();
    }

    /** How often the disk was asked for this so far. */
    public synchronized long count(Call call) {
        return counts.getOrDefault(call, 0L);
    }

    /** How many calls were failed so far, those on a full disk among them. */
    public synchronized long failures() {
        return failures;
    }

    /**
     * Lets files take so many bytes, in pages of 4 KiB; what is there already counts. A write for which there is only room
     * in part stores that part, the next one fails.
     */
    public synchronized void capacity(long bytes) {
        capacityPages = bytes / PAGE_BYTES;
    }

    /** Takes the limit away. */
    public synchronized void unlimit() {
        capacityPages = Long.MAX_VALUE;
    }

    /** Bytes that files take, in pages of 4 KiB. */
    public synchronized long taken() {
        return takenPages * PAGE_BYTES;
    }

    /** Lets syncs of files wait until {@link #letSyncs}, a minute at most. */
    public synchronized void holdSyncs() {
        syncsHeld = true;
    }

    /** Waits until a sync waits, a minute at most. */
    public synchronized void awaitHeldSync() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (heldSyncs == 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException("no sync came within " + PATIENCE_SECONDS + " s");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** Ends the waiting of syncs, those that wait now included. */
    public synchronized void letSyncs() {
        syncsHeld = false;
        notifyAll();
    }

    /** Lets every sync of a file take at least so long. */
    public synchronized void delaySyncs(Duration delay) {
        syncDelay = delay;
    }

    /** Flips bits of one byte of a file, as a bad disk does: the ones in the mask. */
    public void flip(String name, long at, int mask) throws IOException {
        try (DiskFile file = disk.open(name)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            if (file.read(one, at) != 1) {
                throw new IllegalArgumentException(name + " has no byte " + at);
            }
            one.put(0, (byte) (one.get(0) ^ mask)).rewind();
            file.write(one, at);
            file.sync();
        }
    }

    @Override
    public List<String> list() throws IOException {
        enter(Call.LIST);
        return disk.list();
    }

    @Override
    public DiskFile create(String name) throws IOException {
        enter(Call.CREATE);
        DiskFile file = disk.create(name);
        return new FaultyFile(file, spaceOf(name));
    }

    @Override
    public DiskFile open(String name) throws IOException {
        enter(Call.OPEN);
        DiskFile file = disk.open(name);
        return new FaultyFile(file, spaceOf(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        enter(Call.RENAME);
        disk.rename(from, to);
        synchronized (this) {
            BitSet pages = space.remove(from);
            free(to);
            space.put(to, pages == null ? new BitSet() : pages);
        }
    }

    @Override
    public void delete(String name) throws IOException {
        enter(Call.DELETE);
        disk.delete(name);
        free(name);
    }

    @Override
    public void sync() throws IOException {
        enter(Call.SYNC_DIRECTORY);
        disk.sync();
    }

    @Override
    public long free() {
        synchronized (this) {
            if (capacityPages != Long.MAX_VALUE) {
                return Math.max(0, capacityPages - takenPages) * PAGE_BYTES;
            }
        }
        return disk.free();
    }

    private synchronized BitSet spaceOf(String name) {
        return space.computeIfAbsent(name, made -> new BitSet());
    }

    private synchronized void free(String name) {
        BitSet pages = space.remove(name);
        if (pages != null) {
            takenPages -= pages.cardinality();
        }
    }

    /** Counts a call, and fails it when its time has come. */
    private void enter(Call call) throws IOException {
        if (comes(call)) {
            throw new IOException("Input/output error");
        }
    }

    /** Counts a call; whether it is one that is to fail. */
    private synchronized boolean comes(Call call) {
        long count = counts.merge(call, 1L, Long::sum);
        Fault fault = faults.get(call);
        boolean fails = fault != null && fault.first() <= count && count <= fault.last();
        failures += fails ? 1 : 0;
        return fails;
    }

    private synchronized IOException full() {
        failures++;
        return new IOException("No space left on device");
    }

    /** Takes pages for bytes that are to be written; how many of these bytes there is room for. */
    private synchronized int take(BitSet pages, long at, int length) {
        int done = 0;
        while (done < length) {
            int page = Math.toIntExact((at + done) / PAGE_BYTES);
            if (!pages.get(page)) {
                if (takenPages >= capacityPages) {
                    break;
                }
                pages.set(page);
                takenPages++;
            }
            done = (int) Math.min(length, (page + 1L) * PAGE_BYTES - at);
        }
        return done;
    }

    private synchronized void cut(BitSet pages, long size) {
        int kept = pages(size);
        if (kept < pages.length()) {
            takenPages -= pages.cardinality();
            pages.clear(kept, pages.length());
            takenPages += pages.cardinality();
        }
    }

    private static int pages(long bytes) {
        return Math.toIntExact((bytes + PAGE_BYTES - 1) / PAGE_BYTES);
    }

    private synchronized void awaitSync() throws IOException {
        long now = System.nanoTime();
        long delayed = now + syncDelay.toNanos();
        long deadline = now + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        boolean held = syncsHeld;
        heldSyncs += held ? 1 : 0;
        notifyAll();
        try {
            while (syncsHeld || now < delayed) {
                if (now >= deadline) {
                    throw new IOException("syncs were held for " + PATIENCE_SECONDS + " s");
                }
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, (syncsHeld ? deadline : delayed) - now));
                now = System.nanoTime();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            heldSyncs -= held ? 1 : 0;
        }
    }

    /** A file of this disk. As thread-safe as the file below. */
    private final class FaultyFile implements DiskFile {
        private final DiskFile file;
        private final BitSet pages;

        FaultyFile(DiskFile file, BitSet pages) {
            this.file = file;
            this.pages = pages;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int read(ByteBuffer target, long at) throws IOException {
            enter(Call.READ);
            return file.read(target, at);
        }

        @Override
        public int write(ByteBuffer source, long at) throws IOException {
            if (comes(Call.WRITE)) {
                int part = Math.min(source.remaining(), storedBeforeFailure());
                writeAll(source, at, take(pages, at, part));
                throw new IOException("Input/output error");
            }
            int room = take(pages, at, source.remaining());
            if (room == 0 && source.hasRemaining()) {
                throw full();
            }
            return writeAll(source, at, room);
        }

        /** The pages that it takes must be written to the last byte: the caller takes what is left for not stored. */
        private int writeAll(ByteBuffer source, long at, int length) throws IOException {
            ByteBuffer part = source.slice(source.position(), length);
            while (part.hasRemaining()) {
                file.write(part, at + part.position());
            }
            source.position(source.position() + length);
            return length;
        }

        @Override
        public void resize(long size) throws IOException {
            enter(Call.RESIZE);
            file.resize(size);
            cut(pages, size);
        }

        @Override
        public void sync() throws IOException {
            awaitSync();
            if (comes(Call.SYNC)) {
                if (file instanceof RecordingDisk.OpenFile recording) {
                    recording.failSync();
                }
                throw new IOException("Input/output error");
            }
            file.sync();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private synchronized int storedBeforeFailure() {
        return bytesBeforeFailure;
    }
}
