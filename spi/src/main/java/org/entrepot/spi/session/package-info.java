/** One client's view of a virtual host: publishing, consuming, settling, changing the topology. */
@NullMarked
package org.entrepot.spi.session;

import org.jspecify.annotations.NullMarked;
