package org.entrepot.spi.topology;

import java.util.Map;
import java.util.Optional;

/**
 * Understands what imported definitions say of queues and exchanges in a protocol's words, such as "x-message-ttl". Vendors
 * implement it, in the plugin whose protocol has those words; called by the thread that starts the broker. May throw
 * {@link org.entrepot.spi.BrokerException} with what is wrong.
 */
public interface DefinedArguments {

    /**
     * What a queue of these properties is to be.
     *
     * @param defaultType the type of queues of the virtual host that are declared without one
     * @param arguments values as {@link org.entrepot.spi.message.MessageFormat} lists them
     */
    QueueSpec queue(
            String virtualHost,
            Optional<String> defaultType,
            String name,
            boolean durable,
            boolean autoDelete,
            boolean exclusive,
            Map<String, Object> arguments);

    /** What an exchange of these properties is to be. */
    ExchangeSpec exchange(
            String virtualHost,
            String name,
            String type,
            boolean durable,
            boolean autoDelete,
            boolean internal,
            Map<String, Object> arguments);
}
