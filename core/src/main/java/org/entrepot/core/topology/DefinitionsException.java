package org.entrepot.core.topology;

/** Definitions that cannot be read or taken over: which file, which place in it, and why. */
public final class DefinitionsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DefinitionsException(String text) {
        super(text);
    }

    DefinitionsException(String text, Throwable cause) {
        super(text, cause);
    }
}
