package org.entrepot.core.topology;

import java.util.List;
import java.util.function.Consumer;

/** Where the topology's logged records are kept. Owned by the topology's loop. */
public interface TopologyLog {

    /**
     * Keeps records, all or none of them.
     *
     * @param whenDurable run once they are as durable as they will be, by any thread, in the order of the calls; maybe
     *     before the call returns
     */
    void append(List<TopologyRecord> records, Runnable whenDurable);

    /** Gives all records kept so far, in order. */
    void replay(Consumer<TopologyRecord> visitor);
}
