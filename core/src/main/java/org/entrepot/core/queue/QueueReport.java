package org.entrepot.core.queue;

import org.entrepot.spi.topology.QueueSpec;

/** How a queue is at one moment, and what has happened in it since it was opened. Immutable. */
public record QueueReport(
        long id,
        String virtualHost,
        QueueSpec spec,
        long ready,
        long readyBytes,
        long unsettled,
        int consumers,
        long published,
        long delivered,
        long acknowledged,
        long redelivered,
        long expired,
        long overflowed,
        long deadLettered) {

    /** The report of a queue that nobody has used since the start, or whose log is being read. */
    public static QueueReport unused(LocalQueue queue) {
        return new QueueReport(
                queue.id(), queue.virtualHost(), queue.effective(), queue.stored(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
