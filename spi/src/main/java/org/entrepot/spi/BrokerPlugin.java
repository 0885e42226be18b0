package org.entrepot.spi;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.intercept.BrokerListener;
import org.entrepot.spi.intercept.DeliveryInterceptor;
import org.entrepot.spi.intercept.PublishInterceptor;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Authorizer;
import org.entrepot.spi.storage.StorageEngine;
import org.entrepot.spi.storage.StoreInspector;
import org.entrepot.spi.topology.DefinedArguments;
import org.entrepot.spi.topology.ExchangeType;

/**
 * A plugin: the table of contents of what it adds. Vendors implement it, name the class in {@code
 * META-INF/services/org.entrepot.spi.BrokerPlugin}, and override what they have; every method has a default of nothing.
 *
 * <p>One instance a broker. {@link #configuration} is called first, {@link #start} before any other method but {@link
 * #storeInspector}, {@link #stop} last; all from the thread that starts and stops the broker, one after the other. An exception from any of them stops
 * start-up with the plugin's name and the exception's text.
 */
public interface BrokerPlugin {

    /** The configuration keys the plugin reads, each beginning with the plugin's id and a dot, or {@code listener.}. */
    default List<ConfigurationKey> configuration() {
        return List.of();
    }

    /** Gives the plugin what it may use. */
    default void start(PluginContext context) {}

    /** Wire protocols, each of which gets listeners. */
    default List<Protocol> protocols() {
        return List.of();
    }

    /** Types of exchange, besides the built-in ones. */
    default List<ExchangeType> exchangeTypes() {
        return List.of();
    }

    /** What reads queues and exchanges of imported definitions, where the plugin's protocol has the words for them. */
    default Optional<DefinedArguments> definedArguments() {
        return Optional.empty();
    }

    /** Where queues and topology are kept; chosen by name with the key {@code storage.engine}. */
    default Optional<StorageEngine> storageEngine() {
        return Optional.empty();
    }

    /**
     * What looks into stores of the plugin's engine for {@code entrepot store}. Called on a plugin that was not started, and
     * is not going to be.
     */
    default Optional<StoreInspector> storeInspector() {
        return Optional.empty();
    }

    /** Ways to log in, besides the built-in users; asked in the order of the key {@code security.authenticators}. */
    default List<Authenticator> authenticators() {
        return List.of();
    }

    /** Ways to decide what is allowed; all that the key {@code security.authorizers} names must agree. */
    default List<Authorizer> authorizers() {
        return List.of();
    }

    default List<PublishInterceptor> publishInterceptors() {
        return List.of();
    }

    default List<DeliveryInterceptor> deliveryInterceptors() {
        return List.of();
    }

    default List<BrokerListener> listeners() {
        return List.of();
    }

    /**
     * Storage, topology and queues are open, and no client can connect yet: from here on {@link PluginContext#broker} can be
     * used. What takes its time is not waited for here, but by {@link #ready}. Called on every plugin before {@code ready} is
     * called on any.
     */
    default void started() {}

    /**
     * Completes, on any thread, when the plugin can serve: no listener is opened before that. Called once, after {@link
     * #started}. Where it fails, or takes longer than five minutes, the broker does not start.
     */
    default CompletionStage<Void> ready() {
        return CompletableFuture.completedFuture(null);
    }

    /** Ends what {@link #start} began: threads, files, connections. All client connections are closed by then. */
    default void stop() {}
}
