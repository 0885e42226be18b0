package org.entrepot.core.plugin;

import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.ServiceConfigurationError;

/** Says in a sentence's part why something failed. */
final class Reason {
    private static final int CAUSES_MAX = 10;

    private Reason() {}

    /** The innermost cause, which is what an operator can do something about. */
    static String of(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < CAUSES_MAX && cause.getCause() != null && isWrapping(cause); i++) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        if (cause instanceof NoClassDefFoundError || cause instanceof ClassNotFoundException) {
            return "class " + String.valueOf(message).replace('/', '.')
                    + " is neither in the plugin nor among what the broker offers";
        }
        if (cause instanceof NoSuchFileException) {
            return message + " is not there";
        }
        if (cause instanceof AccessDeniedException) {
            return message + " may not be read or written";
        }
        return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message;
    }

    private static boolean isWrapping(Throwable failure) {
        return failure instanceof ServiceConfigurationError
                || failure instanceof ExceptionInInitializerError
                || failure instanceof NoClassDefFoundError
                || failure instanceof RuntimeException;
    }
}
