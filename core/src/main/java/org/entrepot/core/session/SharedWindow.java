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
    private final ArrayDeque<SessionConsumer> wanting = new ArrayDeque<>();
    private int size;
    private int free;

    /** Whether there is a limit. */
    boolean limited() {
        return size > 0;
    }

    /** Changes the limit; 0 for none. More may be taken than there are places, until they are given back. */
    void resize(int newSize) {
        free += newSize - size;
        size = newSize;
        if (newSize == 0) {
            free = 0;
            wanting.clear();
        }
        lend();
    }

    /** A consumer could be given so many messages. */
    void wants(SessionConsumer consumer, int messages) {
        consumer.wanted(messages);
        if (!wanting.contains(consumer)) {
            wanting.add(consumer);
        }
        lend();
    }

    /** Places are free again; a negative number takes places for what is held already. */
    void unused(int places) {
        if (limited()) {
            free += places;
            lend();
        }
    }

    void remove(SessionConsumer consumer) {
        wanting.remove(consumer);
    }

    private void lend() {
        while (free > 0 && !wanting.isEmpty()) {
            int share = Math.max(1, free / wanting.size());
            SessionConsumer consumer = wanting.poll();
            int places = Math.min(share, consumer.wanted());
            free -= places;
            consumer.lend(places);
        }
    }
}
