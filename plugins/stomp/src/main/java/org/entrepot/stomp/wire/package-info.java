/** Bytes of STOMP: frames cut from what a socket brings, and frames written. Knows no session and no broker. */
@NullMarked
package org.entrepot.stomp.wire;

import org.jspecify.annotations.NullMarked;
