package org.entrepot.mqtt;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.PluginContext;
import org.entrepot.spi.protocol.Protocol;
import org.jspecify.annotations.Nullable;

/** The MQTT plugin. One instance a broker, used by the thread that starts and stops the broker. */
public final class MqttPlugin implements BrokerPlugin {
    private List<Protocol> protocols = List.of();
    private @Nullable MqttShared shared;

    @Override
    public List<ConfigurationKey> configuration() {
        return Stream.concat(
                        ConfigurationKey.listener(MqttProtocol.NAME, MqttProtocol.PORT, MqttProtocol.WEB_SOCKET)
                                .stream(),
                        MqttSettings.keys().stream())
                .toList();
    }

    @Override
    public void start(PluginContext context) {
        MqttShared made = new MqttShared(MqttSettings.of(context.settings()), context);
        shared = made;
        protocols = List.of(new MqttProtocol(made));
    }

    @Override
    public CompletionStage<Void> ready() {
        return Objects.requireNonNull(shared).open();
    }

    @Override
    public List<Protocol> protocols() {
        return protocols;
    }
}
