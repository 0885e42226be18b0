package org.entrepot.spi.session;

import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;

/** Hears what happens to a session. Vendors implement it. Called on the loop of the session's connection only. */
public interface SessionListener {

    /**
     * Publishes {@code first} to {@code last}, by their numbers, were all stored or all refused. Each number is reported
     * once; not always in ascending order. Stored means as safe as the storage engine promises for what is durable.
     */
    void receipts(long first, long last, Receipt receipt);

    /** The broker ends the session; the plugin says so and closes it. */
    void failed(BrokerException reason);

    /** A delivery was held unsettled for longer than the queue or the consumer allows; the session must end. */
    default void leaseExpired(long leaseMillis) {
        failed(BrokerException.session(
                ErrorKind.PRECONDITION_FAILED, "a delivery was not settled within " + leaseMillis + " ms"));
    }

    /** What became of a publish. */
    enum Receipt {
        /** Every queue it was routed to has it, or it was routed nowhere. */
        STORED,
        /** A queue refused it or could not store it. */
        REFUSED
    }
}
