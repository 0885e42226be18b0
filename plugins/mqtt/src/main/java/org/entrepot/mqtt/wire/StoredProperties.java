package org.entrepot.mqtt.wire;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/** The properties of a stored header, as objects: not for hot paths. Immutable. */
public final class StoredProperties {
    private @Nullable Boolean text;
    private @Nullable String contentType;
    private @Nullable String responseTopic;
    private @Nullable Bytes correlationData;
    private final Map<String, Object> user = new LinkedHashMap<>();

    /** Reads a header that {@link StoredHeader} describes. */
    public StoredProperties(Bytes header) {
        byte[] bytes = header.toArray();
        int at = StoredHeader.propertiesIndex(header);
        while (at < bytes.length) {
            int id = bytes[at++];
            switch (id) {
                case Property.PAYLOAD_FORMAT -> text = bytes[at++] == 1;
                case Property.CONTENT_TYPE -> {
                    contentType = text(bytes, at);
                    at = next(bytes, at);
                }
                case Property.RESPONSE_TOPIC -> {
                    responseTopic = text(bytes, at);
                    at = next(bytes, at);
                }
                case Property.CORRELATION_DATA -> {
                    correlationData = Bytes.wrap(bytes, at + 2, next(bytes, at) - at - 2);
                    at = next(bytes, at);
                }
                case Property.USER_PROPERTY -> {
                    int value = next(bytes, at);
                    user.putIfAbsent(text(bytes, at), text(bytes, value));
                    at = next(bytes, value);
                }
                default -> throw new IllegalArgumentException("a stored header with property " + id);
            }
        }
    }

    private static int next(byte[] bytes, int at) {
        return at + 2 + (((bytes[at] & 0xFF) << 8) | (bytes[at + 1] & 0xFF));
    }

    private static String text(byte[] bytes, int at) {
        return new String(bytes, at + 2, next(bytes, at) - at - 2, StandardCharsets.UTF_8);
    }

    /** Whether the payload is declared to be text; null where nothing is said. */
    public @Nullable Boolean text() {
        return text;
    }

    public @Nullable String contentType() {
        return contentType;
    }

    public @Nullable String responseTopic() {
        return responseTopic;
    }

    public @Nullable Bytes correlationData() {
        return correlationData;
    }

    /** User properties in their order, of equal names the first. */
    public Map<String, Object> user() {
        return user;
    }
}
