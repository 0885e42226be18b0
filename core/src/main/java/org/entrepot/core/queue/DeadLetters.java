package org.entrepot.core.queue;

import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.topology.DeadLetter;

/** Publishes what leaves a queue for its dead-letter exchange. Called on the queue's home loop. */
@FunctionalInterface
public interface DeadLetters {

    /** Publishes one message; {@link Letter#done} must be called once, on the queue's home loop. */
    void publish(Letter letter);

    /**
     * A message on its way out of a queue.
     *
     * @param from the queue it leaves
     * @param position where it stands there, or negative for one that was refused entry
     * @param reason why it leaves
     * @param to where it goes
     */
    record Letter(
            LocalQueue from,
            long position,
            DeathReason reason,
            DeadLetter to,
            Message message,
            Envelope envelope,
            Annotations annotations) {

        /** Whether a queue has the message. */
        public void done(boolean taken) {
            from.deadLettered(this, taken);
        }
    }
}
