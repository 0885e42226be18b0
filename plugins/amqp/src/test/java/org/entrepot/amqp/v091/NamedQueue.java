package org.entrepot.amqp.v091;

import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.topology.QueueSpec;

/** A queue's handle for tests. */
record NamedQueue(long id, String name) implements QueueHandle {
    @Override
    public QueueSpec spec() {
        return QueueSpec.plain(name, false, false, false);
    }
}
