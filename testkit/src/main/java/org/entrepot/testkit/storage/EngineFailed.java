package org.entrepot.testkit.storage;

/** An engine has said that it promises nothing any more: allowed when its disk fails, and only then. */
final class EngineFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    EngineFailed(String message) {
        super(message);
    }
}
