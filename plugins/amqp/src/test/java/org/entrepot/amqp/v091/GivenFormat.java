package org.entrepot.amqp.v091;

import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;

/** A format of another protocol, which answers what a test gives. Immutable. */
public record GivenFormat(Map<String, Object> headers, Map<String, Object> properties) implements MessageFormat {

    /** A message of such a format. */
    public static Message message(Map<String, Object> headers, Map<String, Object> properties, Bytes body) {
        return new Message(new GivenFormat(headers, properties), Bytes.EMPTY, body);
    }

    @Override
    public String name() {
        return "given";
    }

    @Override
    public Map<String, Object> headers(Bytes header) {
        return headers;
    }

    @Override
    public Object property(Bytes header, String name) {
        return properties.get(name);
    }
}
