package org.entrepot.core.topology;

/** Hears which queues there are. Called on the topology's loop. */
public interface TopologyListener {

    /** A queue is about to be seen: called before any snapshot that shows it can be read. */
    void queueAdded(QueueNode queue);

    /** A queue's settings changed: called after the snapshot that shows it can be read. */
    void queueChanged(QueueNode queue);

    /** A queue is gone: called after the snapshot without it can be read. */
    void queueRemoved(QueueNode queue);
}
