package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.entrepot.mqtt.wire.Property;
import org.entrepot.mqtt.wire.Utf8;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.PropertyNames;
import org.jspecify.annotations.Nullable;

/** The properties of MQTT 5 of a message that another protocol published (docs/conversions.md). Stateless. */
final class ConvertedProperties {
    private static final int STRING_BYTES_MAX = 0xFFFF;

    /** Bytes of user properties; what is beyond is left out, for clients must be able to take the packet. */
    private static final int USER_BYTES_MAX = 64 << 10;

    private ConvertedProperties() {}

    /** The properties, without their length. */
    static Bytes of(Message message) {
        MessageFormat format = message.format();
        Bytes header = message.header();
        ByteBuf out = Unpooled.buffer(64);
        if (Boolean.TRUE.equals(format.property(header, PropertyNames.UTF8))) {
            out.writeByte(Property.PAYLOAD_FORMAT).writeByte(1);
        }
        string(out, Property.CONTENT_TYPE, format.property(header, PropertyNames.CONTENT_TYPE));
        Object topic = format.property(header, PropertyNames.REPLY_TO_TOPIC);
        if (topic instanceof String text && text.indexOf('+') < 0 && text.indexOf('#') < 0 && !text.isEmpty()) {
            string(out, Property.RESPONSE_TOPIC, text);
        }
        correlation(out, format.property(header, PropertyNames.CORRELATION_ID));
        for (Map.Entry<String, Object> each : format.headers(header).entrySet()) {
            String value = text(each.getValue());
            if (value != null && out.readableBytes() < USER_BYTES_MAX) {
                pair(out, each.getKey(), value);
            }
        }
        return out.isReadable() ? Bytes.copyOf(out, 0, out.readableBytes()) : Bytes.EMPTY;
    }

    /** A header's value as text; null where it is of more than one part. */
    private static @Nullable String text(@Nullable Object value) {
        if (value instanceof String
                || value instanceof Long
                || value instanceof Double
                || value instanceof Boolean
                || value instanceof BigDecimal
                || value instanceof java.time.Instant) {
            return value.toString();
        }
        return null;
    }

    private static void correlation(ByteBuf out, @Nullable Object value) {
        byte[] data = value instanceof String text
                ? text.getBytes(StandardCharsets.UTF_8)
                : value instanceof Bytes bytes ? bytes.toArray() : null;
        if (data != null && data.length <= STRING_BYTES_MAX) {
            out.writeByte(Property.CORRELATION_DATA).writeShort(data.length).writeBytes(data);
        }
    }

    private static void string(ByteBuf out, int id, @Nullable Object value) {
        if (value instanceof String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (isString(bytes)) {
                out.writeByte(id).writeShort(bytes.length).writeBytes(bytes);
            }
        }
    }

    private static void pair(ByteBuf out, String name, String value) {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] valueBytes = value.getBytes(StandardCharsets.UTF_8);
        if (isString(nameBytes) && isString(valueBytes)) {
            out.writeByte(Property.USER_PROPERTY);
            out.writeShort(nameBytes.length).writeBytes(nameBytes);
            out.writeShort(valueBytes.length).writeBytes(valueBytes);
        }
    }

    private static boolean isString(byte[] bytes) {
        return bytes.length <= STRING_BYTES_MAX && Utf8.isValid(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    }
}
