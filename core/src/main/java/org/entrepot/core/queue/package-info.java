/**
 * Queues. {@link org.entrepot.core.queue.QueueMachine} decides, {@link org.entrepot.core.queue.QueueState} is what
 * records change, {@link org.entrepot.core.queue.LocalQueue} does what the machine says: it owns the log, the loop and
 * the batches.
 */
@NullMarked
package org.entrepot.core.queue;

import org.jspecify.annotations.NullMarked;
