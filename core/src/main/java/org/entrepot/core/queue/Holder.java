package org.entrepot.core.queue;

import org.jspecify.annotations.Nullable;

/**
 * Who holds deliveries of one queue: a session, through one of its consumers or by pulling. Part of a queue's state. It
 * outlives its consumer for as long as the session has deliveries to settle.
 */
public final class Holder {
    private final Object session;
    private final @Nullable QueueConsumer consumer;
    private int unsettled;

    Holder(Object session, @Nullable QueueConsumer consumer) {
        this.session = session;
        this.consumer = consumer;
    }

    /** Whose deliveries these are; compared by identity. */
    Object session() {
        return session;
    }

    @Nullable QueueConsumer consumer() {
        return consumer;
    }

    int unsettled() {
        return unsettled;
    }

    void took() {
        unsettled++;
    }

    void gaveBack() {
        unsettled--;
        assert unsettled >= 0;
    }
}
