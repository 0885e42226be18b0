package org.entrepot.amqp.v091;

import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.jspecify.annotations.Nullable;

/**
 * Gathers deliveries that end alike into ranges of neighbouring positions and settles each range with one call. Owned by
 * its channel's loop, and used again and again.
 *
 * <p>A range must not span a position that was not gathered: the session may hold that one too.
 */
final class Settlement implements DeliveryTags.Taker {
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

    /** Begins: what is taken until {@link #end} ends with this outcome. */
    Settlement begin(Outcome outcome) {
        assert queue == null;
        this.outcome = outcome;
        return this;
    }

    /** Goes on with another outcome, which ends the present range. */
    Settlement with(Outcome outcome) {
        if (outcome != this.outcome) {
            end();
            this.outcome = outcome;
        }
        return this;
    }

    @Override
    public void take(long tag, QueueHandle queue, long position) {
        if (queue == this.queue) {
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
        this.queue = queue;
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
