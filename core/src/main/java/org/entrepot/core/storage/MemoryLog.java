package org.entrepot.core.storage;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.Log;
import org.jspecify.annotations.Nullable;

/**
 * A log on the heap: a ring of pages of entries by position. Everything is resident, everything is at once as durable as it
 * will be, and facts are of no use. Owned by the executor it was opened with.
 */
final class MemoryLog implements Log {
    private static final int PAGE_BITS = 6;
    private static final int PAGE_ENTRIES = 1 << PAGE_BITS;

    /** Entries in columns. Most have no annotations, so that column is made when one does. */
    private static final class Page {
        final @Nullable Message[] messages = new Message[PAGE_ENTRIES];
        final @Nullable Envelope[] envelopes = new Envelope[PAGE_ENTRIES];
        final long[] stamps = new long[PAGE_ENTRIES];

        @Nullable Annotations @Nullable [] annotations;

        int live;
    }

    private @Nullable Page[] pages = new Page[2];
    private @Nullable Page spare;
    /** Page numbers in use: {@code [low, high)}. */
    private long low;

    private long high;
    private long index;
    private long residentBytes;

    @Override
    @SuppressWarnings("ReferenceEquality") // nearly all annotations are this one object
    public long append(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean durable) {
        Page page = pageFor(position >>> PAGE_BITS);
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
        return ++index;
    }

    @Override
    public long append(ByteBuf fact) {
        return ++index;
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
        for (long position = from; position <= to; position++) {
            Page page = page(position);
            if (page == null) {
                position |= PAGE_ENTRIES - 1;
                continue;
            }
            int slot = slot(position);
            Message message = page.messages[slot];
            if (message == null) {
                continue;
            }
            residentBytes -= message.size();
            page.messages[slot] = null;
            page.envelopes[slot] = null;
            if (page.annotations != null) {
                page.annotations[slot] = null;
            }
            if (--page.live == 0) {
                drop(position >>> PAGE_BITS, page);
            }
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
    public long residentBytes() {
        return residentBytes;
    }

    @Override
    public void close() {
        pages = new Page[2];
        low = 0;
        high = 0;
        residentBytes = 0;
    }

    private Page there(long position) {
        return Objects.requireNonNull(page(position), "no entry there");
    }

    private @Nullable Page page(long position) {
        long number = position >>> PAGE_BITS;
        return number < low || number >= high ? null : pages[(int) (number & (pages.length - 1))];
    }

    private Page pageFor(long number) {
        if (low == high) {
            low = number;
            high = number;
        }
        if (number >= high) {
            if (number + 1 - low > pages.length) {
                grow(number + 1 - low);
            }
            high = number + 1;
        }
        int at = (int) (number & (pages.length - 1));
        Page page = pages[at];
        if (page == null) {
            page = spare == null ? new Page() : spare;
            spare = null;
            pages[at] = page;
        }
        return page;
    }

    private void drop(long number, Page page) {
        pages[(int) (number & (pages.length - 1))] = null;
        page.annotations = null;
        spare = page;
        while (low < high && pages[(int) (low & (pages.length - 1))] == null) {
            low++;
        }
    }

    private void grow(long span) {
        int length = pages.length;
        while (span > length) {
            length = Math.multiplyExact(length, 2);
        }
        @Nullable Page[] grown = new Page[length];
        for (long number = low; number < high; number++) {
            grown[(int) (number & (length - 1))] = pages[(int) (number & (pages.length - 1))];
        }
        pages = grown;
    }

    private static int slot(long position) {
        return (int) position & (PAGE_ENTRIES - 1);
    }
}
