package org.entrepot.core.routing;

import org.entrepot.core.topology.QueueNode;

/** Takes the queues that a message goes to, each once. */
@FunctionalInterface
public interface RouteTarget {
    void add(QueueNode queue);
}
