/** The AMQP plugin: one port for all versions, told apart by the protocol header. */
@NullMarked
package org.entrepot.amqp;

import org.jspecify.annotations.NullMarked;
