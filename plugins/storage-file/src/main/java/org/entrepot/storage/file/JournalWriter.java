package org.entrepot.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.entrepot.spi.storage.StorageListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that writes the journal: takes what has gathered, writes it, syncs it where an entry is among it, tells the logs,
 * and begins anew. What gathers meanwhile is the next batch; there is no timer for it. Owned by its thread; {@link #sync},
 * {@link #syncUnlessFull} and {@link #start} may be called by any.
 */
final class JournalWriter implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(JournalWriter.class);

    /** Facts wait so long for a sync of their own. */
    private static final long FACTS_SYNC_MILLIS = 1_000;

    /** Quiet for so long after a sync, the journal says what is synced. */
    private static final long MARK_MILLIS = 100;

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long FULL_RETRY_MILLIS = 500;
    private static final int WRITE_BYTES_MAX = 1 << 18;

    private final Journal journal;
    private final Disk disk;
    private final SegmentFiles files;
    private final FileSettings settings;
    private final long store;
    private final StorageListener listener;
    private final RoomAlarm room;
    private final StoreMeters meters;
    /** Segments that were written to since the last sync. */
    private final Set<Segment> unsynced = new LinkedHashSet<>();
    /** Those who wait for the round under way. */
    private List<SyncBarrier> reached = List.of();

    private final CountDownLatch ended = new CountDownLatch(1);
    private long synced;
    private long written;
    private long lastSyncNanos = System.nanoTime();
    private boolean marked = true;
    private volatile @Nullable String failure;
    /** Records at lesser places are in their files. */
    private volatile long writtenPlace;

    JournalWriter(
            Journal journal,
            Disk disk,
            SegmentFiles files,
            FileSettings settings,
            long store,
            long synced,
            long writtenPlace,
            StorageListener listener,
            RoomAlarm room,
            StoreMeters meters) {
        this.journal = journal;
        this.disk = disk;
        this.files = files;
        this.settings = settings;
        this.store = store;
        this.synced = synced;
        this.written = synced;
        this.writtenPlace = writtenPlace;
        this.listener = listener;
        this.room = room;
        this.meters = meters;
    }

    void start(Threads threads) {
        threads.start("journal-writer", this);
    }

    /** Waits until everything appended so far is synced; false when that will not be. Not to be called by a loop. */
    boolean sync() throws InterruptedException {
        return await(new SyncBarrier(true));
    }

    /** The same, but fails when the disk has no room for it: whoever calls may be able to make some. */
    boolean syncUnlessFull() throws InterruptedException, IOException {
        SyncBarrier barrier = new SyncBarrier(false);
        boolean synced = await(barrier);
        if (barrier.isSentAway()) {
            throw NoRoom.because("the journal waits for room");
        }
        return synced;
    }

    private boolean await(SyncBarrier barrier) throws InterruptedException {
        journal.sync(barrier);
        // Who has come too late for the last round is not told.
        return ended.getCount() > 0 && barrier.await();
    }

    /** Waits for the end, which {@link Journal#close} brings about. */
    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    long writtenPlace() {
        return writtenPlace;
    }

    @Nullable String failure() {
        return failure;
    }

    @Override
    public void run() {
        try {
            boolean closing = false;
            while (!closing) {
                Journal.Round round = journal.next(patience(), nextSync());
                reached = round.barriers();
                write(round);
                reached.forEach(SyncBarrier::synced);
                reached = List.of();
                if (round.batches().isEmpty() && !round.forced()) {
                    mark();
                }
                closing = round.closing();
            }
            mark();
        } catch (IOException failed) {
            fail("the journal cannot be written: " + failed.getMessage(), failed);
        } catch (InterruptedException interrupted) {
            fail("the journal's writer was interrupted", interrupted);
        } catch (RuntimeException | Error fault) {
            fail("a fault in the journal's writer: " + fault, fault);
        } finally {
            ended.countDown();
            reached.forEach(SyncBarrier::giveUp);
            journal.takeBarriers().forEach(SyncBarrier::giveUp);
        }
    }

    private long patience() {
        OptionalLong sync = nextSync();
        if (sync.isPresent()) {
            return Math.max(1, (sync.getAsLong() - System.nanoTime()) / NANOS_PER_MILLI);
        }
        return marked ? Long.MAX_VALUE / 2 / NANOS_PER_MILLI : MARK_MILLIS;
    }

    /** When what nobody waits for is synced, where that is not left to the operating system. */
    private OptionalLong nextSync() {
        if (unsynced.isEmpty() || settings.sync() == FileSettings.Sync.OS) {
            return OptionalLong.empty();
        }
        long millis = settings.sync() == FileSettings.Sync.INTERVAL ? settings.syncIntervalMillis() : FACTS_SYNC_MILLIS;
        return OptionalLong.of(lastSyncNanos + millis * NANOS_PER_MILLI);
    }

    private void write(Journal.Round round) throws IOException, InterruptedException {
        ArrayDeque<Batch> batches = round.batches();
        try {
            for (Batch batch : batches) {
                batch.seal(store, synced);
                write(batch);
                written = batch.number();
            }
            tell(batches, false);
            if (round.syncs()) {
                syncFiles();
            }
            tell(batches, true);
        } finally {
            for (Batch batch : batches) {
                journal.written(batch);
            }
        }
    }

    private void write(Batch batch) throws IOException, InterruptedException {
        Segment segment = batch.segment();
        DiskFile file = segment.file();
        if (file == null) {
            file = makeFile(segment);
            segment.file(file);
        }
        ByteBuffer bytes = batch.buffer().nioBuffer();
        long at = batch.offset();
        int end = bytes.limit();
        while (bytes.position() < end) {
            bytes.limit(Math.min(end, bytes.position() + WRITE_BYTES_MAX));
            at += writeSome(file, bytes, at);
        }
        writtenPlace = Place.of(segment.number(), batch.end());
        unsynced.add(segment);
        meters.wrote(end);
    }

    private int writeSome(DiskFile file, ByteBuffer bytes, long at) throws IOException, InterruptedException {
        while (true) {
            int before = bytes.position();
            try {
                int count = file.write(bytes, at);
                room.hasRoom(RoomAlarm.Lack.JOURNAL);
                return count;
            } catch (IOException failed) {
                bytes.position(before);
                waitForRoom(failed);
            }
        }
    }

    private DiskFile makeFile(Segment segment) throws IOException, InterruptedException {
        DiskFile file = null;
        while (true) {
            try {
                if (file == null) {
                    file = files.make(segment);
                }
                disk.sync();
                return file;
            } catch (IOException failed) {
                waitForRoom(failed);
            }
        }
    }

    /** A disk that is full may have room again; anything else is final. */
    private void waitForRoom(IOException failed) throws IOException, InterruptedException {
        String why = NoRoom.why(failed);
        if (why == null) {
            throw failed;
        }
        room.full(RoomAlarm.Lack.JOURNAL, why);
        reached = reached.stream().filter(barrier -> !barrier.sendAway()).toList();
        journal.sendAway();
        Thread.sleep(FULL_RETRY_MILLIS);
        if (journal.isClosing()) {
            throw failed;
        }
    }

    private void syncFiles() throws IOException, InterruptedException {
        long start = System.nanoTime();
        delay(start + settings.syncDelayMicros() * 1_000);
        for (Segment segment : unsynced) {
            DiskFile file = segment.file();
            if (file != null) {
                file.sync();
            }
        }
        unsynced.clear();
        synced = written;
        marked = false;
        lastSyncNanos = System.nanoTime();
        meters.synced(lastSyncNanos - start);
    }

    private static void delay(long untilNanos) throws InterruptedException {
        for (long left = untilNanos - System.nanoTime(); left > 0; left = untilNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /** Tells what is durable now that it is written, or synced, with one task for each owner. */
    private void tell(ArrayDeque<Batch> batches, boolean synced) {
        List<News> all = new ArrayList<>(2);
        for (Batch batch : batches) {
            for (int slot = 0; slot < batch.touched(); slot++) {
                if (batch.isDurableWhenSynced(slot) == synced) {
                    FileLog touched = batch.log(slot);
                    newsFor(touched.executor(), all).add(touched, batch.index(slot));
                }
            }
            if (synced) {
                for (FileTransaction transaction : batch.transactions()) {
                    journal.durable(transaction);
                }
            }
        }
        for (News news : all) {
            news.send();
        }
    }

    private static News newsFor(Executor owner, List<News> all) {
        for (News news : all) {
            if (news.owner == owner) {
                return news;
            }
        }
        News added = new News(owner);
        all.add(added);
        return added;
    }

    /** What one owner's logs are told. */
    private static final class News implements Runnable {
        private final Executor owner;
        private final List<FileLog> logs = new ArrayList<>();
        private long[] indexes = new long[8];

        News(Executor owner) {
            this.owner = owner;
        }

        void add(FileLog touched, long index) {
            int size = logs.size();
            if (size > 0 && logs.get(size - 1) == touched) {
                indexes[size - 1] = index;
                return;
            }
            if (size == indexes.length) {
                indexes = Arrays.copyOf(indexes, size * 2);
            }
            logs.add(touched);
            indexes[size] = index;
        }

        void send() {
            try {
                owner.execute(this);
            } catch (RejectedExecutionException stopped) {
                log.debug("Nobody is left to hear what is durable", stopped);
            }
        }

        @Override
        public void run() {
            for (int i = 0; i < logs.size(); i++) {
                logs.get(i).durable(indexes[i]);
            }
        }
    }

    /** Says in the journal what is synced, so that a start can tell damage of the last batch from a write cut short. */
    private void mark() throws IOException, InterruptedException {
        if (marked || synced != written) {
            return;
        }
        Batch batch = journal.mark();
        marked = true;
        if (batch != null) {
            try {
                batch.seal(store, synced);
                write(batch);
                written = batch.number();
            } finally {
                journal.written(batch);
            }
        }
    }

    private void fail(String why, Throwable cause) {
        failure = why;
        journal.fail();
        log.error("The store has failed; nothing more is confirmed until the broker is started again: {}", why, cause);
        listener.failed(why);
    }
}
