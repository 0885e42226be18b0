package org.entrepot.testkit.storage;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * The simplest engine that keeps its promises: one file to which records are appended, all of it in memory, written anew at
 * each start. It can be told to leave out what it must not. Its logs are their owner's; a thread of its own writes.
 */
final class ReferenceStorage implements StorageEngine {
    private static final String JOURNAL = "journal";
    private static final String NEXT_JOURNAL = "journal.next";
    private static final int FRAME_BYTES = 2 * Integer.BYTES;

    /** What an engine must not leave out; the last two show only when a disk fails. */
    enum Flaw {
        NO_SYNC,
        NO_DIRECTORY_SYNC,
        NO_CHECKSUM,
        NO_SYNC_BEFORE_RENAME,
        RELEASES_NOT_WRITTEN,
        TRANSACTIONS_WRITTEN_IN_PARTS,
        /** Where a sync fails, the next one must not be believed. */
        NO_DOUBT_ABOUT_SYNCS,
        NO_DOUBT_ABOUT_WRITES
    }

    private final Disk disk;
    private final boolean threaded;
    private final Set<Flaw> flaws = EnumSet.noneOf(Flaw.class);
    private final Map<Long, ReferenceLog> logs = new TreeMap<>();
    private final List<Long> stored = new ArrayList<>();
    private final Thread writer = new Thread(this::write, "reference journal");
    private @Nullable DiskFile journal;

    /** Guarded by this engine, as are the two below. */
    private ByteArrayOutputStream unwritten = new ByteArrayOutputStream();

    private List<Runnable> waiting = new ArrayList<>();
    private boolean closing;

    /** Who is told that the disk fails. */
    private final List<Consumer<String>> onFailure = new CopyOnWriteArrayList<>();
    /** The writer's. */
    private boolean broken;

    ReferenceStorage(Disk disk, Flaw... flaws) {
        this(disk, true, flaws);
    }

    /** One that may write at once, on the thread that calls, and so does always the same. */
    ReferenceStorage(Disk disk, boolean threaded, Flaw... flaws) {
        this.disk = disk;
        this.threaded = threaded;
        this.flaws.addAll(List.of(flaws));
    }

    @Override
    public String name() {
        return "reference";
    }

    @Override
    public Durability durability() {
        return Durability.DISK;
    }

    @Override
    public void start(StorageContext context) throws StorageException {
        onFailure.add(context.listener()::failed);
        try {
            if (disk.list().contains(JOURNAL)) {
                try (DiskFile file = disk.open(JOURNAL)) {
                    recover(file);
                }
            }
            logs.forEach((id, log) -> {
                if (log.holdsSomething()) {
                    stored.add(id);
                }
            });
            journal = rewrite();
        } catch (IOException broken) {
            throw new StorageException("the disk fails: " + broken.getMessage(), broken);
        }
        if (threaded) {
            writer.start();
        }
    }

    private void recover(DiskFile file) throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) file.size());
        while (all.hasRemaining() && file.read(all, all.position()) > 0) {}
        all.flip();
        while (all.remaining() >= FRAME_BYTES) {
            int length = all.getInt();
            int checksum = all.getInt();
            if (length <= 0 || length > all.remaining()) {
                return;
            }
            byte[] record = new byte[length];
            all.get(record);
            if (!flaws.contains(Flaw.NO_CHECKSUM) && checksum != checksum(record)) {
                return;
            }
            ReferenceRecords.read(record, id -> logs.computeIfAbsent(id, made -> new ReferenceLog(this, made, true)));
        }
    }

    /** Writes what is there to another file, and puts that in the place of the old one. */
    private DiskFile rewrite() throws IOException {
        disk.delete(NEXT_JOURNAL);
        DiskFile file = disk.create(NEXT_JOURNAL);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        logs.values().forEach(log -> log.writeAll(record -> frame(all, record)));
        writeAll(file, all.toByteArray());
        if (!flaws.contains(Flaw.NO_SYNC_BEFORE_RENAME)) {
            file.sync();
        }
        disk.rename(NEXT_JOURNAL, JOURNAL);
        if (!flaws.contains(Flaw.NO_DIRECTORY_SYNC)) {
            disk.sync();
        }
        return file;
    }

    boolean leavesOut(Flaw flaw) {
        return flaws.contains(flaw);
    }

    /** Writes a record, if there is one, and then runs something. */
    synchronized void write(byte @Nullable [] record, Runnable written) {
        if (record != null) {
            frame(unwritten, record);
        }
        waiting.add(written);
        notifyAll();
        if (!threaded) {
            writeWhatWaits();
        }
    }

    private void write() {
        try {
            while (awaitSomething()) {
                writeWhatWaits();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether there is something to be written, or there never will be. */
    private synchronized boolean awaitSomething() throws InterruptedException {
        while (waiting.isEmpty() && !closing) {
            wait();
        }
        return !waiting.isEmpty();
    }

    private void writeWhatWaits() {
        byte[] bytes;
        List<Runnable> told;
        synchronized (this) {
            bytes = unwritten.toByteArray();
            told = waiting;
            unwritten = new ByteArrayOutputStream();
            waiting = new ArrayList<>();
        }
        if (broken) {
            return;
        }
        try {
            writeDurably(bytes);
            told.forEach(Runnable::run);
        } catch (IOException failure) {
            broken = true;
            onFailure.forEach(hearing -> hearing.accept(failure.getMessage()));
        }
    }

    private void writeDurably(byte[] bytes) throws IOException {
        try {
            writeAll(journal, bytes);
        } catch (IOException failure) {
            if (!flaws.contains(Flaw.NO_DOUBT_ABOUT_WRITES)) {
                throw failure;
            }
        }
        if (bytes.length == 0 || flaws.contains(Flaw.NO_SYNC)) {
            return;
        }
        try {
            journal.sync();
        } catch (IOException failure) {
            if (!flaws.contains(Flaw.NO_DOUBT_ABOUT_SYNCS)) {
                throw failure;
            }
            journal.sync();
        }
    }

    private static void writeAll(DiskFile file, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            file.write(buffer, file.size());
        }
    }

    private static void frame(ByteArrayOutputStream target, byte[] record) {
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES + record.length);
        frame.putInt(record.length).putInt(checksum(record)).put(record);
        target.writeBytes(frame.array());
    }

    private static int checksum(byte[] record) {
        CRC32C checksum = new CRC32C();
        checksum.update(record);
        return (int) checksum.getValue();
    }

    @Override
    public long[] stored() {
        return stored.stream().mapToLong(Long::longValue).toArray();
    }

    @Override
    public long entries(long id) {
        ReferenceLog log = logs.get(id);
        return log == null ? 0 : log.entries();
    }

    @Override
    public Log open(long id, boolean durable, LogListener listener, Executor owner) {
        ReferenceLog log = durable
                ? logs.computeIfAbsent(id, made -> new ReferenceLog(this, made, true))
                : new ReferenceLog(this, id, false);
        log.open(listener, owner);
        onFailure.add(reason -> owner.execute(() -> log.fail(listener, reason)));
        return log;
    }

    @Override
    public LogTransaction begin() {
        return new ReferenceTransaction(this);
    }

    @Override
    public void delete(long id) {
        ReferenceLog gone = logs.remove(id);
        if (gone != null) {
            gone.delete();
        }
        write(ReferenceRecords.deletion(id), () -> {});
    }

    /** Has somebody told when the disk fails. */
    void onFailure(Consumer<String> hearing) {
        onFailure.add(hearing);
    }

    /** Forgets a log that a deletion was read of. */
    void forget(long id) {
        logs.remove(id);
    }

    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        try {
            writer.join();
            journal.close();
        } catch (InterruptedException | IOException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
