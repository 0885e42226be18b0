package org.entrepot.spi.protocol;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;

/**
 * A client's connection as the broker sees it. Vendors only call it. Owned by the connection's loop: every call is made
 * there and every stage completes there.
 */
public interface Connection {

    /** Unique on this node while it runs. */
    long id();

    /** Who is at the other end, and how. */
    ConnectionFacts facts();

    /** The mechanisms a client of this connection may log in with, in order of preference, by their SASL names. */
    List<String> mechanisms();

    /**
     * Begins a login; the principal is set when it succeeds.
     *
     * @throws org.entrepot.spi.BrokerException ACCESS_REFUSED when the mechanism is not one of {@link #mechanisms}
     */
    Login login(String mechanism);

    /** Who logged in; throws {@link IllegalStateException} before anybody has. */
    Principal principal();

    /**
     * Checks a new secret for the principal logged in (an OAuth token that follows an expiring one) and, when it is
     * good, re-checks virtual host and consumers: those no longer allowed are revoked.
     */
    CompletionStage<Void> renew(byte[] secret);

    /**
     * Enters a virtual host, once, after logging in; fails with NOT_ALLOWED when it is not there, not open to the
     * principal, or full.
     */
    CompletionStage<Void> enter(String virtualHost);

    /** The virtual host entered; throws {@link IllegalStateException} before. */
    String virtualHost();

    /**
     * Opens a session in the virtual host entered.
     *
     * @throws org.entrepot.spi.BrokerException NOT_ALLOWED when a limit on sessions is reached
     */
    Session openSession(SessionListener listener);

    /**
     * Claims the right to a name within the virtual host entered, such as a client's id. Names are of all plugins together,
     * so each begins its own with something that nobody else does.
     *
     * <p>The newest wins: who has the name is told by its {@code lost}, ends what it does in that name, and gives up, by
     * {@link Claim#release} or because its connection's {@link #release} is complete, whichever comes first; then the name
     * is this connection's. A holder that takes longer than ten seconds has its socket cut. One that is itself overtaken
     * while it waits fails with CONFLICT, and its {@code lost} is not called.
     *
     * @param name opaque
     * @param lost called once, on this connection's loop, when a newer connection wants the name that this one holds; the
     *     claim is still to be released
     * @return the claim, as soon as nobody else has the name; fails with CONFLICT, or NOT_ALLOWED where the connection has
     *     too many
     */
    CompletionStage<Claim> claim(String name, Runnable lost);

    /**
     * Tells operators about the client.
     *
     * @param protocol name and version, such as "AMQP 0-9-1"
     * @param clientName what the client calls itself; may be empty
     * @param properties what else it says of itself, kept as it is, for display
     */
    void describe(String protocol, String clientName, Map<String, Object> properties);

    /**
     * Tells the name that the client has for itself in a protocol where such names matter (MQTT's client identifier), for
     * decisions that depend on it: {@code {client_id}} in a topic permission stands for it, as literal text. Where this is
     * not called, such a permission allows nothing.
     *
     * @param clientId not empty
     * @throws IllegalStateException when it was told before, or a session has been opened
     */
    void clientId(String clientId);

    /** Most sessions the connection may open. */
    int sessionsMax();

    /** Largest message, header and body, in bytes. */
    int messageBytesMax();

    /**
     * Whether the socket is not being read, for whatever reason. A client that cannot be heard must not be taken for dead.
     */
    boolean readingPaused();

    /**
     * Stops reading the socket for the protocol's own reasons, until {@link #resumeReading}. The broker has reasons of its
     * own; the socket is read while nobody has any, so protocols must not touch the channel's auto-read themselves.
     */
    void pauseReading();

    /** The protocol has no reason left not to read the socket. */
    void resumeReading();

    /**
     * Ends what the broker holds for the connection: sessions are closed, exclusive queues deleted. Completes when that
     * is done, for protocols whose goodbye promises it. The socket stays open.
     */
    CompletionStage<Void> release();

    /**
     * Has {@link ConnectionHandler#flush} called, and the socket flushed, at the end of the loop's pass. Needed only when something
     * was written outside of a read of the socket and of what the broker calls: by a timer, or when a stage completes.
     */
    void flushSoon();

    /** Writes one line for operators about this client's misbehaviour, with its address; repeated lines are summed up. */
    void complain(String what);
}
