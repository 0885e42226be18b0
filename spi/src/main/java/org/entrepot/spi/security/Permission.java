package org.entrepot.spi.security;

/**
 * Something a principal may be allowed to do. Immutable.
 *
 * @param action what is done
 * @param kind what it is done to
 * @param name the name of that; for {@link Kind#TOPIC} the exchange's
 * @param key the routing key for {@link Kind#TOPIC}, else empty
 */
public record Permission(Action action, Kind kind, String name, String key) {

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
