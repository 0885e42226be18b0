package org.entrepot.core.session;

import java.util.ArrayDeque;

/**
 * A limit on the unsettled deliveries of several consumers together. Owned by the session's loop.
 *
 * <p>A place is free, lent to a queue for one consumer, or taken by a delivery; queues give places back when nothing is
 * ready for them or the delivery is settled. Places go round among the consumers that want some, so that one long queue
 * does not keep them from the others.
 */
final class SharedWindow {
    /**
     * The places of a window that had a limit and has none: consumers go on sharing it, so that what is taken is known when
     * there is a limit again.
     */
    private static final int NO_LIMIT = 1 << 30;

    private final ArrayDeque<Borrower> wanting = new ArrayDeque<>(0);
    private int size;
    private int free;

    /** Whom places are lent to. */
    interface Borrower {

        /** How many it could use, as it was told last. */
        int wanted();

        void wanted(int messages);

        void lend(int places);
    }

    /** Whether consumers share it: from the first limit on. */
    boolean isShared() {
        return size > 0;
    }

    /** Changes the limit; 0 for none. More may be taken than there are places, until they are given back. */
    void resize(int limit) {
        int newSize = limit == 0 && isShared() ? NO_LIMIT : limit;
        free += newSize - size;
        size = newSize;
        lend();
    }

    /** A consumer could be given so many messages. */
    void wants(Borrower consumer, int messages) {
        consumer.wanted(messages);
        if (!wanting.contains(consumer)) {
            wanting.add(consumer);
        }
        lend();
    }

    /** Places are free again; a negative number takes places for what is held already. */
    void unused(int places) {
        if (isShared()) {
            free += places;
            lend();
        }
    }

    void remove(Borrower consumer) {
        wanting.remove(consumer);
    }

    private void lend() {
        while (free > 0 && !wanting.isEmpty()) {
            int share = Math.max(1, free / wanting.size());
            Borrower consumer = wanting.remove();
            int places = Math.min(share, consumer.wanted());
            free -= places;
            consumer.lend(places);
        }
    }
}
