package org.entrepot.core.routing;

import java.util.LinkedHashSet;
import java.util.List;
import org.entrepot.core.topology.Topology;
import org.entrepot.core.topology.VirtualHost;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;

/**
 * Finds the queues that a message goes to: through the bindings of its exchange and of the exchanges bound to that, and
 * through alternate exchanges where an exchange matches nothing. Immutable; any thread calls it.
 *
 * <p>The default exchange "" is no object: every queue is bound to it by its own name.
 */
public final class Router {

    /**
     * Finds where a key leads, without a message.
     *
     * @return complete where {@link Route#reusable}; else some exchange on the way looks into messages, and each has to
     *     be routed for itself
     */
    public Route route(Topology topology, String virtualHost, String exchange, RoutingKey key) {
        VirtualHost host = topology.virtualHost(virtualHost);
        Walk walk = new Walk(host, List.of(key), null);
        walk.from(exchange);
        return walk.route(topology.version(), virtualHost);
    }

    /**
     * Finds the queues of one message.
     *
     * @param copies further keys to route by
     * @param blindCopies further keys to route by
     */
    public void route(
            Topology topology,
            String virtualHost,
            String exchange,
            RoutingKey key,
            List<RoutingKey> copies,
            List<RoutingKey> blindCopies,
            Message message,
            RouteTarget target) {
        VirtualHost host = topology.virtualHost(virtualHost);
        Walk walk = new Walk(host, keys(key, copies, blindCopies), message);
        walk.from(exchange);
        walk.report(target);
    }

    private static List<RoutingKey> keys(RoutingKey key, List<RoutingKey> copies, List<RoutingKey> blindCopies) {
        if (copies.isEmpty() && blindCopies.isEmpty()) {
            return List.of(key);
        }
        LinkedHashSet<RoutingKey> keys = new LinkedHashSet<>();
        keys.add(key);
        keys.addAll(copies);
        keys.addAll(blindCopies);
        return List.copyOf(keys);
    }
}
