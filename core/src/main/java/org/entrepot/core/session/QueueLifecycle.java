package org.entrepot.core.session;

import org.entrepot.core.queue.Queues;
import org.entrepot.core.topology.QueueNode;
import org.entrepot.core.topology.QueueSettings;
import org.entrepot.core.topology.TopologyListener;
import org.entrepot.spi.topology.QueueSpec;

/** Makes, changes and ends this node's queues as the topology says. Called on the topology's loop. */
public final class QueueLifecycle implements TopologyListener {
    private final Queues queues;

    public QueueLifecycle(Queues queues) {
        this.queues = queues;
    }

    @Override
    public void queueAdded(QueueNode queue) {
        queues.add(
                queue.id(),
                queue.virtualHost(),
                effective(queue),
                queue.settings().durability());
    }

    @Override
    public void queueChanged(QueueNode queue) {
        queues.change(queue.id(), effective(queue), queue.settings().durability());
    }

    @Override
    public void queueRemoved(QueueNode queue) {
        queues.remove(queue.id(), "queue '" + queue.name() + "' in vhost '" + queue.virtualHost() + "' is deleted");
    }

    /** What was declared, with what policies add. */
    private static QueueSpec effective(QueueNode node) {
        QueueSpec spec = node.spec();
        QueueSettings settings = node.settings();
        return new QueueSpec(
                spec.name(),
                settings.durable(),
                spec.exclusive(),
                spec.autoDelete(),
                settings.replicated(),
                settings.limits(),
                settings.deadLetter(),
                settings.priorities(),
                settings.defaultPriority(),
                settings.singleActiveConsumer(),
                settings.deliveryLimit(),
                settings.leaseMillis(),
                spec.retention(),
                spec.extras());
    }
}
