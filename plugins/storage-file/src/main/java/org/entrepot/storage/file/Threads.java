package org.entrepot.storage.file;

/**
 * Where an engine has its threads from. Immutable. The product's are new ones; tests whose engines live for a millisecond lend
 * theirs.
 */
@FunctionalInterface
interface Threads {
    Threads NEW = (name, task) -> new Thread(task, name).start();

    void start(String name, Runnable task);
}
