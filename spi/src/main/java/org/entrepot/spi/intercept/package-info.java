/** Interceptors of publishing and delivery, and listeners to the broker's events. */
@NullMarked
package org.entrepot.spi.intercept;

import org.jspecify.annotations.NullMarked;
