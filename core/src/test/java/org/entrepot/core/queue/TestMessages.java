package org.entrepot.core.queue;

import java.util.List;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.RoutingKey;

/** Messages for tests: the header is a name, the body as long as is asked for. */
final class TestMessages {
    private static final MessageFormat PLAIN = new MessageFormat() {
        @Override
        public String name() {
            return "plain";
        }

        @Override
        public Map<String, Object> headers(Bytes header) {
            return Map.of();
        }

        @Override
        public Object property(Bytes header, String name) {
            return null;
        }
    };

    private TestMessages() {}

    /** A message whose body has so many bytes. */
    static Message of(String name, int bytes) {
        return new Message(PLAIN, Bytes.utf8(name), Bytes.wrap(new byte[bytes]));
    }

    static String name(Message message) {
        return message.header().toUtf8();
    }

    static Envelope envelope(boolean durable, int priority, long ttlMillis) {
        return envelope("key", durable, priority, ttlMillis);
    }

    static Envelope envelope(String key, boolean durable, int priority, long ttlMillis) {
        return new Envelope("", RoutingKey.of(key), List.of(), List.of(), durable, priority, ttlMillis);
    }
}
