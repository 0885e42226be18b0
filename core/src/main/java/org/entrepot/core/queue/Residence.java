package org.entrepot.core.queue;

import org.entrepot.spi.storage.Log;

/**
 * Which of a queue's entries are out of memory, as far as the queue itself has sent them there. Owned by the queue's home
 * loop.
 *
 * <p>What goes first is what consumers hold, for it will probably never be read again, and then what stands furthest from
 * the head. A log keeps what it cannot load again, which is the youngest; so nothing is taken to be out of memory before
 * the queue has asked twice.
 */
final class Residence {
    private final Log log;
    /** Ready entries of positions {@code [from, to)} are out of memory; there are none where both are the same. */
    private long from;

    private long to;
    /** The tail when the queue asked last. */
    private long tailBefore;

    Residence(Log log) {
        this.log = log;
    }

    /** Everything up to a position was loaded for consumers. */
    void loaded(long upTo) {
        from = Math.min(to, Math.max(from, upTo + 1));
    }

    /** Lets about so many bytes out of memory, but not the first so many that consumers get. */
    void unload(QueueState state, long bytes, long bytesKept) {
        long before = log.residentBytes();
        long wanted = before - bytes;
        long head = state.first();
        unloadHeld(state, Math.min(head, state.tail()));
        if (head == ReadySet.NONE || log.residentBytes() <= wanted) {
            return;
        }
        long average = Math.max(1, state.readyBytes() / state.ready());
        long kept = head + bytesKept / average + 1;
        long step = (log.residentBytes() - wanted) / average + 1;
        unloadTail(kept, state.tail(), step);
        // Which of those before are in memory the log knows: larger and larger steps find them.
        for (; from > kept && log.residentBytes() > wanted; step *= 2) {
            long lower = Math.max(kept, from - step);
            log.unload(lower, from - 1);
            from = lower;
        }
        if (log.residentBytes() > wanted + bytes / 2) {
            // What is in memory is where it was taken not to be: from the beginning, the next time.
            from = 0;
            to = 0;
        }
    }

    private void unloadHeld(QueueState state, long head) {
        long held = state.leases().next(0);
        if (held < head) {
            log.unload(held, head - 1);
        }
    }

    private void unloadTail(long kept, long tail, long entries) {
        if (from == to) {
            from = Math.max(kept, tail - entries);
            to = from;
        }
        long start = Math.max(kept, to);
        if (start < tail) {
            log.unload(start, tail - 1);
            to = Math.max(to, Math.min(tail, tailBefore));
            from = Math.min(from, to);
        }
        tailBefore = tail;
    }
}
