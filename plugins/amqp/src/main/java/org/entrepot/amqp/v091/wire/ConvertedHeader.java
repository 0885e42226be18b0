package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.PropertyNames;
import org.entrepot.spi.message.RoutingKey;
import org.jspecify.annotations.Nullable;

/**
 * The header that a message of another format has for AMQP clients. Belongs to one conversion. docs/conversions.md is the
 * table that it follows.
 *
 * <p>Whatever the other protocol let through, what comes out is well formed and fits a frame of the client: a value that
 * has no place is left out, and nobody is told, because consumers are not to suffer from publishers.
 */
public final class ConvertedHeader {
    private static final int PERSISTENT = 2;
    private static final int TRANSIENT = 1;
    private static final int PRIORITY_MAX = 255;
    private static final int UNFIT = -1;

    /** Bytes that flags and properties may take, headers aside: what is left of a header belongs to the headers. */
    private static final int PROPERTY_BYTES_MAX = 2 + 9 * (1 + ShortString.BYTES_MAX) + 4 + 1 + 1 + 8 + 20;

    private final Message message;
    private final Envelope envelope;
    private final ByteBuf out = Unpooled.buffer();
    private final FieldWriter fields = new FieldWriter(out);
    private final Set<String> written = new HashSet<>();
    private int flags;
    private int tableEnd;
    private int elementsLeft = FieldTable.ELEMENTS_MAX;

    private ConvertedHeader(Message message, Envelope envelope) {
        this.message = message;
        this.envelope = envelope;
    }

    /**
     * The header, without what the broker has to say of deaths and returns, which {@link DeliveredHeader} adds.
     *
     * @param frameMax the client's largest frame, at least {@link Frames#FRAME_BYTES_MIN}: a header is not split
     */
    public static Bytes of(Message message, Envelope envelope, int frameMax) {
        return new ConvertedHeader(message, envelope)
                .written(frameMax - Frames.OVERHEAD_BYTES - HeaderCursor.FIXED_BYTES - PROPERTY_BYTES_MAX);
    }

    /** A key as AMQP clients write it: levels with dots between them, whatever was a dot within one. */
    public static RoutingKey dotted(RoutingKey key) {
        for (int i = 0, length = key.length(); i < length; i++) {
            if (key.at(i) == 0) {
                return RoutingKey.of(String.join(".", key.levels()));
            }
        }
        return key;
    }

    private Bytes written(int tableBytesMax) {
        Bytes correlationId = correlationId();
        boolean correlates = correlationId != null && isShortString(correlationId);
        out.writeShort(0);
        shortString(PropertyScanner.CONTENT_TYPE, ascii(text(PropertyNames.CONTENT_TYPE)));
        shortString(PropertyScanner.CONTENT_ENCODING, text(PropertyNames.CONTENT_ENCODING));
        headers(correlates ? null : correlationId, tableBytesMax);
        has(PropertyScanner.DELIVERY_MODE);
        out.writeByte(envelope.durable() ? PERSISTENT : TRANSIENT);
        if (envelope.priority() != Envelope.NO_PRIORITY) {
            has(PropertyScanner.PRIORITY);
            out.writeByte(Math.min(envelope.priority(), PRIORITY_MAX));
        }
        shortString(PropertyScanner.CORRELATION_ID, correlates ? correlationId : null);
        shortString(PropertyScanner.REPLY_TO, text(PropertyNames.REPLY_TO));
        if (envelope.ttlMillis() != Envelope.NO_TTL) {
            shortString(PropertyScanner.EXPIRATION, Bytes.utf8(Long.toString(envelope.ttlMillis())));
        }
        shortString(PropertyScanner.MESSAGE_ID, text(PropertyNames.MESSAGE_ID));
        if (property(PropertyNames.TIMESTAMP) instanceof Instant instant) {
            has(PropertyScanner.TIMESTAMP);
            out.writeLong(instant.getEpochSecond());
        }
        shortString(PropertyScanner.TYPE, text(PropertyNames.TYPE));
        shortString(PropertyScanner.USER_ID, text(PropertyNames.USER_ID));
        shortString(PropertyScanner.APP_ID, text(PropertyNames.APP_ID));
        shortString(PropertyScanner.CLUSTER_ID, text(PropertyNames.CLUSTER_ID));
        out.setShort(0, flags);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes).release();
        return Bytes.wrap(bytes);
    }

    private @Nullable Object property(String name) {
        return message.format().property(message.header(), name);
    }

    private @Nullable Bytes text(String name) {
        return property(name) instanceof String text ? Bytes.utf8(text) : null;
    }

    private @Nullable Bytes correlationId() {
        return property(PropertyNames.CORRELATION_ID) instanceof Bytes bytes
                ? bytes
                : text(PropertyNames.CORRELATION_ID);
    }

    private void has(int property) {
        flags |= 1 << property;
    }

    private void shortString(int property, @Nullable Bytes value) {
        if (value != null && isShortString(value)) {
            has(property);
            out.writeByte(value.length());
            value.writeTo(out);
        }
    }

    /** As in RabbitMQ, a short string is text without zero bytes. */
    private static boolean isShortString(Bytes bytes) {
        if (bytes.length() > ShortString.BYTES_MAX) {
            return false;
        }
        byte[] array = bytes.toArray();
        for (byte one : array) {
            if (one == 0) {
                return false;
            }
        }
        return FieldReader.text(array, 0, array.length) instanceof String;
    }

    private static @Nullable Bytes ascii(@Nullable Bytes text) {
        if (text == null) {
            return null;
        }
        for (int i = 0, length = text.length(); i < length; i++) {
            if (text.at(i) < 0) {
                return null;
            }
        }
        return text;
    }

    // ---- headers: those that stand for a property first, because the application's of the same names must not

    private void headers(@Nullable Bytes correlationId, int tableBytesMax) {
        Map<String, Object> given = message.format().headers(message.header());
        int start = out.writerIndex();
        out.writeInt(0);
        tableEnd = start + tableBytesMax;
        if (correlationId != null) {
            field(Properties.CORRELATION_ID_HEADER, new TypedValue(FieldType.LONG_STRING, correlationId));
        }
        if (property(PropertyNames.REPLY_TO_TOPIC) instanceof String topic) {
            field(Properties.REPLY_TO_TOPIC_HEADER, topic.replace('/', '.'));
        }
        if (Boolean.TRUE.equals(property(PropertyNames.RETAIN))) {
            field(Properties.RETAIN_HEADER, true);
        }
        if (!envelope.copies().isEmpty()) {
            field(
                    DeliveredHeader.COPIES,
                    envelope.copies().stream().map(ConvertedHeader::longString).toList());
        }
        given.forEach(this::field);
        int length = out.writerIndex() - start - 4;
        if (length == 0) {
            out.writerIndex(start);
        } else {
            has(PropertyScanner.HEADERS);
            out.setInt(start, length);
        }
    }

    private static TypedValue longString(RoutingKey key) {
        return new TypedValue(FieldType.LONG_STRING, dotted(key).bytes());
    }

    /** Writes a field, if it is one and still fits. */
    private void field(String name, Object value) {
        int elements = elements(name, value, 1);
        if (elements == UNFIT || elements > elementsLeft || written.contains(name)) {
            return;
        }
        int start = out.writerIndex();
        fields.field(name, value);
        if (out.writerIndex() > tableEnd) {
            out.writerIndex(start);
        } else {
            elementsLeft -= elements;
            written.add(name);
        }
    }

    private static int elements(String name, Object value, int depth) {
        return isShortString(Bytes.utf8(name)) ? elements(value, depth) : UNFIT;
    }

    /** How many elements a value counts for, or {@link #UNFIT}; it ends below the depth that tables may have. */
    private static int elements(Object value, int depth) {
        if (!(value instanceof List<?> || value instanceof Map<?, ?>)) {
            return 1;
        }
        if (depth == FieldTable.DEPTH_MAX) {
            return UNFIT;
        }
        int sum = 1;
        if (value instanceof List<?> list) {
            for (Object element : list) {
                int elements = elements(element, depth + 1);
                if (elements == UNFIT) {
                    return UNFIT;
                }
                sum += elements;
            }
        } else {
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                int elements = elements((String) entry.getKey(), entry.getValue(), depth + 1);
                if (elements == UNFIT) {
                    return UNFIT;
                }
                sum += elements;
            }
        }
        return sum;
    }
}
