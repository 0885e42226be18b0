package org.entrepot.spi.topology;

import java.util.Map;
import org.entrepot.spi.message.RoutingKey;

/**
 * That an exchange hands on to a queue or another exchange what matches. Immutable; two bindings with equal fields are
 * one binding.
 *
 * @param source the exchange that is published to
 * @param destination what gets the message
 * @param key the pattern, in the words of the exchange's type
 * @param arguments further conditions, for the exchange type to read; values as {@link
 *     org.entrepot.spi.message.MessageFormat} lists them
 */
public record BindingSpec(String source, Destination destination, RoutingKey key, Map<String, Object> arguments) {

    public BindingSpec {
        arguments = Map.copyOf(arguments);
    }

    /** A queue or an exchange by name. */
    public record Destination(Kind kind, String name) {
        /** Which of the two. */
        public enum Kind {
            QUEUE,
            EXCHANGE
        }

        public static Destination queue(String name) {
            return new Destination(Kind.QUEUE, name);
        }

        public static Destination exchange(String name) {
            return new Destination(Kind.EXCHANGE, name);
        }
    }
}
