package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.PropertyNames;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a stored header, as objects: not for hot paths. Immutable.
 *
 * <p>What AMQP 0-9-1 has no property for, headers with names of their own carry: {@link #CORRELATION_ID_HEADER} and its
 * like, which {@link ConvertedHeader} writes and this reads again.
 */
public final class Properties {
    /** Holds a correlation id that is no short string. */
    static final String CORRELATION_ID_HEADER = "x-correlation-id";

    /** Holds the routing key of a topic that answers are to go to. */
    static final String REPLY_TO_TOPIC_HEADER = "x-reply-to-topic";

    /** True where the message is to be retained. */
    static final String RETAIN_HEADER = "x-retain";

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

    /** A property by the specification's name or one of {@link PropertyNames}, null where it is not set or not one. */
    public @Nullable Object property(String name) {
        return switch (name) {
            case PropertyNames.CORRELATION_ID -> {
                Object own = own(name);
                yield own == null ? correlationIdHeader() : own;
            }
            case PropertyNames.REPLY_TO_TOPIC -> replyToTopic();
            case PropertyNames.RETAIN -> headers().get(RETAIN_HEADER) instanceof Boolean retain ? retain : null;
            default -> own(name);
        };
    }

    private @Nullable Object correlationIdHeader() {
        Object value = headers().get(CORRELATION_ID_HEADER);
        return value instanceof String || value instanceof Bytes ? value : null;
    }

    private @Nullable String replyToTopic() {
        return headers().get(REPLY_TO_TOPIC_HEADER) instanceof String key ? key.replace('.', '/') : null;
    }

    private @Nullable Object own(String name) {
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
            case PropertyNames.CONTENT_TYPE -> PropertyScanner.CONTENT_TYPE;
            case PropertyNames.CONTENT_ENCODING -> PropertyScanner.CONTENT_ENCODING;
            case "delivery-mode" -> PropertyScanner.DELIVERY_MODE;
            case "priority" -> PropertyScanner.PRIORITY;
            case PropertyNames.CORRELATION_ID -> PropertyScanner.CORRELATION_ID;
            case PropertyNames.REPLY_TO -> PropertyScanner.REPLY_TO;
            case "expiration" -> PropertyScanner.EXPIRATION;
            case PropertyNames.MESSAGE_ID -> PropertyScanner.MESSAGE_ID;
            case PropertyNames.TIMESTAMP -> PropertyScanner.TIMESTAMP;
            case PropertyNames.TYPE -> PropertyScanner.TYPE;
            case PropertyNames.USER_ID -> PropertyScanner.USER_ID;
            case PropertyNames.APP_ID -> PropertyScanner.APP_ID;
            case PropertyNames.CLUSTER_ID -> PropertyScanner.CLUSTER_ID;
            default -> NONE;
        };
    }
}
