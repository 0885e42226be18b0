package org.entrepot.storage.file;

/** Bytes of a store are not what was written. The message says what is wrong with them, not where. */
final class DamagedException extends Exception {
    private static final long serialVersionUID = 1;

    DamagedException(String message) {
        super(message);
    }
}
