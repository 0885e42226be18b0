package org.entrepot.stomp;

import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;
import org.jspecify.annotations.Nullable;

/**
 * What a client calls a subscription: an id, or the destination where it gives none. Immutable.
 *
 * @param id the id, or the destination
 * @param hasId whether the client gave an id
 */
record SubscriptionName(String id, boolean hasId) {

    /** What no client's id may begin with. */
    static final String TEMPORARY_PREFIX = "/temp-queue/";

    /** The name in SUBSCRIBE or UNSUBSCRIBE; throws a refusal where there is none, or one that is not allowed. */
    static SubscriptionName of(FrameHead head) {
        String command = head.command().name();
        String id = head.text(Header.ID);
        if (id != null) {
            if (id.startsWith(TEMPORARY_PREFIX)) {
                throw new Refusal("Invalid id", command + " 'id' may not start with " + TEMPORARY_PREFIX + "\n");
            }
            return new SubscriptionName(id, true);
        }
        @Nullable String destination = head.text(Header.DESTINATION);
        if (destination == null) {
            throw new Refusal("Missing destination or id", command + " must include a 'destination' or 'id' header");
        }
        return new SubscriptionName(destination, false);
    }

    /** The name of the subscription that brings the answers to a destination /temp-queue. */
    static SubscriptionName temporary(String id) {
        return new SubscriptionName(TEMPORARY_PREFIX + id, true);
    }

    /** What sets it apart in the session, and what the ids of its messages begin with. */
    String tag() {
        return (hasId ? "T_" : "Q_") + id;
    }

    /** As texts name it. */
    String description() {
        return "\"" + (hasId ? "id='" : "destination='") + id + "'\"";
    }
}
