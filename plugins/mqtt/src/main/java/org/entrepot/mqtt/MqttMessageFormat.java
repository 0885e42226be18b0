package org.entrepot.mqtt;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.entrepot.mqtt.wire.StoredHeader;
import org.entrepot.mqtt.wire.StoredProperties;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.PropertyNames;
import org.jspecify.annotations.Nullable;

/** How messages that were published over MQTT are stored, see {@link StoredHeader}. Immutable; any thread may call it. */
public final class MqttMessageFormat implements MessageFormat {
    /** The header by which clients of other protocols see the publisher's client identifier. */
    static final String CLIENT_ID = "x-client-id";

    static final MqttMessageFormat INSTANCE = new MqttMessageFormat();

    private MqttMessageFormat() {}

    @Override
    public String name() {
        return "mqtt";
    }

    @Override
    public Map<String, Object> headers(Bytes header) {
        Map<String, Object> headers = new LinkedHashMap<>(new StoredProperties(header).user());
        String clientId = StoredHeader.clientId(header);
        if (!clientId.isEmpty()) {
            headers.putIfAbsent(CLIENT_ID, clientId);
        }
        return headers;
    }

    @Override
    public @Nullable Object property(Bytes header, String name) {
        return switch (name) {
            case PropertyNames.RETAIN -> StoredHeader.isRetain(header) ? Boolean.TRUE : null;
            case PropertyNames.CONTENT_TYPE -> new StoredProperties(header).contentType();
            case PropertyNames.REPLY_TO_TOPIC -> new StoredProperties(header).responseTopic();
            case PropertyNames.CORRELATION_ID -> correlationId(header);
            case PropertyNames.UTF8 -> Boolean.TRUE.equals(new StoredProperties(header).text()) ? Boolean.TRUE : null;
            default -> null;
        };
    }

    private static @Nullable Object correlationId(Bytes header) {
        Bytes data = new StoredProperties(header).correlationData();
        if (data == null) {
            return null;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(data.toArray()))
                    .toString();
        } catch (CharacterCodingException binary) {
            return data;
        }
    }
}
