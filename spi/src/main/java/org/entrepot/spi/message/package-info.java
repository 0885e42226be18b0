/** Messages and what the broker knows of them: formats, envelopes, annotations, routing keys. */
@NullMarked
package org.entrepot.spi.message;

import org.jspecify.annotations.NullMarked;
