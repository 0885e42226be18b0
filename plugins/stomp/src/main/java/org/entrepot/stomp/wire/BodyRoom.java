package org.entrepot.stomp.wire;

/** The memory that unfinished bodies take. Owned by the connection's loop. */
public interface BodyRoom {

    /** Takes so many bytes; throws {@link WireException} where that is too much. */
    void take(int bytes);

    /** Gives bytes back that were taken. */
    void giveBack(long bytes);
}
