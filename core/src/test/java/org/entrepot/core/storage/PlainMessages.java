package org.entrepot.core.storage;

import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;

/** Messages of which nothing but their text matters. */
public final class PlainMessages {
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

    private PlainMessages() {}

    public static Message of(String text) {
        return new Message(PLAIN, Bytes.utf8(""), Bytes.utf8(text));
    }
}
