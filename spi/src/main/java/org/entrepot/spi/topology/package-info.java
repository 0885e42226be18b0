/** Specifications of exchanges, queues, bindings and policies; exchange types and their matchers. */
@NullMarked
package org.entrepot.spi.topology;

import org.jspecify.annotations.NullMarked;
