package org.entrepot.core.routing;

import java.util.Map;
import java.util.regex.Pattern;
import org.entrepot.core.routing.ConsistentHashMatcher.HashSource;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.ExchangeType;
import org.entrepot.spi.topology.Matcher;

/** The type of exchange that spreads messages by a consistent hash; keys of bindings are weights. Immutable. */
final class ConsistentHashType implements ExchangeType {
    private static final int WEIGHT_MAX = 10_000;
    private static final String HEADER = "hash-header";
    private static final String PROPERTY = "hash-property";

    /** The properties that may be hashed, and their names in formats. */
    private static final Map<String, String> PROPERTIES =
            Map.of("correlation_id", "correlation-id", "message_id", "message-id", "timestamp", "timestamp");

    /** Digits, with a sign, that surely fit in a long. */
    private static final int DIGITS_MAX = 18;

    private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?[0-9]+");

    @Override
    public String name() {
        return "x-consistent-hash";
    }

    @Override
    public void check(ExchangeSpec exchange) {
        source(exchange.arguments());
    }

    @Override
    public void check(BindingSpec binding) {
        weight(binding.key());
    }

    @Override
    public Matcher matcher(ExchangeSpec exchange) {
        return new ConsistentHashMatcher(source(exchange.arguments()));
    }

    /** The weight that a binding's key spells; throws PRECONDITION_FAILED where it is none. */
    static int weight(RoutingKey key) {
        String text = key.toString();
        if (!WHOLE_NUMBER.matcher(text).matches()) {
            throw refused("The binding key must be an integer: " + (text.isEmpty() ? "<<>>" : "<<\"" + text + "\">>"));
        }
        boolean negative = text.startsWith("-");
        long weight = text.length() > DIGITS_MAX ? (negative ? -1 : Long.MAX_VALUE) : Long.parseLong(text);
        if (weight < 1) {
            throw refused("The binding key must be greater than 0");
        }
        if (weight > WEIGHT_MAX) {
            throw refused("The binding key must not exceed " + WEIGHT_MAX);
        }
        return (int) weight;
    }

    private static HashSource source(Map<String, Object> arguments) {
        Object header = arguments.get(HEADER);
        Object property = arguments.get(PROPERTY);
        if (header != null && property != null) {
            throw refused("hash-header and hash-property are mutually exclusive");
        }
        if (header != null) {
            if (header instanceof String name) {
                return new ConsistentHashMatcher.Header(name);
            }
            throw refused("hash-header must be a text");
        }
        if (property != null) {
            String name = property instanceof String word ? PROPERTIES.get(word) : null;
            if (name == null) {
                throw refused("Unsupported property: " + property);
            }
            return new ConsistentHashMatcher.Property(name);
        }
        return new ConsistentHashMatcher.Key();
    }

    private static BrokerException refused(String text) {
        return BrokerException.session(ErrorKind.PRECONDITION_FAILED, text);
    }
}
