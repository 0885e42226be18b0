package org.entrepot.spi.topology;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an exchange is asked to be. Immutable.
 *
 * @param name opaque; at most 1,024 bytes of UTF-8
 * @param type the name of an {@link ExchangeType}
 * @param durable whether it survives a restart
 * @param autoDelete whether it goes when the last binding from it does
 * @param internal whether clients may not publish to it, only other exchanges and dead-lettering
 * @param alternate the exchange that gets what this one routes nowhere; null for none
 * @param arguments what the client sent, for the exchange type to read; values as {@link
 *     org.entrepot.spi.message.MessageFormat} lists them
 */
public record ExchangeSpec(
        String name,
        String type,
        boolean durable,
        boolean autoDelete,
        boolean internal,
        @Nullable String alternate,
        Map<String, Object> arguments) {

    public ExchangeSpec {
        arguments = Map.copyOf(arguments);
    }

    /** An exchange without alternate and arguments that is neither internal nor deletes itself. */
    public static ExchangeSpec plain(String name, String type, boolean durable) {
        return new ExchangeSpec(name, type, durable, false, false, null, Map.of());
    }
}
