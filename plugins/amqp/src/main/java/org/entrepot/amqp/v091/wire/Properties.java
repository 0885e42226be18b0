package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/** The properties of a stored header, as objects: not for hot paths. Immutable. */
public final class Properties {
    private static final int NONE = -1;

    private final byte[] array;
    private final ByteBuf buffer;
    private final PropertyScanner scanner = new PropertyScanner();

    /** Reads the header of a {@link org.entrepot.spi.message.Message} of this format. */
    public Properties(Bytes header) {
        this.array = header.toArray();
        this.buffer = Unpooled.wrappedBuffer(array);
        scanner.scan(buffer, 0, array.length, null);
    }

    /** The headers table as {@link FieldTable#values} gives it; empty where there is none. */
    public Map<String, Object> headers() {
        if (!scanner.has(PropertyScanner.HEADERS)) {
            return Map.of();
        }
        int start = scanner.start(PropertyScanner.HEADERS) + 4;
        return new FieldReader(array, start, scanner.end(PropertyScanner.HEADERS) - start).values();
    }

    /** A property by the specification's name, null where it is not set or not one. */
    public @Nullable Object property(String name) {
        int property = numberOf(name);
        if (property == NONE || !scanner.has(property)) {
            return null;
        }
        int start = scanner.start(property);
        return switch (property) {
            case PropertyScanner.DELIVERY_MODE, PropertyScanner.PRIORITY -> (long) (array[start] & 0xFF);
            case PropertyScanner.TIMESTAMP -> FieldReader.instant(buffer.getLong(start));
            default -> FieldReader.text(array, start + 1, array[start] & 0xFF);
        };
    }

    private static int numberOf(String name) {
        return switch (name) {
            case "content-type" -> PropertyScanner.CONTENT_TYPE;
            case "content-encoding" -> PropertyScanner.CONTENT_ENCODING;
            case "delivery-mode" -> PropertyScanner.DELIVERY_MODE;
            case "priority" -> PropertyScanner.PRIORITY;
            case "correlation-id" -> PropertyScanner.CORRELATION_ID;
            case "reply-to" -> PropertyScanner.REPLY_TO;
            case "expiration" -> PropertyScanner.EXPIRATION;
            case "message-id" -> PropertyScanner.MESSAGE_ID;
            case "timestamp" -> PropertyScanner.TIMESTAMP;
            case "type" -> PropertyScanner.TYPE;
            case "user-id" -> PropertyScanner.USER_ID;
            case "app-id" -> PropertyScanner.APP_ID;
            case "cluster-id" -> PropertyScanner.CLUSTER_ID;
            default -> NONE;
        };
    }
}
