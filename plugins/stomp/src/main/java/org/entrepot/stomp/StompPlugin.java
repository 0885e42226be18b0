package org.entrepot.stomp;

import java.util.List;
import java.util.stream.Stream;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.PluginContext;
import org.entrepot.spi.protocol.Protocol;

/** The STOMP plugin. One instance a broker, used by the thread that starts and stops the broker. */
public final class StompPlugin implements BrokerPlugin {
    private List<Protocol> protocols = List.of();

    @Override
    public List<ConfigurationKey> configuration() {
        return Stream.concat(
                        ConfigurationKey.listener(StompProtocol.NAME, StompProtocol.PORT, StompProtocol.WEB_SOCKET)
                                .stream(),
                        StompSettings.keys().stream())
                .toList();
    }

    @Override
    public void start(PluginContext context) {
        protocols = List.of(new StompProtocol(StompSettings.of(context.settings())));
    }

    @Override
    public List<Protocol> protocols() {
        return protocols;
    }
}
