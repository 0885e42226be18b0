package org.entrepot.amqp.v091;

import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.FieldType;
import org.entrepot.amqp.v091.wire.TypedValue;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.topology.ExchangeSpec;

/** The arguments of exchange.declare: checked as RabbitMQ checks them, and turned into the broker's words. */
public final class ExchangeArguments {
    static final String ALTERNATE = "alternate-exchange";

    private ExchangeArguments() {}

    /**
     * What an exchange is asked to be.
     *
     * @throws BrokerException with RabbitMQ's words for what is wrong
     */
    public static ExchangeSpec spec(
            String virtualHost,
            String exchange,
            String type,
            boolean durable,
            boolean autoDelete,
            boolean internal,
            FieldTable arguments) {
        TypedValue alternate = arguments.get(ALTERNATE);
        if (alternate != null && alternate.type() != FieldType.LONG_STRING) {
            throw AmqpChannel.preconditionFailed(
                    "invalid type '" + alternate.type().label() + "' for arg '" + ALTERNATE + "' in "
                            + Names.exchange(virtualHost, exchange));
        }
        return new ExchangeSpec(
                exchange,
                type,
                durable,
                autoDelete,
                internal,
                alternate == null ? null : ErlangTerms.plain(alternate.value()),
                arguments.values());
    }
}
