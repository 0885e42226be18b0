/** The Java clients that users of AMQP and MQTT have, unchanged, against the product started from its distribution. */
@NullMarked
package org.entrepot.clients;

import org.jspecify.annotations.NullMarked;
