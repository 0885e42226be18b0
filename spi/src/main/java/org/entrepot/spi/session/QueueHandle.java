package org.entrepot.spi.session;

/** A queue that deliveries came from, to settle them with. Vendors only call it. Immutable. */
public interface QueueHandle {

    /** Unique for all time: a queue declared again under the name is another one. */
    long id();

    String name();
}
