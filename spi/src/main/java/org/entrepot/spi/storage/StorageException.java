package org.entrepot.spi.storage;

import org.jspecify.annotations.Nullable;

/** A store cannot be used as it is. The message says what is wrong and what an operator may do; it is for the console. */
public class StorageException extends Exception {
    private static final long serialVersionUID = 1;

    public StorageException(String message) {
        super(message);
    }

    public StorageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
