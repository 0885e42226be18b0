package org.entrepot.core.queue;

import org.entrepot.core.loop.Loop;

/**
 * A session's end of a consumer: where what its queue says to it arrives. Called on {@link #loop} only, and never while the
 * queue decides: it may give its queue commands at once.
 */
public interface Outlet {

    Loop loop();

    /** Takes a batch of deliveries, which is the outlet's from here on. */
    void deliver(DeliveryBatch batch);

    /** There are about so many messages for it, and only a place in the shared window is missing. */
    void wants(int messages);

    /** Places in the shared window that were lent and are not needed. */
    void unused(int places);

    /** Whether it is the one served on a single-active queue. */
    void active(boolean active);

    /** The queue has ended it. */
    void revoked(String reason);

    /** A delivery was not settled in time. */
    void leaseExpired(long leaseMillis);
}
