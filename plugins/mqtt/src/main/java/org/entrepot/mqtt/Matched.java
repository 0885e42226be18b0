package org.entrepot.mqtt;

import java.util.Arrays;

/** What a session's subscriptions together say of a message. Owned by the loop that it is filled on, and reused. */
final class Matched {
    private int qos;
    private boolean any;
    private boolean asPublished;
    private int[] ids = new int[2];
    private int idCount;

    void clear() {
        any = false;
        qos = 0;
        asPublished = false;
        idCount = 0;
    }

    /**
     * One more that matches.
     *
     * @param own whether the message is the client's own
     */
    void add(Subscription one, boolean own) {
        if (own && one.noLocal()) {
            return;
        }
        any = true;
        qos = Math.max(qos, one.qos());
        asPublished |= one.asPublished();
        if (one.id() != 0) {
            if (idCount == ids.length) {
                ids = Arrays.copyOf(ids, idCount * 2);
            }
            ids[idCount++] = one.id();
        }
    }

    /** Whether any matches. */
    boolean any() {
        return any;
    }

    /** The highest QoS of them. */
    int qos() {
        return qos;
    }

    boolean asPublished() {
        return asPublished;
    }

    /** Their identifiers, {@link #idCount} of them. */
    int[] ids() {
        return ids;
    }

    int idCount() {
        return idCount;
    }
}
