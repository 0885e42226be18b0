package org.entrepot.spi.session;

import java.util.concurrent.CompletionStage;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;

/**
 * Publishes and settles of one session that take effect as a whole or not at all, also where the process ends or the power is
 * cut meanwhile. Vendors only call it, on the session's loop.
 *
 * <p>Nothing happens before {@link #commit}, so that one that is to come to nothing is simply dropped. Consumers see what is
 * published in it only when it is decided that all of it takes effect.
 *
 * <p>As a whole means also: where one of the queues refuses a message, none gets any, and nothing is settled. What outlives the
 * process is what would without a transaction: the durable messages in durable queues, and the settling of those.
 */
public interface Transaction {
    /** Messages, each counted once for every queue that it goes to, and settled ranges that a transaction may have. */
    int ENTRIES_MAX = 1 << 17;

    /**
     * Publishes a message. It gets no receipt: that is what the commit gives.
     *
     * @param envelope names the same exchange and key as {@code address}
     * @return whether the message goes to any queue
     * @throws org.entrepot.spi.BrokerException when the exchange is not there, is internal, or may not be written to, or when the
     *     transaction is too large
     */
    Session.Routed publish(Address address, Message message, Envelope envelope);

    /**
     * Settles deliveries of the session as {@link Session#settle} does.
     *
     * @throws org.entrepot.spi.BrokerException when the transaction is too large
     */
    void settle(QueueHandle queue, long from, long to, Outcome outcome);

    /**
     * Lets all of it take effect, once. The session is busy meanwhile.
     *
     * @return whether it has taken effect, and is as durable as it will be. Where it has not, a queue was full, and what was to be
     *     settled is returned to its queues; or the storage engine has failed, and only the next start knows
     */
    CompletionStage<Boolean> commit();
}
