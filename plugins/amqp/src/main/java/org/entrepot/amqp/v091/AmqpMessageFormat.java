package org.entrepot.amqp.v091;

import java.util.Map;
import org.entrepot.amqp.v091.wire.Properties;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.jspecify.annotations.Nullable;

/**
 * Messages as AMQP 0-9-1 encodes them. Immutable. A header is the property flags and the properties of a content header
 * frame as they were received, without class, weight and size, and without BCC.
 */
public final class AmqpMessageFormat implements MessageFormat {

    @Override
    public String name() {
        return "amqp091";
    }

    @Override
    public Map<String, Object> headers(Bytes header) {
        return new Properties(header).headers();
    }

    /** By the names of the specification; numbers of one byte are {@link Long}. */
    @Override
    public @Nullable Object property(Bytes header, String name) {
        return new Properties(header).property(name);
    }
}
