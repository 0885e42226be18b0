package org.entrepot.spi.session;

/**
 * Takes what a consumer gets. Vendors implement it. Called on the loop of the session's connection only, while the
 * connection's socket can take more; what is written is flushed by the broker at the end of the loop's pass.
 */
public interface DeliverySink {

    /** Messages, in order. {@code deliveries} is valid during the call only; what it hands out may be kept. */
    void deliver(Deliveries deliveries);

    /** Whether this consumer is now the one served of a single-active queue. */
    default void active(boolean active) {}

    /** The consumer was ended by the broker: its queue is gone, or may no longer be read. */
    default void revoked(String reason) {}
}
