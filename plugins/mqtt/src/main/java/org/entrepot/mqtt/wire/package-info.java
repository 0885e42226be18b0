/** MQTT on the wire: what is read and written often, in place. */
@NullMarked
package org.entrepot.mqtt.wire;

import org.jspecify.annotations.NullMarked;
