package org.entrepot.core.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.intercept.BrokerListener;
import org.entrepot.spi.intercept.DeliveryInterceptor;
import org.entrepot.spi.intercept.PublishInterceptor;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Authorizer;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.topology.DefinedArguments;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.ExchangeType;

/** What all started plugins bring together, in the order of the plugins. Immutable. */
record Extensions(
        List<Protocol> protocols,
        List<ExchangeType> exchangeTypes,
        List<DefinedArguments> definedArguments,
        List<StorageEngine> storageEngines,
        List<Authenticator> authenticators,
        List<Authorizer> authorizers,
        List<PublishInterceptor> publishInterceptors,
        List<DeliveryInterceptor> deliveryInterceptors,
        List<BrokerListener> listeners) {

    static Extensions of(List<BrokerPlugin> started) {
        return new Extensions(
                all(started, BrokerPlugin::protocols),
                all(started, BrokerPlugin::exchangeTypes),
                all(started, plugin -> plugin.definedArguments().stream().toList()),
                all(started, plugin -> plugin.storageEngine().stream().toList()),
                all(started, BrokerPlugin::authenticators),
                all(started, BrokerPlugin::authorizers),
                all(started, BrokerPlugin::publishInterceptors),
                all(started, BrokerPlugin::deliveryInterceptors),
                all(started, BrokerPlugin::listeners));
    }

    /** Exchanges that every virtual host has, for whatever protocol. */
    List<ExchangeSpec> standardExchanges() {
        return protocols.stream()
                .flatMap(protocol -> protocol.standardExchanges().stream())
                .distinct()
                .toList();
    }

    /** The formats of all protocols' messages, by name. */
    Map<String, MessageFormat> formats() {
        return protocols.stream()
                .map(Protocol::format)
                .collect(Collectors.toMap(MessageFormat::name, format -> format, (one, same) -> one));
    }

    private static <T> List<T> all(List<BrokerPlugin> plugins, Function<BrokerPlugin, List<T>> part) {
        List<T> all = new ArrayList<>();
        for (BrokerPlugin plugin : plugins) {
            all.addAll(part.apply(plugin));
        }
        return List.copyOf(all);
    }
}
