package org.entrepot.spi.session;

import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;

/** A batch of deliveries from one queue to one sink. Vendors only call it, and only while they are called with it. */
public interface Deliveries {

    QueueHandle queue();

    /** How many there are; at least one. */
    int size();

    /** Where delivery {@code i} stands in its queue: what it is settled by. Not always ascending. */
    long position(int i);

    /** Whether it was delivered before, to anybody. */
    boolean redelivered(int i);

    /** How often it was returned after a failed delivery: what a delivery limit counts. 0 at first. */
    int returns(int i);

    Message message(int i);

    Envelope envelope(int i);

    Annotations annotations(int i);

    /**
     * How long the message has waited in this queue, in milliseconds, where its envelope has a time to live; 0 where it has
     * none.
     */
    long waitedMillis(int i);
}
