package org.entrepot.spi.message;

/** Why a message left a queue for its dead-letter exchange. */
public enum DeathReason {
    /** A consumer rejected it, or an overflowing queue that dead-letters what it refuses. */
    REJECTED,
    /** Its time, or its queue's, was up. */
    EXPIRED,
    /** The queue was full. */
    MAXLEN,
    /** It was delivered and returned too often. */
    DELIVERY_LIMIT;
}
