/** Who a client is and what it may do. */
@NullMarked
package org.entrepot.spi.security;

import org.jspecify.annotations.NullMarked;
