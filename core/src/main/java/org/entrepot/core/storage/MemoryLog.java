package org.entrepot.core.storage;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.entrepot.spi.storage.LogListener;
import org.entrepot.spi.storage.LogReplay;
import org.entrepot.spi.storage.LogTransaction;
import org.jspecify.annotations.Nullable;

/**
 * A log on the heap: entries by position. Everything is resident, everything is at once as durable as it will be, and facts
 * are of no use. Owned by the executor it was opened with.
 *
 * <p>Pages of entries in a ring of chapters of pages. One old entry that stays costs a reference for each 4,096 positions
 * above it, not more.
 */
final class MemoryLog implements Log {
    private static final int PAGE_BITS = 6;
    private static final int PAGE_ENTRIES = 1 << PAGE_BITS;
    private static final int CHAPTER_BITS = 6;
    private static final int CHAPTER_PAGES = 1 << CHAPTER_BITS;
    private static final int CHAPTERS_FIRST = 2;

    /** Entries in columns. Most have no annotations, so that column is made when one does. */
    private static final class Page {
        final @Nullable Message[] messages = new Message[PAGE_ENTRIES];
        final @Nullable Envelope[] envelopes = new Envelope[PAGE_ENTRIES];
        final long[] stamps = new long[PAGE_ENTRIES];

        @Nullable Annotations @Nullable [] annotations;

        int live;
    }

    private static final class Chapter {
        final @Nullable Page[] pages = new Page[CHAPTER_PAGES];
        int live;
    }

    /** Chapter n is at n modulo the length, for {@code low <= n < high}; everything else is null. */
    private @Nullable Chapter[] chapters = new Chapter[CHAPTERS_FIRST];

    private long low;
    private long high;
    private @Nullable Page sparePage;
    private @Nullable Chapter spareChapter;
    /** The page that was looked into last; the next look is probably into it as well. */
    private @Nullable Page lastPage;

    private long lastNumber = -1;
    /** The page that was appended to last. */
    private @Nullable Page tailPage;

    private long tailNumber;
    private final LogListener listener;
    private final Executor owner;
    private boolean closed;
    private long index;
    private long residentBytes;

    MemoryLog(LogListener listener, Executor owner) {
        this.listener = listener;
        this.owner = owner;
    }

    @Override
    public void replay(LogReplay replay) {
        replay.ended(0);
    }

    @Override
    public void checkpoint(ByteBuf state) {}

    @Override
    public long append(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean durable) {
        put(position, stamp, message, envelope, annotations);
        return ++index;
    }

    @SuppressWarnings("ReferenceEquality") // nearly all annotations are this one object
    private void put(long position, long stamp, Message message, Envelope envelope, Annotations annotations) {
        Page page = pageFor(position);
        int slot = slot(position);
        page.messages[slot] = message;
        page.envelopes[slot] = envelope;
        page.stamps[slot] = stamp;
        if (annotations != Annotations.NONE) {
            if (page.annotations == null) {
                page.annotations = new Annotations[PAGE_ENTRIES];
            }
            page.annotations[slot] = annotations;
        }
        page.live++;
        residentBytes += message.size();
    }

    @Override
    public long append(ByteBuf fact, boolean awaited) {
        return ++index;
    }

    @Override
    public void append(
            LogTransaction in,
            long position,
            long stamp,
            Message message,
            Envelope envelope,
            Annotations annotations,
            boolean durable) {
        put(position, stamp, message, envelope, annotations);
        ((MemoryTransaction) in).takesPart(this);
    }

    @Override
    public void append(LogTransaction in, ByteBuf fact) {
        ((MemoryTransaction) in).takesPart(this);
    }

    @Override
    public void release(LogTransaction in, long from, long to) {
        ((MemoryTransaction) in).release(this, from, to);
    }

    Executor owner() {
        return owner;
    }

    /** A transaction was committed. */
    void committed(LogTransaction transaction) {
        if (!closed) {
            listener.committed(transaction);
        }
    }

    @Override
    public boolean keepsFacts() {
        return false;
    }

    @Override
    public long durableIndex() {
        return index;
    }

    @Override
    public void release(long from, long to) {
        for (long position = from; position <= to; position = (position | (PAGE_ENTRIES - 1)) + 1) {
            Page page = page(position);
            if (page != null) {
                release(page, position, Math.min(to, position | (PAGE_ENTRIES - 1)));
            }
        }
    }

    /** Releases positions of one page. */
    private void release(Page page, long from, long to) {
        int last = slot(to);
        for (int slot = slot(from); slot <= last; slot++) {
            Message message = page.messages[slot];
            if (message != null) {
                residentBytes -= message.size();
                page.messages[slot] = null;
                page.envelopes[slot] = null;
                if (page.annotations != null) {
                    page.annotations[slot] = null;
                }
                page.live--;
            }
        }
        if (page.live == 0) {
            drop(from, page);
        }
    }

    @Override
    public @Nullable Message message(long position) {
        Page page = page(position);
        return page == null ? null : page.messages[slot(position)];
    }

    @Override
    public Envelope envelope(long position) {
        return Objects.requireNonNull(there(position).envelopes[slot(position)]);
    }

    @Override
    public Annotations annotations(long position) {
        Page page = there(position);
        Annotations annotations = page.annotations == null ? null : page.annotations[slot(position)];
        return annotations == null ? Annotations.NONE : annotations;
    }

    @Override
    public long stamp(long position) {
        return there(position).stamps[slot(position)];
    }

    @Override
    public void load(long from, int bytes) {
        throw new IllegalStateException("entry " + from + " is not there: everything that is, is in memory");
    }

    @Override
    public void unload(long from, long to) {}

    @Override
    public long residentBytes() {
        return residentBytes;
    }

    @Override
    public void close() {
        closed = true;
        chapters = new Chapter[CHAPTERS_FIRST];
        low = 0;
        high = 0;
        lastNumber = -1;
        lastPage = null;
        tailPage = null;
        residentBytes = 0;
    }

    /** Chapters that there is room for. */
    int span() {
        return chapters.length;
    }

    private Page there(long position) {
        return Objects.requireNonNull(page(position), "no entry there");
    }

    private @Nullable Page page(long position) {
        long pageNumber = position >>> PAGE_BITS;
        if (pageNumber == lastNumber) {
            return lastPage;
        }
        long number = pageNumber >>> CHAPTER_BITS;
        Chapter chapter = number < low || number >= high ? null : chapters[at(number)];
        Page page = chapter == null ? null : chapter.pages[pageIndex(position)];
        if (page != null) {
            lastNumber = pageNumber;
            lastPage = page;
        }
        return page;
    }

    private Page pageFor(long position) {
        if (tailPage != null && position >>> PAGE_BITS == tailNumber) {
            return tailPage;
        }
        Chapter chapter = chapterFor(position >>> PAGE_BITS >>> CHAPTER_BITS);
        int at = pageIndex(position);
        Page page = chapter.pages[at];
        if (page == null) {
            page = sparePage == null ? new Page() : sparePage;
            sparePage = null;
            chapter.pages[at] = page;
            chapter.live++;
        }
        tailNumber = position >>> PAGE_BITS;
        tailPage = page;
        return page;
    }

    private Chapter chapterFor(long number) {
        if (low == high) {
            low = number;
            high = number;
        }
        if (number >= high) {
            if (number + 1 - low > chapters.length) {
                grow(number + 1 - low);
            }
            high = number + 1;
        }
        Chapter chapter = chapters[at(number)];
        if (chapter == null) {
            chapter = spareChapter == null ? new Chapter() : spareChapter;
            spareChapter = null;
            chapters[at(number)] = chapter;
        }
        return chapter;
    }

    private void drop(long position, Page page) {
        long number = position >>> PAGE_BITS >>> CHAPTER_BITS;
        Chapter chapter = Objects.requireNonNull(chapters[at(number)]);
        chapter.pages[pageIndex(position)] = null;
        page.annotations = null;
        sparePage = page;
        if (page == lastPage) {
            lastNumber = -1;
            lastPage = null;
        }
        if (page == tailPage) {
            tailPage = null;
        }
        if (--chapter.live > 0) {
            return;
        }
        chapters[at(number)] = null;
        spareChapter = chapter;
        while (low < high && chapters[at(low)] == null) {
            low++;
        }
        if (low == high && chapters.length > CHAPTERS_FIRST) {
            chapters = new Chapter[CHAPTERS_FIRST];
        }
    }

    private void grow(long span) {
        int length = chapters.length;
        while (span > length) {
            length = Math.multiplyExact(length, 2);
        }
        @Nullable Chapter[] grown = new Chapter[length];
        for (long number = low; number < high; number++) {
            grown[(int) (number & (length - 1))] = chapters[at(number)];
        }
        chapters = grown;
    }

    private int at(long number) {
        return (int) (number & (chapters.length - 1));
    }

    private static int pageIndex(long position) {
        return (int) (position >>> PAGE_BITS) & (CHAPTER_PAGES - 1);
    }

    private static int slot(long position) {
        return (int) position & (PAGE_ENTRIES - 1);
    }
}
