package org.entrepot.mqtt;

import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;

/**
 * What is published for a client that goes without a goodbye (specification 3.1.2.5). Immutable.
 *
 * @param key the topic
 * @param qos its QoS
 * @param retain whether it is retained
 * @param expirySeconds after which it expires, negative for never
 * @param delaySeconds how long after the connection it is published, unless the session ends before or is resumed
 */
record Will(RoutingKey key, Message message, int qos, boolean retain, long expirySeconds, long delaySeconds) {}
