package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * Takes the records of all logs, in one order, into batches for the {@link JournalWriter}, and knows the segments. Its methods
 * may be called by any thread: the lock is this object's, held for the copying of one record.
 *
 * <p>A record's place is known when it is appended: a batch's place in its segment is chosen when it is begun.
 */
final class Journal {
    /** A batch that holds so much is not added to. */
    private static final int BATCH_BYTES_MAX = 1 << 20;

    private static final int BUFFER_FIRST = 1 << 16;
    private static final int SPARE_BUFFERS_MAX = 4;
    /** Direct buffers in use; beyond them batches are on the heap, so that a slow disk cannot use up direct memory. */
    private static final int DIRECT_BUFFERS_MAX = 32;

    private final int segmentBytes;
    /** Tells this engine's notes in messages from those of another in the same process. */
    private final int nonce;

    private final ArrayDeque<Segment> segments = new ArrayDeque<>();
    private final ArrayDeque<ByteBuf> spares = new ArrayDeque<>();
    private final Runnable wakeUp = this::wake;
    private ArrayDeque<Batch> sealed = new ArrayDeque<>();
    /** Transactions that were committed, and whose batch is not synced yet. */
    private final Set<FileTransaction> waiting = new LinkedHashSet<>();

    private @Nullable Batch open;
    private long nextNumber;
    private int directBuffers;
    /** The next batch begins on a page of its own. */
    private boolean nextOnPage = true;

    private boolean waking;
    /** Those who wait for a sync of what was appended before they came. */
    private List<SyncBarrier> barriers = new ArrayList<>();

    private boolean closing;
    private boolean failed;

    Journal(int segmentBytes, int nonce) {
        this.segmentBytes = segmentBytes;
        this.nonce = nonce;
    }

    /**
     * Begins behind what a start has found.
     *
     * @param older segments that are there
     * @param next the number of the next batch
     */
    synchronized void begin(List<Segment> older, long next) {
        segments.addAll(older);
        long last = older.isEmpty() ? 0 : older.get(older.size() - 1).number();
        segments.add(new Segment(last + 1, segmentBytes));
        nextNumber = next;
    }

    // Appending.

    /** Appends an entry that may be lasting or spilled; gives its place. */
    long entry(
            FileLog log,
            long index,
            long position,
            long stamp,
            boolean lasting,
            Message message,
            Envelope envelope,
            Annotations annotations) {
        int bound = Records.HEAD + EntryCodec.bound(envelope, annotations) + EntryCodec.bound(message);
        synchronized (this) {
            if (failed) {
                return Place.NOWHERE;
            }
            Batch batch = room(bound);
            int start = batch.buffer().writerIndex();
            long place = entry(batch, log, position, stamp, lasting, message, envelope, annotations);
            if (lasting) {
                batch.touch(log, index, log.isDurableWhenSynced());
            }
            log.appended(place, batch.buffer().writerIndex() - start);
            wakeAtEndOfPass(log.executor());
            return place;
        }
    }

    private long entry(
            Batch batch,
            FileLog log,
            long position,
            long stamp,
            boolean lasting,
            Message message,
            Envelope envelope,
            Annotations annotations) {
        ByteBuf out = batch.buffer();
        int known = lasting ? noted(message, batch.segment().number()) : 0;
        int start = Records.begin(out, known == 0 ? Records.ENTRY : Records.REFERENCE);
        EntryCodec.write(out, log.id(), position, stamp, lasting, envelope, annotations);
        if (known == 0) {
            EntryCodec.writeMessage(out, message);
        } else {
            EntryCodec.writeReference(out, known, message.body().length());
            batch.segment().share(known);
        }
        int length = Records.end(out, start);
        long place = batch.added(start, lasting && log.isDurableWhenSynced());
        batch.segment().added(length);
        if (known == 0) {
            message.note(note(place));
        }
        return place;
    }

    /** Where in this segment the message is, or 0; an offset is never 0, for a batch's head comes first. */
    private int noted(Message message, long segment) {
        long note = message.note();
        boolean here = note >>> 48 == nonce && (note >>> Integer.SIZE & 0xffff) == (segment & 0xffff);
        return here ? (int) note : 0;
    }

    private long note(long place) {
        return (long) nonce << 48 | (Place.segment(place) & 0xffff) << Integer.SIZE | Place.offset(place);
    }

    /**
     * Appends a record of a log that is no entry; gives its place. The content's readable bytes are copied.
     *
     * @param awaited whether the log wants to hear when the record is durable, soon
     */
    synchronized long other(FileLog log, long index, byte kind, ByteBuf content, boolean awaited) {
        if (failed) {
            return Place.NOWHERE;
        }
        Batch batch = room(Records.HEAD + Varints.BYTES_MAX + content.readableBytes());
        int start = Records.begin(batch.buffer(), kind);
        Varints.write(batch.buffer(), log.id());
        batch.buffer().writeBytes(content, content.readerIndex(), content.readableBytes());
        if (awaited) {
            batch.touch(log, index, log.isDurableWhenSynced());
        }
        long place = ended(batch, start, awaited && log.isDurableWhenSynced(), log.executor());
        log.appended(place, Records.length(batch.buffer(), start));
        return place;
    }

    /** Records that positions of a log were released, whose records were these. */
    synchronized void release(FileLog log, long from, long to, Freed freed, boolean recorded) {
        freed.apply(this);
        if (recorded && !failed) {
            Batch batch = room(Records.HEAD + 3 * Varints.BYTES_MAX);
            int start = release(batch.buffer(), log, from, to);
            ended(batch, start, false, log.executor());
        }
    }

    private static int release(ByteBuf out, FileLog log, long from, long to) {
        int start = Records.begin(out, Records.RELEASE);
        Varints.write(out, log.id());
        Varints.write(out, from);
        Varints.write(out, to - from);
        return start;
    }

    /** Entries are not live any more, without a record. */
    synchronized void freed(Freed freed) {
        freed.apply(this);
    }

    // Transactions.

    /**
     * Appends a transaction, all of it into one batch; whether it is to be waited for. Of logs that are deleted nothing is
     * written.
     *
     * @param bound more than it takes; 0 where nothing of it lasts
     */
    synchronized boolean commit(FileTransaction transaction, List<FileTransaction.Share> shares, int bound) {
        if (failed || bound == 0) {
            return false;
        }
        Batch batch = room(bound);
        batch.buffer().ensureWritable(bound);
        boolean any = false;
        for (FileTransaction.Share share : shares) {
            if (share.lasts() && !share.log().isDeleted()) {
                write(batch, share);
                any = true;
            }
        }
        if (any) {
            batch.committed(transaction);
            waiting.add(transaction);
            wakeAtEndOfPass(transaction.owner());
        }
        return any;
    }

    private void write(Batch batch, FileTransaction.Share share) {
        ByteBuf out = batch.buffer();
        FileLog log = share.log();
        log.contents().anchor(Place.of(batch.segment().number(), 0));
        for (byte[] fact : share.facts()) {
            int start = Records.begin(out, Records.FACT);
            Varints.write(out, log.id());
            out.writeBytes(fact);
            int length = Records.end(out, start);
            share.factIsAt(batch.added(start, log.isDurableWhenSynced()), length);
        }
        for (int i = 0; share.releasesLast() && i < share.releases().size(); i++) {
            int start =
                    release(out, log, share.releases().from(i), share.releases().to(i));
            Records.end(out, start);
            batch.added(start, log.isDurableWhenSynced());
        }
        for (FileTransaction.Entry entry : share.entries()) {
            int start = out.writerIndex();
            long place = entry(
                    batch,
                    log,
                    entry.position(),
                    entry.stamp(),
                    true,
                    entry.message(),
                    entry.envelope(),
                    entry.annotations());
            share.entryIsAt(place, out.writerIndex() - start);
        }
        batch.segment().pin();
        share.writtenTo(batch.segment());
    }

    /** A log knows now what was written of its share, and what is not live any more with that. */
    synchronized void taken(FileTransaction.Share share, Freed freed) {
        freed.apply(this);
        Segment segment = share.segment();
        if (segment != null) {
            segment.unpin();
        }
    }

    /** A transaction is as durable as it will be. */
    void durable(FileTransaction transaction) {
        boolean waited;
        synchronized (this) {
            waited = waiting.remove(transaction);
        }
        if (waited) {
            transaction.answer(true);
        }
    }

    /** A log is deleted: transactions leave it out from now on. */
    synchronized void deleted(FileLog log) {
        log.delete();
        if (log.contents().anchor() != 0) {
            engine(Records.DELETED, log.id(), false);
        }
    }

    /** Records that a log is deleted, or that segments before this one are of no use any more. */
    synchronized void engine(byte kind, long number, boolean sync) {
        if (failed) {
            return;
        }
        Batch batch = room(Records.HEAD + Varints.BYTES_MAX);
        int start = Records.begin(batch.buffer(), kind);
        Varints.write(batch.buffer(), number);
        ended(batch, start, sync, Runnable::run);
    }

    private long ended(Batch batch, int start, boolean sync, Executor owner) {
        Records.end(batch.buffer(), start);
        long place = batch.added(start, sync);
        wakeAtEndOfPass(owner);
        return place;
    }

    /** An open batch with room for a record. */
    private Batch room(int bytes) {
        Batch batch = open;
        if (batch != null && batch.hasRoom(bytes, BATCH_BYTES_MAX)) {
            return batch;
        }
        sealOpen();
        Segment segment = segments.getLast();
        int offset = nextOnPage ? Batch.alignToPage(segment.end()) : Batch.align(segment.end());
        long need = (long) offset + Batch.HEAD + bytes;
        if (need > segment.size()) {
            long number = segment.number() + 1;
            if (segment.end() == 0) {
                // Nothing was written to it, and it has no file: a start would miss it.
                segments.removeLast();
                number--;
            }
            segment = new Segment(number, Math.max(segmentBytes, Math.addExact(Batch.HEAD, bytes)));
            segments.add(segment);
            offset = 0;
        }
        batch = new Batch(buffer(), segment, offset, nextNumber++);
        open = batch;
        return batch;
    }

    private void sealOpen() {
        Batch batch = open;
        if (batch != null) {
            open = null;
            batch.segment().end(batch.end());
            nextOnPage = batch.wantsSync();
            sealed.add(batch);
        }
    }

    private ByteBuf buffer() {
        ByteBuf spare = spares.poll();
        if (spare != null) {
            return spare.clear();
        }
        if (directBuffers < DIRECT_BUFFERS_MAX) {
            directBuffers++;
            return Unpooled.directBuffer(BUFFER_FIRST);
        }
        return Unpooled.buffer(BUFFER_FIRST);
    }

    // The writer's side.

    /** Wakes the writer once the owner has done what it is about. */
    private void wakeAtEndOfPass(Executor owner) {
        if (!waking) {
            waking = true;
            try {
                owner.execute(wakeUp);
            } catch (RejectedExecutionException stopped) {
                notifyAll();
            }
        }
    }

    private synchronized void wake() {
        notifyAll();
    }

    /** Has everything synced that was appended so far. */
    synchronized void sync(SyncBarrier barrier) {
        barriers.add(barrier);
        notifyAll();
    }

    /** Those who wait, who are not any more the journal's. */
    synchronized List<SyncBarrier> takeBarriers() {
        List<SyncBarrier> taken = barriers;
        barriers = new ArrayList<>();
        return taken;
    }

    /** The disk is full: those who are not patient go. */
    synchronized void sendAway() {
        barriers.removeIf(SyncBarrier::sendAway);
    }

    /** No more is to come. */
    synchronized void close() {
        closing = true;
        notifyAll();
    }

    /** Nothing more is written: what is appended from here on stays in memory, and is never durable. */
    void fail() {
        List<FileTransaction> undurable;
        synchronized (this) {
            failed = true;
            undurable = new ArrayList<>(waiting);
            waiting.clear();
        }
        undurable.forEach(transaction -> transaction.answer(false));
    }

    synchronized boolean isFailed() {
        return failed;
    }

    synchronized boolean isClosing() {
        return closing;
    }

    /**
     * What is to be written next. Immutable.
     *
     * @param barriers of those who wait for a sync of it and all before it
     * @param forced whether it is to be synced though nothing in it asks for that
     * @param syncs whether it is to be synced, with all before it
     * @param closing whether it is the last
     */
    record Round(
            ArrayDeque<Batch> batches, List<SyncBarrier> barriers, boolean forced, boolean syncs, boolean closing) {}

    /**
     * Waits for something to write, or for something to do, at most for so long.
     *
     * @param syncNanos when all that was written is to be synced, by {@link System#nanoTime}
     */
    synchronized Round next(long waitMillis, OptionalLong syncNanos) throws InterruptedException {
        long end = System.nanoTime() + waitMillis * 1_000_000;
        while (!closing && barriers.isEmpty() && sealed.isEmpty() && (open == null || open.isEmpty())) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                break;
            }
            wait(left);
        }
        waking = false;
        if (open != null && !open.isEmpty()) {
            sealOpen();
        }
        ArrayDeque<Batch> batches = sealed;
        sealed = new ArrayDeque<>();
        boolean wantsSync = false;
        for (Batch batch : batches) {
            wantsSync |= batch.wantsSync();
        }
        // In one step with the batches: who came later waits for more than these.
        List<SyncBarrier> reached = barriers.isEmpty() ? List.of() : takeBarriers();
        boolean forced = !reached.isEmpty() || closing;
        boolean due = syncNanos.isPresent() && System.nanoTime() - syncNanos.getAsLong() >= 0;
        boolean syncs = wantsSync || forced || due;
        if (syncs) {
            nextOnPage = true;
        }
        return new Round(batches, reached, forced, syncs, closing);
    }

    /** An empty batch, whose head says what is synced. */
    synchronized @Nullable Batch mark() {
        if (open != null || !sealed.isEmpty()) {
            return null;
        }
        Segment segment = segments.getLast();
        int offset = Batch.alignToPage(segment.end());
        if (offset + Batch.HEAD > segment.size()) {
            return null;
        }
        Batch batch = new Batch(buffer(), segment, offset, nextNumber++);
        segment.end(batch.end());
        nextOnPage = false;
        return batch;
    }

    /** A batch was written and is not needed any more. */
    synchronized void written(Batch batch) {
        ByteBuf buffer = batch.buffer();
        if (buffer.capacity() <= BATCH_BYTES_MAX && spares.size() < SPARE_BUFFERS_MAX) {
            spares.add(buffer);
        } else {
            if (buffer.isDirect()) {
                directBuffers--;
            }
            buffer.release();
        }
    }

    /** Gives the buffers back; the writer has ended. */
    synchronized void releaseBuffers() {
        for (ByteBuf spare : spares) {
            spare.release();
        }
        spares.clear();
        for (Batch batch : sealed) {
            batch.buffer().release();
        }
        sealed.clear();
        if (open != null) {
            open.buffer().release();
            open = null;
        }
    }

    // Segments.

    /** The segment that is written to. */
    synchronized Segment head() {
        return segments.getLast();
    }

    synchronized List<Segment> segments() {
        return new ArrayList<>(segments);
    }

    /** Segments, the oldest ones, that are not written to any more, and of which every log knows what it has there. */
    synchronized List<Segment> segmentsBefore() {
        List<Segment> before = new ArrayList<>();
        for (Segment segment : segments) {
            if (segment == segments.getLast() || segment.isPinned()) {
                break;
            }
            before.add(segment);
        }
        return before;
    }

    /** The segment of a number, held; null when it is gone. */
    synchronized @Nullable Segment acquire(long number) {
        Segment segment = segment(number);
        return segment != null && segment.acquire() ? segment : null;
    }

    @Nullable Segment segment(long number) {
        assert Thread.holdsLock(this);
        for (Segment segment : segments) {
            if (segment.number() == number) {
                return segment;
            }
        }
        return null;
    }

    /** Takes out the segments before this one. */
    synchronized List<Segment> truncate(long oldest) {
        List<Segment> gone = new ArrayList<>();
        while (segments.getFirst().number() < oldest) {
            gone.add(segments.removeFirst());
        }
        return gone;
    }
}
