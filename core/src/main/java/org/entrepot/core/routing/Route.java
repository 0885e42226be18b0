package org.entrepot.core.routing;

import org.entrepot.core.topology.Exchange;
import org.entrepot.core.topology.QueueNode;
import org.entrepot.core.topology.Topology;
import org.entrepot.core.topology.VirtualHost;
import org.jspecify.annotations.Nullable;

/**
 * Where an exchange and a key lead, and what was looked at to find out. Immutable but for remembering which version of
 * the topology it was last found true of; any thread calls it.
 */
public final class Route {
    private final String virtualHost;
    private final boolean hostExists;
    private final boolean reusable;
    private final QueueNode[] queues;
    private final String[] exchangeNames;
    private final @Nullable Exchange[] exchanges;
    private final String[] impliedNames;
    private final @Nullable QueueNode[] implied;
    private volatile long validated;

    Route(
            String virtualHost,
            boolean hostExists,
            boolean reusable,
            QueueNode[] queues,
            String[] exchangeNames,
            @Nullable Exchange[] exchanges,
            String[] impliedNames,
            @Nullable QueueNode[] implied,
            long version) {
        this.virtualHost = virtualHost;
        this.hostExists = hostExists;
        this.reusable = reusable;
        this.queues = queues;
        this.exchangeNames = exchangeNames;
        this.exchanges = exchanges;
        this.impliedNames = impliedNames;
        this.implied = implied;
        this.validated = version;
    }

    /**
     * Whether the queues hold for every message with this exchange and key. Where not, there are none here, and each
     * message is routed for itself.
     */
    public boolean reusable() {
        return reusable;
    }

    /** How many queues there are. */
    public int size() {
        return queues.length;
    }

    /** A queue, of {@link #size}; as it was when the route was found, so its settings may be older than the topology's. */
    public QueueNode queue(int index) {
        return queues[index];
    }

    /** Whether the exchange published to is there. */
    public boolean exists() {
        return hostExists && (exchangeNames.length == 0 || exchanges[0] != null);
    }

    /** The exchange published to; null where it is not there, and for the default exchange. */
    public @Nullable Exchange exchange() {
        return exchangeNames.length == 0 ? null : exchanges[0];
    }

    /**
     * Whether the route holds in this topology: for free when it is the one that was asked about last, else by comparing
     * every exchange, and every queue found by its own name, with what is there now. Two threads may find out the same
     * at the same time.
     */
    public boolean current(Topology now) {
        long version = now.version();
        if (validated == version) {
            return true;
        }
        if (!holds(now.virtualHost(virtualHost))) {
            return false;
        }
        validated = version;
        return true;
    }

    private boolean holds(@Nullable VirtualHost host) {
        if (host == null) {
            return !hostExists;
        }
        if (!hostExists) {
            return false;
        }
        for (int i = 0; i < exchangeNames.length; i++) {
            if (host.exchange(exchangeNames[i]) != exchanges[i]) {
                return false;
            }
        }
        for (int i = 0; i < impliedNames.length; i++) {
            if (host.queue(impliedNames[i]) != implied[i]) {
                return false;
            }
        }
        return true;
    }
}
