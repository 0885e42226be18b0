package org.entrepot.stomp.wire;

/** Bytes that are no STOMP, or too many of them: nothing that follows can be read. Immutable. */
public final class WireException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public WireException(String text) {
        super(text, null, false, false);
    }

    /** What is wrong, for operators: a client is not told. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
