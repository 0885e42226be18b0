package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * A queue's side of the windows that consumers of a session share. Part of a {@link QueueMachine}.
 *
 * <p>A place in such a window is lent by the session when the queue says that it {@linkplain QueueEffects#wants wants} one,
 * is taken by the delivery that uses it, and goes back to the session, as {@linkplain QueueEffects#unused unused}, when the
 * delivery is settled, or at once when the hand-out that follows has no use for it. A consumer whose deliveries are
 * settled by being delivered holds no place, but needs one to be free: RabbitMQ's channel-wide limit is like that.
 */
final class Lending {
    private final Consumers consumers;
    private final QueueEffects effects;
    /** Consumers of which places became free during the present command. */
    private final List<QueueConsumer> freed = new ArrayList<>(1);

    Lending(Consumers consumers, QueueEffects effects) {
        this.consumers = consumers;
        this.effects = effects;
    }

    /** The session lends places. */
    void lend(QueueConsumer consumer, int places) {
        if (consumer.gone() || !consumer.shared()) {
            effects.unused(consumer, places);
            return;
        }
        consumer.lend(places);
        consumers.update(consumer);
    }

    /** Whether the consumer shares a window from now on. */
    void share(QueueConsumer consumer, boolean shared) {
        takeBack(consumer);
        boolean before = consumer.shared();
        consumers.share(consumer, shared);
        if (!before && consumer.shared() && consumer.holder().unsettled() > 0) {
            // What it holds already takes places: they are given back as it is settled.
            effects.unused(consumer, -consumer.holder().unsettled());
        }
    }

    /** Gives back what a consumer was lent and has not used. */
    void takeBack(QueueConsumer consumer) {
        int unused = consumer.takeBackLent();
        if (unused > 0) {
            effects.unused(consumer, unused);
        }
    }

    /** The queue ends: gives back what a consumer, which may have ended before, was lent and holds. */
    void takeBackAll(QueueConsumer consumer) {
        int places =
                consumer.takeBackLent() + (consumer.shared() ? consumer.holder().unsettled() : 0);
        if (places > 0) {
            effects.unused(consumer, places);
        }
    }

    /**
     * The hand-out is over, and nobody with credit is left or nothing is ready: what was lent and not used is not needed
     * now. Whoever lacks a place and nothing else wants one.
     */
    void handedOut(long ready) {
        List<QueueConsumer> sharing = consumers.sharing();
        for (int i = 0; i < sharing.size(); i++) {
            QueueConsumer consumer = sharing.get(i);
            takeBack(consumer);
            if (ready > 0 && !consumer.told() && consumers.serves(consumer) && consumer.wantsToBeLent()) {
                consumer.tell();
                effects.wants(consumer, (int) Math.min(ready, Integer.MAX_VALUE));
            }
        }
    }

    /** A delivery of a consumer was settled. */
    void settled(QueueConsumer consumer) {
        if (consumer.shared() && consumer.freePlace()) {
            freed.add(consumer);
        }
    }

    /** Tells which places became free; every command that settles ends with it. */
    void tellFreed() {
        for (int i = 0; i < freed.size(); i++) {
            effects.unused(freed.get(i), freed.get(i).takeFreed());
        }
        freed.clear();
    }
}
