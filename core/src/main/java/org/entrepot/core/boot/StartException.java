package org.entrepot.core.boot;

/** Why the broker does not start, in words for the operator; {@link #exitCode} is what the process ends with. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    private StartException(int exitCode, String message, Throwable cause) {
        super(message, cause, false, false);
        this.exitCode = exitCode;
    }

    /** The operator gave something that is wrong. */
    static StartException usage(String message, Throwable cause) {
        return new StartException(ExitCode.USAGE, message, cause);
    }

    /** Somebody else has what is needed. */
    static StartException unavailable(String message, Throwable cause) {
        return new StartException(ExitCode.UNAVAILABLE, message, cause);
    }

    int exitCode() {
        return exitCode;
    }
}
