package org.entrepot.core.queue;

import org.entrepot.core.loop.Loop;

/** Who publishes to queues and gets receipts for it. Called on {@link #loop} only. */
public interface Publisher {

    Loop loop();

    /** One queue has stored, or refused, the publish of this number. */
    void receipt(long number, boolean stored);

    /** A queue is too far ahead of its consumers: do not publish for a while. */
    void hold();

    /** One {@link #hold} is over. */
    void resume();
}
