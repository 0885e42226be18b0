package org.entrepot.storage.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * What is live in a log, where it is, and what of it is in memory. Owned as its {@link FileLog}.
 *
 * <p>Of entries in the journal it keeps the place of each, of entries in tables only {@link Run}s: the journal is short, what
 * lies in tables may be anything.
 */
final class LogContents {
    private final long id;
    private final Journal journal;
    private final EntryPages pages = new EntryPages();
    /** Entries in tables that last through a restart, and those that do not. */
    private final Runs lastingRuns = new Runs();

    private final Runs passingRuns = new Runs();
    private final SinceCheckpoint since = new SinceCheckpoint();
    private final Freed freed = new Freed();
    private long tail;
    private long residentBytes;
    private boolean kept;
    /** The segment of the newest checkpoint, or of the first record where there is none; 0 before. */
    private volatile long anchor;

    LogContents(long id, Journal journal) {
        this.id = id;
        this.journal = journal;
    }

    // In memory.

    /** An entry has come. */
    EntryPage added(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean lasting) {
        assert position >= tail : position + " after " + tail;
        EntryPage page = pages.findOrMake(position);
        int at = EntryPage.slot(position);
        page.put(at, stamp, message, envelope, annotations);
        page.know(at, lasting);
        residentBytes += message.size();
        tail = position + 1;
        return page;
    }

    /** Whether a message is in memory: {@link #there} has it then. */
    boolean isInMemory(long position) {
        EntryPage page = pages.find(position);
        return page != null && page.messages[EntryPage.slot(position)] != null;
    }

    @Nullable Message message(long position) {
        EntryPage page = pages.find(position);
        return page == null ? null : page.messages[EntryPage.slot(position)];
    }

    /** The page of an entry that is in memory. */
    EntryPage there(long position) {
        return pages.get(position);
    }

    long residentBytes() {
        return residentBytes;
    }

    /** An entry was read back. */
    void put(long position, Reading.Entry entry) {
        Message message = Objects.requireNonNull(entry.message());
        if (!isLive(position)) {
            return;
        }
        EntryPage page = pages.findOrMake(position);
        int at = EntryPage.slot(position);
        if (page.knows(at) && page.messages[at] != null) {
            return;
        }
        if (!page.knows(at)) {
            page.know(at, entry.head().lasting());
        }
        page.put(
                at,
                entry.head().stamp(),
                message,
                entry.head().envelope(),
                entry.head().annotations());
        residentBytes += message.size();
    }

    /** Writes an entry that is nowhere else to the journal, to be forgotten by a restart. */
    @FunctionalInterface
    interface Spilling {
        void spill(EntryPage page, int at, long position);
    }

    /**
     * Takes entries out of memory.
     *
     * @param written records at lesser places can be read
     */
    void unload(long from, long to, long written, Spilling spilling) {
        pages.each(from, to, (page, first, start, last) -> {
            for (int at = start; at <= last; at++) {
                unload(page, at, first + at, written, spilling);
            }
        });
    }

    private void unload(EntryPage page, int at, long position, long written, Spilling spilling) {
        Message message = page.messages[at];
        if (message == null) {
            return;
        }
        if (page.places[at] == Place.NOWHERE) {
            if (isInTable(position)) {
                residentBytes -= message.size();
                page.forget(at);
                return;
            }
            spilling.spill(page, at, position);
        }
        if (page.places[at] != Place.NOWHERE && page.places[at] < written) {
            residentBytes -= message.size();
            page.unload(at);
        }
    }

    // What is live.

    /** These positions, both included, are gone; whether one of them was to last. */
    boolean release(long from, long to) {
        boolean lasted = releasePages(from, to);
        if (!lastingRuns.isEmpty()) {
            lasted |= lastingRuns.remove(from, to, freed) > 0;
        }
        if (!passingRuns.isEmpty()) {
            passingRuns.remove(from, to, freed);
        }
        return lasted;
    }

    /** What {@link #release} took from segments and tables, to be told to the journal. */
    Freed freed() {
        return freed;
    }

    private boolean releasePages(long from, long to) {
        if (EntryPage.number(from) == EntryPage.number(to)) {
            EntryPage page = pages.find(from);
            if (page == null) {
                return false;
            }
            boolean lasted = release(page, EntryPage.slot(from), EntryPage.slot(to));
            pages.dropIfEmpty(page, from);
            return lasted;
        }
        boolean[] lasted = {false};
        pages.each(from, to, (page, first, start, last) -> lasted[0] |= release(page, start, last));
        return lasted[0];
    }

    /** Releases slots of one page, both included; whether one of them lasted. */
    private boolean release(EntryPage page, int from, int to) {
        boolean lasted = false;
        for (int at = from; at <= to; at++) {
            if (page.knows(at)) {
                Message message = page.messages[at];
                residentBytes -= message == null ? 0 : message.size();
                if (page.places[at] != Place.NOWHERE) {
                    freed.add(page.places[at], page.lengths[at]);
                    lasted |= page.lasts(at);
                }
                page.forget(at);
            }
        }
        return lasted;
    }

    boolean isLive(long position) {
        EntryPage page = pages.find(position);
        if (page != null && page.knows(EntryPage.slot(position))) {
            return true;
        }
        return isInTable(position);
    }

    /** The least live position that is at least this one, or the position after the last. */
    long nextLive(long from) {
        long inPages = pages.next(from);
        long next = inPages < 0 ? tail : inPages;
        Run run = runFrom(from);
        return run == null ? next : Math.min(next, run.next(from));
    }

    private boolean isInTable(long position) {
        return lastingRuns.isLive(position) || passingRuns.isLive(position);
    }

    /** Live positions that last, in ranges. Takes its time by ranges and pages, not by entries. */
    Ranges live() {
        Ranges live = new Ranges();
        LastingStretches inPages = new LastingStretches(pages.from(0));
        boolean hasPages = inPages.next();
        long next = 0;
        Run run = lastingRuns.from(next);
        while (hasPages || run != null) {
            long from;
            long to;
            if (run == null || (hasPages && inPages.from() <= run.next(next))) {
                from = Math.max(next, inPages.from());
                to = inPages.to();
                hasPages = inPages.next();
            } else {
                from = run.next(next);
                to = run.stretch(from);
            }
            if (from <= to) {
                live.add(from, to);
                next = to + 1;
                run = lastingRuns.from(next);
            }
        }
        return live;
    }

    /** The log is closed: what is only in memory is gone. */
    void close() {
        residentBytes = 0;
        for (EntryPage page : pages.all()) {
            for (int at = 0; at < EntryPage.ENTRIES; at++) {
                if (page.knows(at)) {
                    close(page, at);
                }
            }
        }
        pages.dropEmpty();
        journal.freed(freed);
    }

    private void close(EntryPage page, int at) {
        if (page.lasts(at) && page.places[at] != Place.NOWHERE) {
            page.unload(at);
        } else {
            if (page.places[at] != Place.NOWHERE) {
                freed.add(page.places[at], page.lengths[at]);
            }
            page.forget(at);
        }
    }

    /** The log is deleted: nothing of it is live. */
    void forgetAll() {
        for (EntryPage page : pages.all()) {
            for (int at = 0; at < EntryPage.ENTRIES; at++) {
                if (page.knows(at) && page.places[at] != Place.NOWHERE) {
                    freed.add(page.places[at], page.lengths[at]);
                }
            }
        }
        lastingRuns.removeIf(run -> true);
        passingRuns.removeIf(run -> true);
        pages.clear();
        journal.freed(freed);
    }

    // Transactions.

    /** Whether one of these positions, both included, lasts. */
    boolean lasts(long from, long to) {
        long next = pages.nextLasting(from);
        if (next >= 0 && next <= to) {
            return true;
        }
        Run run = lastingRuns.from(from);
        return run != null && run.next(from) <= to;
    }

    /** What a transaction has for the log was committed. */
    void committed(FileTransaction.Share share) {
        for (int i = 0; i < share.entryPlaces().size(); i++) {
            long position = share.entries().get(i).position();
            committed(position, share.entryPlaces().get(i), (int)
                    share.entryLengths().get(i));
        }
        for (int i = 0; i < share.factPlaces().size(); i++) {
            since.fact(share.factPlaces().get(i), (int) share.factLengths().get(i));
        }
        for (int i = 0; i < share.releases().size(); i++) {
            long from = share.releases().from(i);
            long to = share.releases().to(i);
            if (release(from, to)) {
                since.released(from, to);
            }
        }
    }

    /** An entry lasts from here on, and may have been spilled before. */
    private void committed(long position, long place, int length) {
        passingRuns.remove(position, position, freed);
        EntryPage page = pages.findOrMake(position);
        int at = EntryPage.slot(position);
        if (page.places[at] != Place.NOWHERE) {
            freed.add(page.places[at], page.lengths[at]);
        }
        page.know(at, true);
        page.places[at] = place;
        page.lengths[at] = length;
    }

    // Reading back.

    /** What to read next. */
    sealed interface Plan {
        Reading.Result read(Reading reading, boolean withMessages);
    }

    private record JournalPlan(LongList positions, LongList places, LongList lengths) implements Plan {
        @Override
        public Reading.Result read(Reading reading, boolean withMessages) {
            return reading.journal(positions, places, lengths, withMessages);
        }
    }

    private record RunPlan(Run run, long position, long bytes) implements Plan {
        @Override
        public Reading.Result read(Reading reading, boolean withMessages) {
            return reading.run(run, position, bytes, withMessages);
        }
    }

    /** How to read about so many bytes of live entries that are not in memory, from a position on; null for nothing. */
    @Nullable Plan plan(long from, long bytes) {
        long inPages = pages.nextUnloaded(from);
        Run run = runFrom(from);
        long inRuns = run == null ? -1 : run.next(from);
        while (run != null && isInMemory(inRuns)) {
            run = runFrom(inRuns + 1);
            inRuns = run == null ? -1 : run.next(inRuns + 1);
        }
        if (run != null && (inPages < 0 || inRuns < inPages)) {
            return new RunPlan(run, inRuns, bytes);
        }
        if (inPages < 0) {
            return null;
        }
        LongList positions = new LongList();
        LongList places = new LongList();
        LongList lengths = new LongList();
        long size = 0;
        for (long position = inPages; position >= 0 && size < bytes; position = pages.nextUnloaded(position + 1)) {
            if (inRuns >= 0 && position > inRuns) {
                break;
            }
            EntryPage page = there(position);
            int at = EntryPage.slot(position);
            positions.add(position);
            places.add(page.places[at]);
            lengths.add(page.lengths[at]);
            size += page.lengths[at];
        }
        return new JournalPlan(positions, places, lengths);
    }

    /** The run with the least live position that is at least this one, or null. */
    private @Nullable Run runFrom(long from) {
        Run lasting = lastingRuns.from(from);
        Run passing = passingRuns.from(from);
        if (lasting == null || passing == null) {
            return lasting == null ? passing : lasting;
        }
        return lasting.next(from) < passing.next(from) ? lasting : passing;
    }

    SinceCheckpoint since() {
        return since;
    }

    long tail() {
        return tail;
    }

    long liveCount() {
        long count = 0;
        for (EntryPage page : pages.all()) {
            count += Long.bitCount(page.known & page.lasting);
        }
        return count + lastingRuns.live();
    }

    /** Bytes of the records of live entries that last, as far as tables tell. */
    long liveBytes() {
        long bytes = 0;
        for (EntryPage page : pages.all()) {
            for (int at = 0; at < EntryPage.ENTRIES; at++) {
                bytes += page.knows(at) && page.lasts(at) ? page.lengths[at] : 0;
            }
        }
        for (Run run : lastingRuns.all()) {
            bytes += run.liveBytes();
        }
        return bytes;
    }

    /** The segment of the newest checkpoint, or of the first record where there is none; 0 for none. */
    long anchor() {
        return anchor;
    }

    /** A record was appended or found. */
    void anchor(long place) {
        if (anchor == 0) {
            anchor = Place.segment(place);
        }
    }

    /** A checkpoint was appended. */
    void checkpoint(long place, int length) {
        since.checkpoint(place, length, tail);
        anchor = Place.segment(place);
    }

    // What a start finds.

    /** An entry was found in the journal. */
    void found(long position, long place, int length) {
        assert !lastingRuns.isLive(position) : "log " + id + " has " + position + " in a table and at " + place;
        EntryPage page = pages.findOrMake(position);
        int at = EntryPage.slot(position);
        page.know(at, true);
        page.places[at] = place;
        page.lengths[at] = length;
        tail = Math.max(tail, position + 1);
        anchor(place);
    }

    /** A fact was found in the journal. */
    void foundFact(long place, int length) {
        since.fact(place, length);
        anchor(place);
    }

    /** A release was found in the journal. */
    void foundRelease(long from, long to) {
        since.released(from, to);
        pages.each(from, to, (page, first, start, last) -> {
            for (int at = start; at <= last; at++) {
                page.forget(at);
            }
        });
        Freed found = new Freed();
        lastingRuns.remove(from, to, found);
        found.apply(journal);
    }

    /** A checkpoint was found in the journal: only what it calls live is, of what was found before. */
    void foundCheckpoint(long place, int length, CheckpointCodec.Head head) {
        since.checkpoint(place, length, head.tail());
        anchor = Place.segment(place);
        tail = Math.max(tail, head.tail());
        for (Map.Entry<Long, EntryPage> entry : pages.from(0)) {
            EntryPage page = entry.getValue();
            for (int at = 0; at < EntryPage.ENTRIES; at++) {
                if (page.knows(at) && !head.live().contains(entry.getKey() << EntryPage.BITS | at)) {
                    page.forget(at);
                }
            }
        }
        pages.dropEmpty();
        lastingRuns.keepOnly(head.live());
    }

    /** Entries were found in a table. */
    void foundRun(Run run) {
        run.table().added(run.live());
        lastingRuns.add(run);
    }

    /** The tables' entries are of a log that is gone. */
    void forgetRuns() {
        lastingRuns.removeIf(run -> true);
    }

    boolean hasRuns() {
        return !lastingRuns.isEmpty();
    }

    /** Entries in tables count without a checkpoint; a new one is asked for before this place goes. */
    void foundKept(long place) {
        kept = true;
        anchor(place);
        for (Run run : lastingRuns.all()) {
            tail = Math.max(tail, run.last() + 1);
        }
    }

    boolean isKept() {
        return kept;
    }

    boolean hasCheckpoint() {
        return since.hasCheckpoint();
    }

    boolean hasRecords() {
        return since.hasCheckpoint() || since.factPlaces().size() > 0;
    }

    /** Counts what is live, once everything was found. */
    void countLive() {
        synchronized (journal) {
            for (EntryPage page : pages.all()) {
                for (int at = 0; at < EntryPage.ENTRIES; at++) {
                    if (page.knows(at)) {
                        Segment segment = journal.segment(Place.segment(page.places[at]));
                        Objects.requireNonNull(segment).added(page.lengths[at]);
                    }
                }
            }
        }
    }

    // Moving to tables.

    /**
     * Live entries that are to be moved, by rising positions.
     *
     * @param lengths of their records
     * @param next where to go on, or -1
     */
    record Old(LongList positions, LongList places, LongList lengths, long next) {}

    /** Live entries from a position on whose records are in segments up to this one, at most about so many. */
    Old old(long from, long segment, boolean lasting, int most) {
        LongList positions = new LongList();
        LongList places = new LongList();
        LongList lengths = new LongList();
        for (Map.Entry<Long, EntryPage> entry : pages.from(from)) {
            long first = entry.getKey() << EntryPage.BITS;
            if (positions.size() >= most) {
                return new Old(positions, places, lengths, first);
            }
            EntryPage page = entry.getValue();
            for (int at = 0; at < EntryPage.ENTRIES; at++) {
                if (page.knows(at)
                        && page.lasts(at) == lasting
                        && page.places[at] != Place.NOWHERE
                        && Place.segment(page.places[at]) <= segment) {
                    positions.add(first + at);
                    places.add(page.places[at]);
                    lengths.add(page.lengths[at]);
                }
            }
        }
        return new Old(positions, places, lengths, -1);
    }

    /** A run and what of it is live; no run where there is none. */
    record LiveRun(@Nullable Run run, Ranges live) {}

    /** The first live run, from a position on, that is in one of these tables. */
    LiveRun runIn(Set<Table> tables, boolean lasting, long from) {
        Ranges live = new Ranges();
        for (Run run : (lasting ? lastingRuns : passingRuns).all()) {
            if (run.first() >= from && tables.contains(run.table())) {
                for (long position = run.next(from); position >= 0; position = run.next(position + 1)) {
                    live.add(position, position);
                }
                return new LiveRun(run, live);
            }
        }
        return new LiveRun(null, live);
    }

    /** Entries have moved from segments up to this one, or from older tables, to runs of another table. */
    void moved(Table table, List<TableRun> to, long segment, Set<Table> replaced) {
        List<Run> added = new ArrayList<>();
        for (TableRun in : to) {
            Run run = new Run(table, in);
            for (long position = run.next(in.first()); position >= 0; position = run.next(position + 1)) {
                if (!moved(position, segment)) {
                    run.remove(position, position);
                }
            }
            table.added(run.live());
            added.add(run);
        }
        lastingRuns.removeIf(run -> replaced.contains(run.table()));
        passingRuns.removeIf(run -> replaced.contains(run.table()));
        for (Run run : added) {
            if (run.live() > 0) {
                (run.in().lasting() ? lastingRuns : passingRuns).add(run);
            }
        }
        journal.freed(freed);
    }

    /** Whether the entry is still live; if so it is in a table from here on. */
    private boolean moved(long position, long segment) {
        EntryPage page = pages.find(position);
        int at = EntryPage.slot(position);
        if (page == null || !page.knows(at)) {
            return isInTable(position);
        }
        long place = page.places[at];
        if (place != Place.NOWHERE && Place.segment(place) <= segment) {
            freed.add(place, page.lengths[at]);
            page.places[at] = Place.NOWHERE;
            if (page.messages[at] == null) {
                page.forget(at);
                pages.dropIfEmpty(page, position);
            }
        }
        return true;
    }
}
