package org.entrepot.core.session;

import org.entrepot.core.loop.Loop;
import org.entrepot.core.queue.DeliveryBatch;
import org.entrepot.core.security.Access;
import org.entrepot.spi.security.Principal;

/**
 * What a session needs of whoever has it: a client's connection, or a plugin. Called on its loop, but for {@link #loop} and
 * {@link #id}.
 */
interface SessionOwner {

    Loop loop();

    /** Unique among all owners of this node: what is declared exclusive is this one's. */
    long id();

    Principal principal();

    String virtualHost();

    /** What the client is called where its protocol has such names; empty elsewhere. */
    String clientId();

    /** What decides what the owner may do. */
    Access access();

    /** Whether it is the broker's own, which may use names that are kept for the broker, and others' exclusive queues. */
    boolean isSystem();

    // Holding it back.

    /** The owner is not to send more, for this reason. */
    void pause(ReadPause reason);

    void unpause(ReadPause reason);

    /** A queue that is published to is far ahead of its consumers. */
    void hold();

    void resume();

    /** Something is about to be published. */
    void publishing();

    // Deliveries.

    /** A consumer is about to be started; throws where the owner has too many. */
    void checkConsumers();

    void consumerEnded();

    /** Deliveries for a consumer, to be passed on when the owner can take them. */
    void outgoing(SessionConsumer consumer, DeliveryBatch batch);

    /** Passes on now what waits for a consumer. */
    void drain(SessionConsumer consumer);

    /** Has a consumer's credit given back once what it got is written. */
    void afterFlush(SessionConsumer consumer);

    /** Has the session tell its receipts, and what was written flushed, at the end of the pass. */
    void flushSoon();

    void sessionClosed(ClientSession session);
}
