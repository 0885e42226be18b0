package org.entrepot.storage.file;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.spi.storage.StorageException;
import org.entrepot.spi.storage.StorageListener;
import org.jspecify.annotations.Nullable;

/** What a start would find in a store, without an engine: nothing is written. Used by one thread. */
final class Offline implements AutoCloseable {
    /** No segment is made. */
    private static final int SEGMENT_BYTES = 0;

    private final Journal journal = new Journal(SEGMENT_BYTES, 1);
    private final Loader loader = new Loader(Threads.NEW);
    private final EngineParts parts = new EngineParts(
            journal,
            loader,
            Map.of(),
            new StoreMeters(new SimpleMeterRegistry()),
            new Deaf(),
            Checksums.EXACT,
            Durability.DISK,
            () -> 0,
            () -> {},
            closed -> {});
    private Recovery.@Nullable Found found;

    /** Reads a store as a start does. */
    Recovery.Found read(DryDisk disk, long store, RecoveryWatch watch) throws IOException, StorageException {
        Recovery recovery = new Recovery(disk, store, Checksums.EXACT, id -> new FileLog(id, true, parts), watch);
        Recovery.Found all = recovery.run();
        found = all;
        journal.begin(all.segments(), all.nextBatch());
        all.logs().values().forEach(log -> log.contents().countLive());
        return all;
    }

    /** Tells what a log holds. */
    void replay(FileLog log, LogReplay replay) throws IOException {
        Waiting waiting = new Waiting(replay);
        log.replay(waiting);
        try {
            waiting.over.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            loader.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        Recovery.Found opened = found;
        if (opened != null) {
            for (Segment segment : opened.segments()) {
                segment.release();
            }
            for (Table table : opened.tables().values()) {
                table.release();
            }
        }
        journal.releaseBuffers();
    }

    /** Passes a replay on, and knows when it is over. */
    private static final class Waiting implements LogReplay {
        private final LogReplay to;
        private final CountDownLatch over = new CountDownLatch(1);

        Waiting(LogReplay to) {
            this.to = to;
        }

        @Override
        public void checkpoint(ByteBuf state) {
            to.checkpoint(state);
        }

        @Override
        public void entry(long position, long stamp, Envelope envelope, int bytes) {
            to.entry(position, stamp, envelope, bytes);
        }

        @Override
        public void released(long from, long to) {
            this.to.released(from, to);
        }

        @Override
        public void fact(ByteBuf fact) {
            to.fact(fact);
        }

        @Override
        public void ended(long position) {
            try {
                to.ended(position);
            } finally {
                over.countDown();
            }
        }

        @Override
        public void failed(String reason) {
            try {
                to.failed(reason);
            } finally {
                over.countDown();
            }
        }
    }

    /** What the store has to say is found out otherwise. */
    private static final class Deaf implements StorageListener {
        @Override
        public void full(String reason) {}

        @Override
        public void hasRoom() {}

        @Override
        public void failed(String reason) {}

        @Override
        public void checkpointWanted(long log) {}

        @Override
        public void alarm(String text) {}
    }
}
