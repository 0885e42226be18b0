package org.entrepot.spi;

/**
 * Something a client asked for that the broker refuses, or a fault that ends what the client was doing. Each protocol
 * maps {@link #kind} to its own reply code in one exhaustive switch and closes what {@link #scope} says.
 *
 * <p>Unroutable, empty, overflow and the like are results, not exceptions.
 */
public final class BrokerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorKind kind;
    private final Scope scope;

    /** What a fault ends. */
    public enum Scope {
        /** One message or call; the session goes on. */
        MESSAGE,
        /** The session (AMQP 0-9-1: the channel). */
        SESSION,
        /** The connection. */
        CONNECTION
    }

    public BrokerException(ErrorKind kind, Scope scope, String text) {
        super(text, null, false, false);
        this.kind = kind;
        this.scope = scope;
    }

    /** A fault that ends the session. */
    public static BrokerException session(ErrorKind kind, String text) {
        return new BrokerException(kind, Scope.SESSION, text);
    }

    /** A fault that ends the connection. */
    public static BrokerException connection(ErrorKind kind, String text) {
        return new BrokerException(kind, Scope.CONNECTION, text);
    }

    public ErrorKind kind() {
        return kind;
    }

    public Scope scope() {
        return scope;
    }

    /** What went wrong, in the words clients match on; without the protocol's code in front. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
