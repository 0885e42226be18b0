package org.entrepot.amqp.v091;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.spi.topology.DefinedArguments;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueSpec;

/** Reads queues and exchanges of RabbitMQ's definitions as if they were declared over AMQP 0-9-1. Immutable. */
public record RabbitDefinitions(AmqpSettings settings) implements DefinedArguments {

    @Override
    public QueueSpec queue(
            String virtualHost,
            Optional<String> defaultType,
            String name,
            boolean durable,
            boolean autoDelete,
            boolean exclusive,
            Map<String, Object> arguments) {
        Map<String, Object> full = new LinkedHashMap<>(arguments);
        defaultType.ifPresent(type -> full.putIfAbsent(QueueArguments.TYPE, type));
        return QueueArguments.spec(
                virtualHost,
                name,
                durable,
                exclusive,
                autoDelete,
                FieldTable.of(full),
                settings.consumerTimeoutMillis());
    }

    @Override
    public ExchangeSpec exchange(
            String virtualHost,
            String name,
            String type,
            boolean durable,
            boolean autoDelete,
            boolean internal,
            Map<String, Object> arguments) {
        return ExchangeArguments.spec(virtualHost, name, type, durable, autoDelete, internal, FieldTable.of(arguments));
    }
}
