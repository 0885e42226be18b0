package org.entrepot.spi.protocol;

import org.entrepot.spi.BrokerException;

/** A protocol's side of one connection. Vendors implement it. Called on the connection's loop only. */
public interface ConnectionHandler {

    /**
     * The broker will not read this connection's socket for a while, because the connection publishes while memory or
     * disk are short. A protocol that can tells its client.
     *
     * @param reason such as "low on memory"
     */
    default void blocked(String reason) {}

    /** The socket is read again after {@link #blocked}. */
    default void unblocked() {}

    /**
     * The broker ends the connection in good order: it is stopping, or an operator or a newer connection wants it gone.
     * The protocol says goodbye and closes the socket once the client has answered; the broker closes it where that
     * takes longer than the configured time.
     */
    void close(BrokerException reason);

    /**
     * The pass ends and the socket is about to be flushed: a protocol that gathers what it writes during a pass gives it
     * to the channel now, in one piece. Called once a pass, after everything the broker told the handler, its listeners
     * and its sinks in that pass, whenever anything was read from the socket or told.
     */
    default void flush() {}

    /**
     * The socket is closed, by whomever. Called once, last; sessions are closed by the broker after it.
     */
    default void closed() {}
}
