package org.entrepot.amqp.v091;

import org.entrepot.spi.session.QueueHandle;

/** A queue's handle for tests. */
record NamedQueue(long id, String name) implements QueueHandle {}
