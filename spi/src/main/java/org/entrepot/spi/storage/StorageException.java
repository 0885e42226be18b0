package org.entrepot.spi.storage;

/** A store cannot be used as it is. The message says what is wrong and what an operator may do; it is for the console. */
public final class StorageException extends Exception {
    private static final long serialVersionUID = 1;

    public StorageException(String message) {
        super(message);
    }

    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }
}
