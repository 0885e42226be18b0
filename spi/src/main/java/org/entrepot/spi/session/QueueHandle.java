package org.entrepot.spi.session;

import org.entrepot.spi.topology.QueueSpec;

/** A queue that deliveries came from, to settle them with. Vendors only call it. Any thread may. */
public interface QueueHandle {

    /** Unique for all time: a queue declared again under the name is another one. */
    long id();

    String name();

    /** What the queue is now, with what policies add. */
    QueueSpec spec();
}
