package org.entrepot.spi.storage;

/** Hears how a storage engine fares. Vendors only call it; any thread may. */
public interface StorageListener {

    /** The engine has no room for further messages: whoever publishes is held back until {@link #hasRoom}. */
    void full(String reason);

    /** There is room again. */
    void hasRoom();

    /** The engine promises nothing any more; every open log has been told too. */
    void failed(String reason);

    /** Something an operator must know and that stays true: what was found damaged, for instance. */
    void alarm(String text);
}
