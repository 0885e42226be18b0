package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/** Which consumers have held something for too long. Part of a queue's state. */
final class LeaseWatch {
    static final long NEVER = LeaseDeadlines.NONE;

    private final Leases leases;
    /** Consumers that hold something with a deadline, or did when last looked at; ended ones as well. */
    private final List<QueueConsumer> watched = new ArrayList<>();

    private long nextInstant = NEVER;

    LeaseWatch(Leases leases) {
        this.leases = leases;
    }

    /** A consumer got an entry that it must settle in time. */
    void got(QueueConsumer consumer, long position, long deadline) {
        LeaseDeadlines deadlines = consumer.leaseDeadlines();
        if (deadlines == null) {
            deadlines = new LeaseDeadlines(leases, consumer.holder());
            consumer.leaseDeadlines(deadlines);
            watched.add(consumer);
        }
        deadlines.add(position, deadline);
        nextInstant = Math.min(nextInstant, deadline);
    }

    /** Before this instant {@link #check} has nothing to tell. */
    long nextInstant() {
        return nextInstant;
    }

    /** Tells of each consumer that is late, once: what it holds after that is no longer watched. */
    void check(long now, QueueEffects effects) {
        if (now < nextInstant) {
            return;
        }
        nextInstant = NEVER;
        for (Iterator<QueueConsumer> each = watched.iterator(); each.hasNext(); ) {
            QueueConsumer consumer = each.next();
            LeaseDeadlines deadlines = Objects.requireNonNull(consumer.leaseDeadlines());
            long first = deadlines.firstInstant();
            if (first <= now) {
                effects.leaseExpired(consumer, consumer.leaseMillis().orElseThrow());
            }
            if (first <= now || first == LeaseDeadlines.NONE) {
                consumer.leaseDeadlines(null);
                each.remove();
            } else {
                nextInstant = Math.min(nextInstant, first);
            }
        }
    }
}
