package org.entrepot.mqtt;

import java.util.concurrent.atomic.AtomicLong;

/** What the connections of one loop have done, as numbers that only grow. Written by that loop; any thread may read. */
final class Traffic {
    private final Count received = new Count();
    private final Count receivedBytes = new Count();
    private final Count sent = new Count();
    private final Count sentBytes = new Count();
    private final Count connected = new Count();
    private final Count disconnected = new Count();
    private final Count subscribed = new Count();
    private final Count unsubscribed = new Count();

    /** A number with one writer: adding is a plain store. */
    static final class Count {
        private final AtomicLong value = new AtomicLong();

        void add(long more) {
            value.lazySet(value.getPlain() + more);
        }

        long get() {
            return value.get();
        }
    }

    /** Publishes that clients have sent. */
    Count received() {
        return received;
    }

    /** Their payloads' bytes. */
    Count receivedBytes() {
        return receivedBytes;
    }

    /** Publishes that clients were sent. */
    Count sent() {
        return sent;
    }

    /** Their payloads' bytes. */
    Count sentBytes() {
        return sentBytes;
    }

    /** Clients that were let in. */
    Count connected() {
        return connected;
    }

    /** Of these, those that are gone. */
    Count disconnected() {
        return disconnected;
    }

    /** Subscriptions of connected sessions. */
    Count subscribed() {
        return subscribed;
    }

    /** Of these, those that are gone, or whose session is not connected any more. */
    Count unsubscribed() {
        return unsubscribed;
    }
}
