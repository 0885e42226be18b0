/** Logs: where queues and everything else that lasts are kept. */
@NullMarked
package org.entrepot.spi.storage;

import org.jspecify.annotations.NullMarked;
