package org.entrepot.spi.storage;

/** A store is in use by another process: nothing is wrong with it, and nothing was read or changed. */
public final class StoreInUseException extends StorageException {
    private static final long serialVersionUID = 1;

    public StoreInUseException(String message) {
        super(message);
    }
}
