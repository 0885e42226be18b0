package org.entrepot.spi.session;

import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.TopologyAnswer;
import org.entrepot.spi.topology.TopologyChange;

/**
 * One client's view of a virtual host: what a protocol publishes, consumes, settles and declares through. Vendors only
 * call it. Owned by the loop of its connection: every call is made there and every stage completes there.
 *
 * <p><b>Order.</b> Calls take effect in call order. A call that returns a stage makes the session <em>busy</em> until the
 * stage completes; further calls, {@link #settle} excepted, must wait and are refused with {@link IllegalStateException}
 * while it is. {@link #whenIdle} is the way to wait: what it is given runs in order, and the connection's socket is not
 * read while more than {@link #HELD_BYTES_MAX} wait. Other sessions of the connection go on meanwhile.
 *
 * <p><b>Permissions</b> are checked by every call. A refusal is a {@link org.entrepot.spi.BrokerException}, thrown, or in
 * the stage of calls that return one.
 */
public interface Session {

    /** Bytes of work that may wait for a busy session before the socket is no longer read. */
    int HELD_BYTES_MAX = 256 << 10;

    /** Whether a call is under way that later calls must wait for. */
    boolean busy();

    /**
     * Runs {@code work} as soon as the session is not busy and everything given earlier has run: at once when it is idle.
     *
     * @param bytes roughly what waiting costs in memory
     */
    void whenIdle(Runnable work, int bytes);

    /**
     * Finds where a publish goes. The result is cached and shared, so that looking up what was looked up recently costs
     * a hash and a comparison of bytes; keep it for the next publish with equal bytes.
     *
     * @param buffer holds the names of the exchange (UTF-8) and the key
     */
    Address address(ByteBuf buffer, int exchangeIndex, int exchangeLength, int keyIndex, int keyLength);

    /** The same for names that are not in a buffer. */
    Address address(String exchange, RoutingKey key);

    /**
     * Publishes a message. Publishes of a session are numbered from 1; each gets a receipt through {@link
     * SessionListener#receipts}, stored, refused or routed nowhere, asked for or not.
     *
     * @param envelope names the same exchange and key as {@code address}
     * @return whether the message went to any queue; where it did not its receipt comes all the same
     * @throws org.entrepot.spi.BrokerException when the exchange is not there, is internal, or may not be written to
     */
    Routed publish(Address address, Message message, Envelope envelope);

    /** The number of the last publish; 0 before the first. */
    long published();

    /** Whether a publish went anywhere. */
    enum Routed {
        /** At least one queue was offered the message. */
        TO_QUEUES,
        /** No binding matched, and no alternate exchange helped. */
        NOWHERE
    }

    /** Begins a transaction. Others may be begun before it is committed, and the session used as ever. */
    Transaction begin();

    /** Starts a consumer. Deliveries may begin before the stage completes; the sink is called on this session's loop. */
    CompletionStage<Consumer> consume(ConsumerSpec spec, DeliverySink sink);

    /**
     * Takes one message from a queue, without a consumer. The sink is called with it, before the stage completes.
     *
     * @param settled whether the message is settled by being delivered
     * @return the ready messages that remain, or empty when there was none to take
     */
    CompletionStage<Optional<Long>> pull(String queue, boolean settled, DeliverySink sink);

    /**
     * Settles deliveries of this session: those whose positions lie in {@code [from, to]} of {@code queue} and that this
     * session holds; others are passed over. Never waits, also while the session is busy. Consumers with a window may
     * then get more.
     */
    void settle(QueueHandle queue, long from, long to, Outcome outcome);

    /**
     * Limits the unsettled deliveries of all this session's consumers together, those started before as well.
     *
     * @param messages most unsettled deliveries; 0 for no limit
     */
    void sharedWindow(int messages);

    /** Makes a change of the topology. */
    CompletionStage<TopologyAnswer> change(TopologyChange change);

    /** A queue as it is, with how much is in it; fails with NOT_FOUND, or RESOURCE_LOCKED for another's exclusive one. */
    CompletionStage<TopologyAnswer.Queue> inspectQueue(String name);

    /** An exchange as it is, or fails with NOT_FOUND. */
    ExchangeSpec inspectExchange(String name);

    /** Removes all ready messages of a queue; gives their number. */
    CompletionStage<Long> purge(String queue);

    /**
     * A name that nobody has used for a queue: {@code prefix} and 22 random characters of URL-safe base64. Only made up,
     * not declared.
     */
    String generateName(String prefix);

    /**
     * Ends the session: its consumers are cancelled and what they hold is returned to its queues. The stage completes
     * when that is done. May be called while the session is busy: what waits is dropped, and the stage of the call under
     * way completes first. Closing twice is the same as once.
     */
    CompletionStage<Void> close();
}
