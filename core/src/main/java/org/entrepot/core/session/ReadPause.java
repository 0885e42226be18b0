package org.entrepot.core.session;

/** Why a connection's socket is not read for a while. */
enum ReadPause {
    /** It publishes while memory or disk are short. */
    ALARM,
    /** It is far ahead of the consumers of a queue it publishes to. */
    AHEAD_OF_CONSUMERS,
    /** Too much of what it published has no receipt yet. */
    RECEIPTS,
    /** A session is busy and much waits for it. */
    SESSION_BUSY,
    /** It does not read what it is answered. */
    ANSWERS_UNREAD,
    /** The protocol asked for it. */
    PROTOCOL;

    int bit() {
        return switch (this) {
            case ALARM -> 1;
            case AHEAD_OF_CONSUMERS -> 2;
            case RECEIPTS -> 4;
            case SESSION_BUSY -> 8;
            case ANSWERS_UNREAD -> 16;
            case PROTOCOL -> 32;
        };
    }
}
