package org.entrepot.spi.session;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
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

    /** Changes of the topology that can be made at once. */
    int CHANGES_MAX = 1_000;

    /** Whether a call is under way that later calls must wait for. */
    boolean busy();

    /**
     * Runs {@code work} as soon as the session is not busy and everything given earlier has run: at once when it is idle.
     * Calls that are made by what depends on a stage, when that completes, come before work that waits.
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
     * Where a publish goes that is for one queue alone, whatever its key. No exchange is asked, and none has to be: {@link
     * Address#exchange} is "", and there is no binding. Publishing to it needs the right to write to the queue, and fails
     * with NOT_FOUND while there is no queue of this name. Further keys of an envelope are not routed by. The address is not
     * shared; keep it where it is used more than once.
     *
     * @param key what the message's envelope says, and what a table keeps its messages by
     */
    Address queueAddress(String queue, RoutingKey key);

    /**
     * Publishes a message. Publishes of a session are numbered from 1; each gets a receipt through {@link
     * SessionListener#receipts}, stored, refused or routed nowhere, asked for or not.
     *
     * @param envelope names the same exchange and key as {@code address}
     * @return whether the message went to any queue; where it did not its receipt comes all the same
     * @throws org.entrepot.spi.BrokerException when the exchange is not there, is internal, or may not be written to
     */
    Routed publish(Address address, Message message, Envelope envelope);

    /** Whether {@link #publish} to an address would be allowed now; also while the session is busy. */
    boolean mayPublish(Address address);

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

    /** Starts a consumer; not of a table, which fails with PRECONDITION_FAILED. Deliveries may begin before the stage completes; the sink is called on this session's loop. */
    CompletionStage<Consumer> consume(ConsumerSpec spec, DeliverySink sink);

    /**
     * Takes one message from a queue that is no table, without a consumer. The sink is called with it, before the stage completes.
     *
     * @param settled whether the message is settled by being delivered
     * @return the ready messages that remain, or empty when there was none to take
     */
    CompletionStage<Optional<Long>> pull(String queue, boolean settled, DeliverySink sink);

    /**
     * Reads what is in a queue at this time, ready or held by whomever, without taking or holding it: in the order of
     * positions, whatever the priorities. Works on every queue, also while it has consumers. What is not in memory is
     * loaded first. What is read may not be durable yet.
     *
     * <p>The sink is called once, before the stage completes, or not at all where there is nothing. To read on, call again
     * with what the stage gave, until it gives -1.
     *
     * @param from the least position to be read; 0 for all
     * @param bytesMax about how many bytes of messages are read at most; one message is in any case
     * @return the position to go on from, or -1 when nothing was at {@code from} or beyond
     */
    CompletionStage<Long> read(String queue, long from, int bytesMax, DeliverySink sink);

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

    /**
     * Makes changes of the topology, all or none, each on what those before it have made. Gives their answers in order; fails
     * with the refusal of the first that is refused. Conditions of deleting a queue are judged before any change is made.
     *
     * @param changes at most {@link #CHANGES_MAX}
     */
    CompletionStage<List<TopologyAnswer>> change(List<TopologyChange> changes);

    /** A queue as it is, with how much is in it; fails with NOT_FOUND, or RESOURCE_LOCKED for another's exclusive one. */
    CompletionStage<TopologyAnswer.Queue> inspectQueue(String name);

    /** An exchange as it is, or fails with NOT_FOUND. */
    ExchangeSpec inspectExchange(String name);

    /**
     * The bindings that lead to a queue or an exchange, in a fixed order; none where it is not there. What was just changed
     * by another session may not be among them yet. The cost is that of the result.
     */
    List<BindingSpec> bindingsOf(BindingSpec.Destination destination);

    /**
     * The bindings from an exchange that have exactly this key, wildcards not being interpreted; none where it is not there.
     * The cost is that of the result.
     */
    List<BindingSpec> bindingsFrom(String exchange, RoutingKey key);

    /**
     * The names of the queues in the virtual host that begin with these characters and that may be asked about, in no
     * particular order. Looks at the names of all queues: not for every message or connection.
     */
    List<String> queueNames(String prefix);

    /** Removes all ready messages of a queue, or all keys of a table; gives their number. */
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
