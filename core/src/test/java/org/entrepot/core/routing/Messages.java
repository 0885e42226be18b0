package org.entrepot.core.routing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.Matcher;
import org.jspecify.annotations.Nullable;

/** Messages whose headers and properties are given in so many words. */
final class Messages {
    static final Message PLAIN = with(Map.of());

    private Messages() {}

    static Message with(Map<String, Object> headers) {
        return with(headers, Map.of());
    }

    static Message with(Map<String, Object> headers, Map<String, Object> properties) {
        return new Message(new Given(headers, properties), Bytes.EMPTY, Bytes.EMPTY);
    }

    /** The names of what the bindings that match lead to, sorted, as often as they are reported. */
    static List<String> matched(Matcher matcher, RoutingKey key, Message message) {
        List<String> names = new ArrayList<>();
        matcher.match(key, message, binding -> names.add(binding.destination().name()));
        Collections.sort(names);
        return names;
    }

    private record Given(Map<String, Object> headers, Map<String, Object> properties) implements MessageFormat {
        @Override
        public String name() {
            return "given";
        }

        @Override
        public Map<String, Object> headers(Bytes header) {
            return headers;
        }

        @Override
        public @Nullable Object property(Bytes header, String name) {
            return properties.get(name);
        }
    }
}
