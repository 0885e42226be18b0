package org.entrepot.core.boot;

import org.jspecify.annotations.Nullable;

/** Why the broker does not start, in words for the operator; {@link #exitCode} is what the process ends with. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    private StartException(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.exitCode = exitCode;
    }

    /** The operator gave something that is wrong. */
    static StartException usage(String message, @Nullable Throwable cause) {
        return new StartException(ExitCode.USAGE, message, cause);
    }

    /** What was stored by an earlier start cannot be used. */
    static StartException data(String message, @Nullable Throwable cause) {
        return new StartException(ExitCode.DATA, message, cause);
    }

    /** Somebody else has what is needed. */
    static StartException unavailable(String message, @Nullable Throwable cause) {
        return new StartException(ExitCode.UNAVAILABLE, message, cause);
    }

    /** Something of the broker's own went wrong. */
    static StartException internal(String message, @Nullable Throwable cause) {
        return new StartException(ExitCode.INTERNAL, message, cause);
    }

    int exitCode() {
        return exitCode;
    }
}
