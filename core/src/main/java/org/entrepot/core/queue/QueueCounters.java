package org.entrepot.core.queue;

import org.entrepot.spi.message.DeathReason;

/** What has happened in a queue since it was opened. Owned by the queue's home loop. */
final class QueueCounters {
    long published;
    long delivered;
    long redelivered;
    long acknowledged;
    long returned;
    long refused;
    long purged;
    long rejected;
    long expired;
    long overflowed;
    long deliveryLimited;
    long deadLettered;
    long lost;
    /** Entries of a table that a newer one of their key has replaced, or that were erased. */
    long replaced;

    void count(DeathReason reason) {
        switch (reason) {
            case REJECTED -> rejected++;
            case EXPIRED -> expired++;
            case MAXLEN -> overflowed++;
            case DELIVERY_LIMIT -> deliveryLimited++;
        }
    }
}
