/** The Java clients that RabbitMQ users have, unchanged, against the product started from its distribution. */
@NullMarked
package org.entrepot.clients;

import org.jspecify.annotations.NullMarked;
