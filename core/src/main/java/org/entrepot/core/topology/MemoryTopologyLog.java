package org.entrepot.core.topology;

import java.util.List;
import java.util.function.Consumer;

/**
 * The log of a broker that keeps nothing over a restart: what is appended is as durable as it will be, and forgotten.
 * Immutable.
 */
public final class MemoryTopologyLog implements TopologyLog {

    @Override
    public void append(List<TopologyRecord> records, Runnable whenDurable) {
        whenDurable.run();
    }

    @Override
    public void replay(Consumer<TopologyRecord> visitor) {}
}
