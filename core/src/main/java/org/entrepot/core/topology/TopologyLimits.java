package org.entrepot.core.topology;

/**
 * How much the topology may hold, as the broker is configured. Immutable.
 *
 * @param virtualHosts most virtual hosts
 * @param users most users
 * @param exchanges most exchanges of one virtual host, standard ones included
 * @param queues most queues of one virtual host
 * @param bindings most bindings of one virtual host
 * @param policies most policies of one virtual host, operators' included
 */
public record TopologyLimits(int virtualHosts, int users, int exchanges, int queues, int bindings, int policies) {
    public static final TopologyLimits DEFAULT = new TopologyLimits(1_000, 100_000, 50_000, 500_000, 2_000_000, 1_000);

    public TopologyLimits {
        if (virtualHosts < 0 || users < 0 || exchanges < 0 || queues < 0 || bindings < 0 || policies < 0) {
            throw new IllegalArgumentException("a limit is negative");
        }
    }
}
