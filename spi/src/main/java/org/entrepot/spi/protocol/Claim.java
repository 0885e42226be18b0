package org.entrepot.spi.protocol;

/**
 * The right to a name, which one connection at a time has; see {@link Connection#claim}. Vendors only call it, on the loop of
 * the connection that claimed.
 */
public interface Claim {

    /**
     * Gives the name up, so that whoever wants it gets it. To be called when nothing is done in the name any more; more
     * than once is the same as once. A claim is released by itself when its connection's {@link Connection#release} is
     * complete.
     */
    void release();
}
