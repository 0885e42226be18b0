package org.entrepot.spi.intercept;

import java.util.Optional;
import org.entrepot.spi.protocol.ConnectionFacts;

/**
 * Hears what happens in the broker. Vendors implement it; called on any loop, must not block; an exception is logged
 * with the plugin's name and ends nothing.
 */
public interface BrokerListener {

    default void event(BrokerEvent event) {}

    /** Something that happened. Immutable. */
    sealed interface BrokerEvent {
        record ConnectionOpened(long id, ConnectionFacts facts) implements BrokerEvent {}

        record LoggedIn(long connection, String user) implements BrokerEvent {}

        record LoginRefused(ConnectionFacts facts, String reason) implements BrokerEvent {}

        record ConnectionClosed(long id, ConnectionFacts facts, Optional<String> user) implements BrokerEvent {}

        record QueueDeclared(String virtualHost, String queue) implements BrokerEvent {}

        record QueueDeleted(String virtualHost, String queue) implements BrokerEvent {}

        record AlarmRaised(String name, String reason) implements BrokerEvent {}

        record AlarmCleared(String name) implements BrokerEvent {}
    }
}
