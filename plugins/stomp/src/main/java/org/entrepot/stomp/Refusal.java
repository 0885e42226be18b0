package org.entrepot.stomp;

/** A frame that is refused in the protocol's own words. Immutable. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient StompError error;

    /** A frame that is wrong by itself; the connection goes on. */
    Refusal(String message, String body) {
        this(new StompError(message, body, false));
    }

    Refusal(StompError error) {
        super(error.message(), null, false, false);
        this.error = error;
    }

    StompError error() {
        return error;
    }
}
