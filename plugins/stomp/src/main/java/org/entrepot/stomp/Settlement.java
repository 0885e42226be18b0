package org.entrepot.stomp;

import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.jspecify.annotations.Nullable;

/**
 * Gathers deliveries that end alike into ranges of neighbouring positions and settles each range with one call. Owned by
 * its session's loop, and used again and again.
 *
 * <p>A range must not span a position that was not gathered: the session may hold that one too.
 */
final class Settlement implements UnsettledDeliveries.Taker {
    private final Settling settling;
    private Outcome outcome = Outcome.ACCEPTED;
    private @Nullable QueueHandle queue;
    private long from;
    private long to;

    /** Settles deliveries of neighbouring positions, both included. */
    @FunctionalInterface
    interface Settling {
        void settle(QueueHandle queue, long from, long to, Outcome outcome);
    }

    Settlement(Settling settling) {
        this.settling = settling;
    }

    /** Goes on with this outcome for what is taken next, which ends the present range where it has another. */
    Settlement with(Outcome outcome) {
        if (outcome != this.outcome) {
            end();
            this.outcome = outcome;
        }
        return this;
    }

    @Override
    public void take(Subscription subscription, long position) {
        QueueHandle of = subscription.queue();
        if (of == queue) {
            if (position == to + 1) {
                to = position;
                return;
            }
            if (position == from - 1) {
                from = position;
                return;
            }
        }
        end();
        queue = of;
        from = position;
        to = position;
    }

    void end() {
        QueueHandle gathered = queue;
        if (gathered != null) {
            queue = null;
            settling.settle(gathered, from, to, outcome);
        }
    }
}
