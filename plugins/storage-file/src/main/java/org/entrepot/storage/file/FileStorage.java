package org.entrepot.storage.file;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageContext;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;
import org.jspecify.annotations.Nullable;

/** Keeps logs in the files of one directory. Any thread may open and delete logs; each log is its owner's. */
final class FileStorage implements StorageEngine {
    static final String NAME = "file";

    private final DiskSupplier disks;
    private final Identities identities;
    private final FileSettings settings;
    private final StoreMeters meters;
    private final Checksums checksums;
    private final Threads threads;
    private final ConcurrentHashMap<Long, FileLog> logs = new ConcurrentHashMap<>();
    private @Nullable Started started;

    /** Opens the directory, when the engine starts. */
    @FunctionalInterface
    interface DiskSupplier {
        Disk open() throws IOException, StorageException;
    }

    /** Finds out which store a directory is, or makes it a new one. */
    @FunctionalInterface
    interface Identities {
        StoreIdentity of(Disk disk, long newStore) throws IOException, StorageException;
    }

    private record Started(EngineParts parts, JournalWriter writer, Reclaimer reclaimer, Disk disk) {}

    FileStorage(DiskSupplier disks, FileSettings settings, StoreMeters meters) {
        this(disks, settings, meters, Checksums.EXACT, Threads.NEW);
    }

    FileStorage(DiskSupplier disks, Identities identities, FileSettings settings, StoreMeters meters) {
        this(disks, identities, settings, meters, Checksums.EXACT, Threads.NEW);
    }

    /** One for tests. */
    FileStorage(DiskSupplier disks, FileSettings settings, StoreMeters meters, Checksums checksums, Threads threads) {
        this(disks, StoreIdentity::of, settings, meters, checksums, threads);
    }

    private FileStorage(
            DiskSupplier disks,
            Identities identities,
            FileSettings settings,
            StoreMeters meters,
            Checksums checksums,
            Threads threads) {
        this.disks = disks;
        this.identities = identities;
        this.settings = settings;
        this.meters = meters;
        this.checksums = checksums;
        this.threads = threads;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Durability durability() {
        return settings.sync() == FileSettings.Sync.ALWAYS ? Durability.DISK : Durability.OPERATING_SYSTEM;
    }

    @Override
    public void start(StorageContext context) throws StorageException {
        try {
            Disk disk = disks.open();
            try {
                start(disk, context);
            } finally {
                if (started == null) {
                    closeDisk(disk);
                }
            }
        } catch (IOException failed) {
            throw new StorageException("the store cannot be read: " + failed.getMessage(), failed);
        }
    }

    private void start(Disk disk, StorageContext context) throws IOException, StorageException {
        SecureRandom random = new SecureRandom();
        long store = identities.of(disk, random.nextLong()).store();
        Journal journal = new Journal(settings.segmentBytes(), 1 + random.nextInt(0xffff));
        Loader loader = new Loader(threads);
        Writing writing = new Writing();
        EngineParts parts = new EngineParts(
                journal,
                loader,
                context.formats(),
                meters,
                telling(context.listener()),
                checksums,
                durability(),
                writing::written,
                writing::flush,
                FileLog::closedToOpenAgain);
        RoomAlarm room = new RoomAlarm(parts.listener());
        SegmentFiles files = new SegmentFiles(disk, settings.segmentBytes(), room);
        Recovery.Found found =
                new Recovery(disk, store, checksums, id -> new FileLog(id, true, parts), new Starting()).run();
        journal.begin(found.segments(), found.nextBatch());
        logs.putAll(found.logs());
        logs.values().forEach(log -> log.contents().countLive());
        JournalWriter writer = new JournalWriter(
                journal,
                disk,
                files,
                settings,
                store,
                found.nextBatch() - 1,
                Place.of(journal.head().number(), 0),
                parts.listener(),
                room,
                meters);
        writing.writer = writer;
        Reclaimer reclaimer =
                new Reclaimer(parts, writer, disk, files, settings, store, logs, found.tables(), found.lastTable());
        started = new Started(parts, writer, reclaimer, disk);
        gauges(reclaimer);
        found.alarms().forEach(context.listener()::alarm);
        for (String name : disk.list()) {
            if (name.startsWith(SegmentFiles.SET_ASIDE)) {
                context.listener()
                        .alarm(name + " was damaged and messages in it may be lost; once that was looked into,"
                                + " `entrepot store repair` puts it out of the way");
            }
        }
        writer.start(threads);
        reclaimer.start(threads);
    }

    /** Refuses what a start must not go on with, and says what an operator may do. */
    private static final class Starting implements RecoveryWatch {
        @Override
        public void refused(String file, String why, @Nullable Throwable cause) throws StorageException {
            throw new StorageException(
                    why + "; put back a whole copy of the file, or see what `entrepot store repair` makes of the store"
                            + " without it",
                    cause);
        }
    }

    /** Gives the writer to those that are made before it. */
    private static final class Writing {
        private volatile @Nullable JournalWriter writer;

        long written() {
            JournalWriter made = writer;
            return made == null ? 0 : made.writtenPlace();
        }

        void flush() {
            JournalWriter made = writer;
            try {
                if (made != null && !made.sync()) {
                    throw new IllegalStateException("the store has failed");
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void gauges(Reclaimer reclaimer) {
        Supplier<Number> total = () -> reclaimer.space().bytes();
        Supplier<Number> live = () -> reclaimer.space().live();
        meters.gauge("bytes", "Bytes in files of the journal and tables", total);
        meters.gauge("live.bytes", "Bytes of entries that are in their logs", live);
    }

    /** Whoever hears that the engine has failed, the logs hear it too. */
    private StorageListener telling(StorageListener listener) {
        return new StorageListener() {
            @Override
            public void full(String reason) {
                listener.full(reason);
            }

            @Override
            public void hasRoom() {
                listener.hasRoom();
            }

            @Override
            public void failed(String reason) {
                for (FileLog each : logs.values()) {
                    each.onOwner(() -> each.failed(reason));
                }
                listener.failed(reason);
            }

            @Override
            public void alarm(String text) {
                listener.alarm(text);
            }

            @Override
            public void checkpointWanted(long log) {
                listener.checkpointWanted(log);
            }
        };
    }

    private Started started() {
        return Objects.requireNonNull(started, "the engine has not started");
    }

    @Override
    public long[] stored() {
        return logs.keySet().stream().mapToLong(Long::longValue).toArray();
    }

    /** The log of this id; null where there is none. */
    @Nullable FileLog log(long id) {
        return logs.get(id);
    }

    @Override
    public long entries(long id) {
        FileLog log = log(id);
        return log == null ? 0 : log.entriesWhileClosed();
    }

    @Override
    public Log open(long id, boolean durable, LogListener listener, Executor owner) {
        FileLog log = logs.computeIfAbsent(
                id, none -> new FileLog(id, durable, started().parts()));
        log.open(listener, owner);
        return log;
    }

    @Override
    public LogTransaction begin() {
        return new FileTransaction(started().parts().journal());
    }

    @Override
    public void delete(long id) {
        FileLog log = logs.get(id);
        if (log != null) {
            // The record comes first: what looks as if nobody needed it is thrown away behind what was appended by
            // then.
            started().parts().journal().deleted(log);
            logs.remove(id);
            log.onOwner(log::forget);
        }
    }

    @Override
    public void close() {
        Started ending = started;
        if (ending == null) {
            return;
        }
        started = null;
        try {
            ending.reclaimer().close();
            ending.parts().loader().close();
            ending.parts().journal().close();
            ending.writer().awaitEnd();
            ending.parts().journal().fail();
            ending.parts().journal().releaseBuffers();
            for (Segment segment : ending.parts().journal().segments()) {
                segment.release();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (IOException failed) {
            throw new IllegalStateException("the store could not be closed: " + failed.getMessage(), failed);
        } finally {
            closeDisk(ending.disk());
        }
    }

    private static void closeDisk(Disk disk) {
        if (disk instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception failed) {
                throw new IllegalStateException("the store could not be closed: " + failed.getMessage(), failed);
            }
        }
    }
}
