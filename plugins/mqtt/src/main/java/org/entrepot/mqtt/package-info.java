/** MQTT 3.1, 3.1.1 and 5: connections, sessions and what they have in the broker. */
@NullMarked
package org.entrepot.mqtt;

import org.jspecify.annotations.NullMarked;
