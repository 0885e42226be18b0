package org.entrepot.spi.message;

/** Why a message left a queue for its dead-letter exchange. */
public enum DeathReason {
    /** A consumer rejected it. */
    REJECTED,
    /** Its time, or its queue's, was up. */
    EXPIRED,
    /** The queue was full, and it was dropped to make room or was not let in. */
    MAXLEN,
    /** It was delivered and returned too often. */
    DELIVERY_LIMIT;
}
