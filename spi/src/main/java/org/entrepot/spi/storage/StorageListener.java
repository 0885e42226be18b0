package org.entrepot.spi.storage;

/** Hears how a storage engine fares. Vendors only call it; any thread may. */
public interface StorageListener {

    /** The engine has no room for further messages: whoever publishes is held back until {@link #hasRoom}. */
    void full(String reason);

    /** There is room again. */
    void hasRoom();

    /** The engine promises nothing any more; every open log has been told too. */
    void failed(String reason);

    /**
     * The engine wants a {@link Log#checkpoint} of a log that nobody has opened since the start, to get rid of what is older:
     * it is to be opened.
     */
    void checkpointWanted(long log);

    /** Something an operator must know and that stays true: what was found damaged, for instance. */
    void alarm(String text);
}
