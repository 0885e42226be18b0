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

    /** A message of so many bytes, its name included. */
    static Message of(String name, int bytes) {
        Bytes header = Bytes.utf8(name);
        return new Message(PLAIN, header, Bytes.wrap(new byte[Math.max(0, bytes - header.length())]));
    }

    static String name(Message message) {
        return message.header().toUtf8();
    }

    static Envelope envelope(boolean durable, int priority, long ttlMillis) {
        return new Envelope("", RoutingKey.of("key"), List.of(), List.of(), durable, priority, ttlMillis);
    }
}
