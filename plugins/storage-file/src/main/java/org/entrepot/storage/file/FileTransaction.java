package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.LogTransaction;
import org.jspecify.annotations.Nullable;

/**
 * A transaction over logs of the file engine. Each log's share is filled by its owner; a commit has the journal write all
 * shares into one batch, which a start finds as a whole or not at all.
 */
final class FileTransaction implements LogTransaction {
    /** So much fits into a batch, whatever else there is. */
    private static final int BYTES_MAX = 1 << 30;

    private final Journal journal;
    private final Map<FileLog, Share> shares = new LinkedHashMap<>();
    private @Nullable Executor owner;
    private @Nullable Consumer<Boolean> answer;

    FileTransaction(Journal journal) {
        this.journal = journal;
    }

    /** An entry that lasts. */
    record Entry(long position, long stamp, Message message, Envelope envelope, Annotations annotations) {}

    /** What one log takes. Its owner's, but for the journal's during the commit. */
    static final class Share {
        private final FileTransaction transaction;
        private final FileLog log;
        private final List<Entry> entries = new ArrayList<>(1);
        private final List<byte[]> facts = new ArrayList<>(0);
        private final Ranges releases = new Ranges();
        /** Whether something that lasts is released. */
        private boolean releasesLast;

        private final LongList entryPlaces = new LongList();
        private final LongList entryLengths = new LongList();
        private final LongList factPlaces = new LongList();
        private final LongList factLengths = new LongList();
        /** Where it was written, and is held until its log knows. */
        private @Nullable Segment segment;

        Share(FileTransaction transaction, FileLog log) {
            this.transaction = transaction;
            this.log = log;
        }

        FileTransaction transaction() {
            return transaction;
        }

        FileLog log() {
            return log;
        }

        void add(Entry entry) {
            entries.add(entry);
        }

        void add(ByteBuf fact) {
            facts.add(ByteBufUtil.getBytes(fact));
        }

        /** Releases positions, of which some last or none. */
        void release(long from, long to, boolean lasting) {
            releases.add(from, to);
            releasesLast |= lasting;
        }

        List<Entry> entries() {
            return entries;
        }

        List<byte[]> facts() {
            return facts;
        }

        Ranges releases() {
            return releases;
        }

        /** Whether there is anything to be written of it. */
        boolean lasts() {
            return !entries.isEmpty() || !facts.isEmpty() || releasesLast;
        }

        boolean releasesLast() {
            return releasesLast;
        }

        void entryIsAt(long place, int length) {
            entryPlaces.add(place);
            entryLengths.add(length);
        }

        void factIsAt(long place, int length) {
            factPlaces.add(place);
            factLengths.add(length);
        }

        void writtenTo(Segment in) {
            segment = in;
        }

        /** Where it was written; null where it was not. */
        @Nullable Segment segment() {
            return segment;
        }

        LongList entryPlaces() {
            return entryPlaces;
        }

        LongList entryLengths() {
            return entryLengths;
        }

        LongList factPlaces() {
            return factPlaces;
        }

        LongList factLengths() {
            return factLengths;
        }

        private long bound(Set<Message> counted) {
            long bytes = 0;
            for (Entry entry : entries) {
                bytes += Records.HEAD
                        + EntryCodec.bound(entry.envelope(), entry.annotations())
                        + (counted.add(entry.message()) ? EntryCodec.bound(entry.message()) : 2 * Varints.BYTES_MAX);
            }
            for (byte[] fact : facts) {
                bytes += Records.HEAD + Varints.BYTES_MAX + fact.length;
            }
            return bytes + (releasesLast ? (long) releases.size() * (Records.HEAD + 3 * Varints.BYTES_MAX) : 0);
        }
    }

    /** What a log takes; any thread may ask. */
    synchronized Share share(FileLog log) {
        return shares.computeIfAbsent(log, none -> new Share(this, log));
    }

    synchronized List<Share> shares() {
        return new ArrayList<>(shares.values());
    }

    /** More than what is written takes. */
    int bound() {
        Set<Message> counted = new HashSet<>();
        long bytes = 0;
        for (Share share : shares()) {
            bytes += share.bound(counted);
        }
        if (bytes > BYTES_MAX) {
            throw new IllegalArgumentException("a transaction of " + bytes + " bytes, of which " + BYTES_MAX + " fit");
        }
        return (int) bytes;
    }

    @Override
    public void commit(Executor by, Consumer<Boolean> hearing) {
        owner = by;
        answer = hearing;
        List<Share> all = shares();
        boolean waits = journal.commit(this, all, bound());
        tellLogs(all);
        if (!waits) {
            answer(!journal.isFailed());
        }
    }

    /** Who has committed it. */
    Executor owner() {
        return Objects.requireNonNull(owner, "it was not committed");
    }

    /** One task for each owner. */
    private static void tellLogs(List<Share> shares) {
        Map<Executor, List<FileLog>> logs = new HashMap<>();
        for (Share share : shares) {
            share.log().committed(share);
            logs.computeIfAbsent(share.log().executor(), none -> new ArrayList<>(1))
                    .add(share.log());
        }
        logs.forEach((owner, its) -> {
            try {
                owner.execute(() -> its.forEach(FileLog::takeCommitted));
            } catch (RejectedExecutionException stopped) {
                // Whoever opens these logs next takes it.
            }
        });
    }

    /** Says what became of it. */
    void answer(boolean lasts) {
        Consumer<Boolean> hears = Objects.requireNonNull(answer, "it was not committed");
        try {
            owner().execute(() -> hears.accept(lasts));
        } catch (RejectedExecutionException stopped) {
            // Nobody is left to hear it.
        }
    }
}
