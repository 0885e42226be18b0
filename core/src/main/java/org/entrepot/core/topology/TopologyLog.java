package org.entrepot.core.topology;

import java.util.List;

/** Where the topology's logged records are kept. Owned by the topology's loop. */
public interface TopologyLog {

    /** Tells all records kept so far; called once, before any other method. */
    void open(Owner owner);

    /**
     * Keeps records, all or none of them.
     *
     * @param whenDurable run once they are as durable as they will be, by any thread, in the order of the calls; maybe
     *     before the call returns
     */
    void append(List<TopologyRecord> records, Runnable whenDurable);

    /** Ends the log: nothing is told any more. */
    void close();

    /** Hears of the log, on the topology's loop. */
    interface Owner {
        /** A record from before the log was opened; all are told in order. */
        void replayed(TopologyRecord fact);

        /** All records were told, and others may be appended. */
        void ended();

        /** Records that can take the place of all appended so far. */
        List<TopologyRecord> checkpoint();

        /** The log cannot be read, or takes nothing any more; what is not yet durable never will be. */
        void failed(String reason);
    }
}
