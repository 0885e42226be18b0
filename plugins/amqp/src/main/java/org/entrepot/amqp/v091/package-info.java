/** AMQP 0-9-1: handshake, connection, channels, and what they make of the broker's session. */
@NullMarked
package org.entrepot.amqp.v091;

import org.jspecify.annotations.NullMarked;
