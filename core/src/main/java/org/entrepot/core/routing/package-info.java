/** Which queues a message goes to, and the built-in types of exchange. */
@NullMarked
package org.entrepot.core.routing;

import org.jspecify.annotations.NullMarked;
