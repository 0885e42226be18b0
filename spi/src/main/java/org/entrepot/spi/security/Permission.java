package org.entrepot.spi.security;

/**
 * Something a principal may be allowed to do. Immutable.
 *
 * @param action what is done
 * @param kind what it is done to
 * @param name the name of that; for {@link Kind#TOPIC} the exchange's
 * @param key the routing key for {@link Kind#TOPIC}, else empty
 * @param clientId for {@link Kind#TOPIC} what {@link org.entrepot.spi.protocol.Connection#clientId} was told of whoever asks;
 *     empty where its protocol has no such names, and for other kinds. A client chooses it: it proves nothing by itself
 */
public record Permission(Action action, Kind kind, String name, String key, String clientId) {

    /** One that a connection without a client id asks for. */
    public Permission(Action action, Kind kind, String name, String key) {
        this(action, kind, name, key, "");
    }

    public static Permission of(Action action, Kind kind, String name) {
        return new Permission(action, kind, name, "");
    }

    /** What is done. */
    public enum Action {
        /** Declare it. */
        CREATE,
        /** Delete it. */
        DELETE,
        /** Ask whether it is there and how much is in it. */
        DESCRIBE,
        /** Publish to it, bind something to it. */
        WRITE,
        /** Consume from it, bind it to something. */
        READ,
        /** Enter it (virtual hosts). */
        ENTER
    }

    /** What it is done to. */
    public enum Kind {
        VIRTUAL_HOST,
        EXCHANGE,
        QUEUE,
        /** A routing key of a topic exchange. */
        TOPIC
    }
}
