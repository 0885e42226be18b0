package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.jspecify.annotations.Nullable;

/**
 * A log of the file engine. Owned by the executor it was opened with; before it was opened, by whoever calls, one at a time.
 */
final class FileLog implements Log {
    /** How often what the disk does not give is asked for. */
    private static final int READS_MAX = 5;

    private final long id;
    private final boolean durable;
    private final Journal journal;
    private final Loader loader;
    private final EngineParts parts;
    private final LogContents contents;
    /** What was committed, and is not in the contents yet. Any thread may add. */
    private final ConcurrentLinkedQueue<FileTransaction.Share> committed = new ConcurrentLinkedQueue<>();

    private volatile @Nullable Executor owner;
    private @Nullable LogListener listener;
    private boolean ready;
    private boolean closed;
    /** The last record's index, which goes on when the log is opened once more, and what it was when the log was opened. */
    private long index;

    private long indexBefore;
    private boolean openBefore;
    /** The last record that somebody waits for, and the last of them that is durable. */
    private long awaited;

    private long told;
    private boolean durableWhenSynced;
    private int lastLength;
    private int slot;
    private boolean checkpointWanted;
    private volatile boolean deleted;

    FileLog(long id, boolean durable, EngineParts parts) {
        this.id = id;
        this.durable = durable;
        this.parts = parts;
        this.journal = parts.journal();
        this.loader = parts.loader();
        this.durableWhenSynced = parts.durability() == Durability.DISK;
        this.contents = new LogContents(id, journal);
    }

    long id() {
        return id;
    }

    LogContents contents() {
        return contents;
    }

    /** The owner; while the log is not open whoever calls, one at a time. */
    Executor executor() {
        Executor opened = owner;
        return opened == null ? this::runAlone : opened;
    }

    private void runAlone(Runnable task) {
        Executor opened;
        synchronized (this) {
            opened = owner;
            if (opened == null) {
                task.run();
                return;
            }
        }
        opened.execute(task);
    }

    boolean isOpen() {
        return owner != null;
    }

    /** How many entries there are that last, while nobody has it open; 0 otherwise. */
    synchronized long entriesWhileClosed() {
        return isOpen() ? 0 : contents.liveCount();
    }

    /** Where this log stands in the batch that is filled at present; guarded by the journal. */
    int batchSlot() {
        return slot;
    }

    void batchSlot(int changed) {
        slot = changed;
    }

    /** Where and how long the record is that was appended last; called by the journal, in the owner's thread. */
    void appended(long place, int length) {
        lastLength = length;
        contents.anchor(place);
    }

    synchronized void open(LogListener opening, Executor by) {
        listener = opening;
        owner = by;
    }

    /** Runs something on the owner; not at all once the owner has stopped. */
    void onOwner(Runnable task) {
        try {
            executor().execute(task);
        } catch (RejectedExecutionException stopped) {
            // The owner has stopped, and with it everybody who would hear.
        }
    }

    // Log.

    @Override
    public void replay(LogReplay replay) {
        takeCommitted();
        new Replaying(this, replay, parts).start();
    }

    /** Whether it was opened since the engine has started: what it holds may not be in the files yet. */
    boolean wasOpenBefore() {
        return openBefore;
    }

    void ready() {
        ready = true;
    }

    @Override
    public long append(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean lasting) {
        assert ready;
        boolean lasts = lasting && durable;
        EntryPage page = contents.added(position, stamp, message, envelope, annotations, lasts);
        index++;
        if (lasts) {
            int at = EntryPage.slot(position);
            page.places[at] = journal.entry(this, index, position, stamp, true, message, envelope, annotations);
            page.lengths[at] = lastLength;
            awaited = index;
        }
        return index - indexBefore;
    }

    @Override
    public long append(ByteBuf fact, boolean isAwaited) {
        index++;
        if (durable) {
            long place = journal.other(this, index, Records.FACT, fact, isAwaited);
            contents.since().fact(place, lastLength);
            shortenReplay();
            if (isAwaited) {
                awaited = index;
            }
        }
        return index - indexBefore;
    }

    @Override
    public void append(
            LogTransaction in,
            long position,
            long stamp,
            Message message,
            Envelope envelope,
            Annotations annotations,
            boolean lasting) {
        assert ready;
        // Until it is committed it is one that a restart does not find.
        contents.added(position, stamp, message, envelope, annotations, false);
        FileTransaction.Share share = share(in);
        if (lasting && durable) {
            share.add(new FileTransaction.Entry(position, stamp, message, envelope, annotations));
        }
    }

    @Override
    public void append(LogTransaction in, ByteBuf fact) {
        FileTransaction.Share share = share(in);
        if (durable) {
            share.add(fact);
        }
    }

    @Override
    public void release(LogTransaction in, long from, long to) {
        share(in).release(from, to, contents.lasts(from, to));
    }

    private FileTransaction.Share share(LogTransaction in) {
        return ((FileTransaction) in).share(this);
    }

    /** A transaction was committed, of which this is for the log; {@link #takeCommitted} is to be called on the owner. */
    void committed(FileTransaction.Share share) {
        committed.add(share);
    }

    /** Takes in what was committed, and tells of it. */
    void takeCommitted() {
        for (FileTransaction.Share share = committed.poll(); share != null; share = committed.poll()) {
            contents.committed(share);
            journal.taken(share, contents.freed());
            if (deleted) {
                contents.forgetAll();
            }
            shortenReplay();
            LogListener hears = listener;
            if (ready && hears != null) {
                hears.committed(share.transaction());
            }
        }
    }

    /** The log is deleted; called by the journal. */
    void delete() {
        deleted = true;
    }

    boolean isDeleted() {
        return deleted;
    }

    /** Nothing of a deleted log is live. */
    void forget() {
        takeCommitted();
        contents.forgetAll();
    }

    @Override
    public void checkpoint(ByteBuf state) {
        if (durable) {
            ByteBuf content = Unpooled.buffer();
            CheckpointCodec.write(content, contents.tail(), contents.live(), state);
            long place = journal.other(this, index, Records.CHECKPOINT, content, false);
            contents.checkpoint(place, lastLength);
            checkpointWanted = false;
        }
    }

    @Override
    public void durability(Durability least) {
        durableWhenSynced = least == Durability.DISK;
    }

    boolean isDurableWhenSynced() {
        return durableWhenSynced;
    }

    @Override
    public boolean keepsFacts() {
        return durable;
    }

    @Override
    public long durableIndex() {
        return Math.max(0, (told >= awaited ? index : told) - indexBefore);
    }

    /** Everything awaited up to this record is durable. */
    void durable(long upTo) {
        told = Math.max(told, upTo);
        LogListener hears = listener;
        if (!closed && hears != null && durableIndex() > 0) {
            hears.durable(durableIndex());
        }
    }

    void failed(String why) {
        LogListener hears = listener;
        if (!closed && hears != null) {
            hears.failed(why);
        }
    }

    void wantCheckpoint() {
        LogListener hears = listener;
        if (!closed && ready && hears != null) {
            hears.checkpointWanted();
        }
    }

    @Override
    public void release(long from, long to) {
        boolean lasted = contents.release(from, to);
        if (lasted || !contents.freed().isEmpty()) {
            journal.release(this, from, to, contents.freed(), lasted);
        }
        if (lasted) {
            contents.since().released(from, to);
            shortenReplay();
        }
    }

    /** A replay should not take longer than the reading of a checkpoint. */
    private void shortenReplay() {
        if (contents.since().isLong() && !checkpointWanted) {
            checkpointWanted = true;
            onOwner(this::wantCheckpoint);
        }
    }

    @Override
    public @Nullable Message message(long position) {
        return contents.message(position);
    }

    @Override
    public Envelope envelope(long position) {
        return Objects.requireNonNull(contents.there(position).envelopes[EntryPage.slot(position)]);
    }

    @Override
    public Annotations annotations(long position) {
        return contents.there(position).annotationsOf(EntryPage.slot(position));
    }

    @Override
    public long stamp(long position) {
        return contents.there(position).stamps[EntryPage.slot(position)];
    }

    @Override
    public long residentBytes() {
        return contents.residentBytes();
    }

    @Override
    public void load(long from, int bytes) {
        load(from, bytes, READS_MAX);
    }

    private void load(long from, int bytes, int triesLeft) {
        LogContents.Plan plan = contents.plan(from, bytes);
        if (plan == null) {
            LogListener hears = listener;
            if (hears != null) {
                // Not from within the call: the owner is in the middle of something.
                onOwner(() -> hears.loaded(contents.nextLive(from), contents.tail()));
            }
            return;
        }
        loader.read(this, () -> plan.read(new Reading(parts), true), result -> {
            if (closed) {
                return;
            }
            if (result instanceof Reading.Entries entries) {
                loaded(from, entries);
            } else if (result instanceof Reading.Unreadable unreadable) {
                unreadable(from, bytes, triesLeft - 1, unreadable.why());
            } else {
                load(from, bytes, triesLeft);
            }
        });
    }

    /** An entry is not given up because a cable is loose: it is tried again, and then the log fails, but keeps it. */
    private void unreadable(long from, int bytes, int triesLeft, IOException why) {
        if (triesLeft > 0) {
            loader.later(this, () -> load(from, bytes, triesLeft));
        } else {
            String reason = "the store cannot read entries of log " + id + ": " + why.getMessage();
            parts.listener().alarm(reason + "; they are not lost, but come only after a restart");
            failed(reason);
        }
    }

    private void loaded(long from, Reading.Entries entries) {
        long last = from;
        for (Reading.Entry entry : entries.entries()) {
            long position = entry.head().position();
            last = Math.max(last, position);
            contents.put(position, entry);
        }
        parts.meters().loaded(entries.entries().size());
        LogListener hears = listener;
        if (hears == null) {
            return;
        }
        for (int i = 0; i < entries.damaged().size(); i++) {
            long position = entries.damaged().get(i);
            last = Math.max(last, position);
            lost(position);
        }
        hears.loaded(Math.min(contents.nextLive(from), last), last);
    }

    /** An entry cannot be read. */
    void lost(long position) {
        if (contents.isLive(position)) {
            parts.damaged(this, position);
            LogListener hears = listener;
            if (ready && hears != null) {
                hears.lost(position, position);
            } else {
                release(position, position);
            }
        }
    }

    @Override
    public void unload(long from, long to) {
        contents.unload(from, to, parts.written().getAsLong(), this::spill);
    }

    private void spill(EntryPage page, int at, long position) {
        page.places[at] = journal.entry(
                this,
                index,
                position,
                page.stamps[at],
                false,
                Objects.requireNonNull(page.messages[at]),
                Objects.requireNonNull(page.envelopes[at]),
                page.annotationsOf(at));
        page.lengths[at] = lastLength;
    }

    @Override
    public void close() {
        closed = true;
        ready = false;
        takeCommitted();
        contents.close();
        parts.closed().accept(this);
    }

    /** May be opened once more. */
    synchronized void closedToOpenAgain() {
        owner = null;
        listener = null;
        closed = false;
        openBefore = true;
        durableWhenSynced = parts.durability() == Durability.DISK;
        indexBefore = index;
    }
}
