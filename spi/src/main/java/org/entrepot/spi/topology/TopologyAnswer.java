package org.entrepot.spi.topology;

/** What came of one {@link TopologyChange}. Immutable. */
public sealed interface TopologyAnswer {

    /** An exchange is there: {@code created} by this change, or before with {@code spec}. */
    record Exchange(ExchangeSpec spec, boolean created) implements TopologyAnswer {}

    /**
     * A queue is there: {@code created} by this change, or before with {@code spec}.
     *
     * @param messages ready messages
     * @param consumers consumers, of which a single-active queue serves one
     */
    record Queue(QueueSpec spec, boolean created, long messages, int consumers) implements TopologyAnswer {}

    /** Something is gone, or was not there: with the ready messages that went with it. */
    record Deleted(boolean existed, long messages) implements TopologyAnswer {}

    /** A binding is there, or is gone. */
    record Bound() implements TopologyAnswer {}
}
