package org.entrepot.amqp;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.entrepot.amqp.v091.AmqpSettings;
import org.entrepot.amqp.v091.RabbitDefinitions;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.PluginContext;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.topology.DefinedArguments;

/** The AMQP plugin. One instance a broker, used by the thread that starts and stops the broker. */
public final class AmqpPlugin implements BrokerPlugin {
    private List<Protocol> protocols = List.of();
    private Optional<DefinedArguments> definitions = Optional.empty();

    @Override
    public List<ConfigurationKey> configuration() {
        return Stream.concat(
                        ConfigurationKey.listener(AmqpProtocol.NAME, AmqpProtocol.PORT).stream(),
                        AmqpSettings.keys().stream())
                .toList();
    }

    @Override
    public void start(PluginContext context) {
        AmqpSettings settings = AmqpSettings.of(context.settings(), context.identity());
        protocols = List.of(new AmqpProtocol(settings));
        definitions = Optional.of(new RabbitDefinitions(settings));
    }

    @Override
    public Optional<DefinedArguments> definedArguments() {
        return definitions;
    }

    @Override
    public List<Protocol> protocols() {
        return protocols;
    }
}
