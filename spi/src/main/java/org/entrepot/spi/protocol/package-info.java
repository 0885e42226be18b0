/** What a wire protocol implements and the connection that it is given. */
@NullMarked
package org.entrepot.spi.protocol;

import org.jspecify.annotations.NullMarked;
