package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.nio.charset.StandardCharsets;
import org.entrepot.mqtt.wire.Property;
import org.entrepot.mqtt.wire.PublishCursor;
import org.entrepot.mqtt.wire.StoredHeader;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;

/** Makes messages of publishes. Stateless. */
final class Messages {
    private static final long MILLIS_PER_SECOND = 1_000;

    private Messages() {}

    /** The message of a PUBLISH: header and payload in one array. */
    static Message of(PublishCursor cursor, ByteBuf buffer, byte[] clientId) {
        int headerLength = StoredHeader.length(clientId, cursor.storedPropertiesLength());
        int payloadLength = cursor.payloadLength();
        byte[] array = new byte[headerLength + payloadLength];
        int properties = StoredHeader.write(array, cursor.qos(), cursor.retain(), clientId);
        cursor.copyStoredProperties(array, properties);
        buffer.getBytes(cursor.payloadIndex(), array, headerLength, payloadLength);
        return new Message(
                MqttMessageFormat.INSTANCE,
                Bytes.wrap(array, 0, headerLength),
                Bytes.wrap(array, headerLength, payloadLength));
    }

    /** The message of a will or of the broker itself. */
    static Message of(int qos, boolean retain, String clientId, MqttProperties properties, byte[] payload) {
        byte[] id = clientId.getBytes(StandardCharsets.UTF_8);
        ByteBuf block = block(properties);
        byte[] header = new byte[StoredHeader.length(id, block.readableBytes())];
        int at = StoredHeader.write(header, qos, retain, id);
        block.readBytes(header, at, block.readableBytes());
        return new Message(MqttMessageFormat.INSTANCE, Bytes.wrap(header), Bytes.wrap(payload));
    }

    static Envelope envelope(String exchange, RoutingKey key, boolean durable, long expirySeconds) {
        long ttl = expirySeconds < 0 ? Envelope.NO_TTL : expirySeconds * MILLIS_PER_SECOND;
        return ttl == Envelope.NO_TTL
                ? Envelope.of(exchange, key, durable)
                : new Envelope(
                        exchange, key, java.util.List.of(), java.util.List.of(), durable, Envelope.NO_PRIORITY, ttl);
    }

    private static ByteBuf block(MqttProperties properties) {
        ByteBuf out = Unpooled.buffer(32);
        for (MqttProperties.MqttProperty<?> property : properties.listAll()) {
            switch (property.propertyId()) {
                case Property.PAYLOAD_FORMAT ->
                    out.writeByte(Property.PAYLOAD_FORMAT).writeByte((Integer) property.value());
                case Property.CONTENT_TYPE, Property.RESPONSE_TOPIC -> {
                    out.writeByte(property.propertyId());
                    string(out, (String) property.value());
                }
                case Property.CORRELATION_DATA -> {
                    byte[] data = (byte[]) property.value();
                    out.writeByte(Property.CORRELATION_DATA)
                            .writeShort(data.length)
                            .writeBytes(data);
                }
                case Property.USER_PROPERTY -> {
                    for (MqttProperties.StringPair pair : ((MqttProperties.UserProperties) property).value()) {
                        out.writeByte(Property.USER_PROPERTY);
                        string(out, pair.key);
                        string(out, pair.value);
                    }
                }
                default -> {}
            }
        }
        return out;
    }

    private static void string(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length).writeBytes(bytes);
    }
}
