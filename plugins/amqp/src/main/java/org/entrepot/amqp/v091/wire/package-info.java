/** The bytes of AMQP 0-9-1: frames, methods, content headers, field tables. Knows no broker, no channel and no socket. */
@NullMarked
package org.entrepot.amqp.v091.wire;

import org.jspecify.annotations.NullMarked;
