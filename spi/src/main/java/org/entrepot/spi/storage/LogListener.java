package org.entrepot.spi.storage;

/** Hears of a log. Called on the executor that the log was opened with. */
public interface LogListener {

    /** Everything up to this index is durable. */
    void durable(long index);

    /**
     * Entries from this position up to and including the other are in memory, as far as they are in the log. Where the first
     * is greater than the position that was asked for, there is none between.
     */
    void loaded(long from, long to);

    /**
     * Entries at these positions, both included, cannot be read any more, as far as they have not been released: the owner is
     * to release them. The operator has been told.
     */
    void lost(long from, long to);

    /** The engine wants a {@link Log#checkpoint}, to get rid of what is older. Not urgent, but to be done. */
    void checkpointWanted();

    /**
     * A transaction that the log takes part in was committed: its entries are like any other from now on, and what was
     * released in it is gone. It may not be durable yet. Only for owners that use transactions.
     */
    default void committed(LogTransaction transaction) {}

    /** The log can take no more and promises nothing for what is not yet durable. */
    void failed(String reason);
}
