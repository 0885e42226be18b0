package org.entrepot.core.topology;

import java.util.Map;
import java.util.Optional;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueSpec;

/**
 * Understands what definitions say of queues and exchanges in a protocol's words, such as "x-message-ttl". The protocol
 * that has those words gives it; it may throw {@link org.entrepot.spi.BrokerException}.
 */
public interface QueueArguments {

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
