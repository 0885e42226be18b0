package org.entrepot.spi.topology;

/** Until when a queue keeps its messages. */
public enum Retention {
    /** Until they are settled: a queue that is consumed from. */
    SETTLED,

    /**
     * Until a newer message with the same routing key comes: a table. Of each key it keeps the newest message, and a message
     * without a body erases its key and is not kept itself. A table is read, and not consumed from.
     */
    LATEST_PER_KEY
}
