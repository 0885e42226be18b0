package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.message.RoutingKey;

/**
 * Appends fields of tables to a buffer, in RabbitMQ's dialect. Belongs to one encoding. Texts of others, such as names of
 * queues from other protocols, are long strings and need no cutting.
 */
final class FieldWriter {
    private final ByteBuf out;
    private int depth;

    FieldWriter(ByteBuf out) {
        this.out = out;
    }

    /** Appends fields without a length before them. */
    void fields(Map<String, ?> values) {
        enter();
        values.forEach(this::field);
        depth--;
    }

    /** Appends a field. */
    void field(String key, Object value) {
        ShortString.write(out, key);
        value(value);
    }

    /** Begins a field that is a table or an array; gives what {@link #end} needs. */
    int begin(String key, FieldType type) {
        ShortString.write(out, key);
        return begin(type);
    }

    /** Begins an element that is a table or an array; gives what {@link #end} needs. */
    int begin(FieldType type) {
        out.writeByte(type.letter());
        out.writeInt(0);
        return out.writerIndex();
    }

    /** Ends a table or array: its length is known. */
    void end(int begin) {
        out.setInt(begin - 4, out.writerIndex() - begin);
    }

    void longString(String key, String value) {
        ShortString.write(out, key);
        text(value);
    }

    void longString(RoutingKey key) {
        out.writeByte(FieldType.LONG_STRING.letter());
        out.writeInt(key.length());
        key.writeTo(out);
    }

    void longNumber(String key, long value) {
        ShortString.write(out, key);
        out.writeByte(FieldType.LONG.letter());
        out.writeLong(value);
    }

    void timestamp(String key, long seconds) {
        ShortString.write(out, key);
        out.writeByte(FieldType.TIMESTAMP.letter());
        out.writeLong(seconds);
    }

    private void value(Object value) {
        if (value instanceof TypedValue typed) {
            typed(typed);
        } else if (value instanceof String text) {
            text(text);
        } else if (value instanceof Boolean flag) {
            out.writeByte(FieldType.BOOL.letter());
            out.writeBoolean(flag);
        } else if (value instanceof Integer number) {
            out.writeByte(FieldType.SIGNED_INT.letter());
            out.writeInt(number);
        } else if (value instanceof Long number) {
            out.writeByte(FieldType.LONG.letter());
            out.writeLong(number);
        } else if (value instanceof Double number) {
            out.writeByte(FieldType.DOUBLE.letter());
            out.writeDouble(number);
        } else if (value instanceof BigDecimal number) {
            decimal(number);
        } else if (value instanceof Bytes bytes) {
            out.writeByte(FieldType.BINARY.letter());
            bytes(bytes);
        } else if (value instanceof Instant instant) {
            out.writeByte(FieldType.TIMESTAMP.letter());
            out.writeLong(instant.getEpochSecond());
        } else if (value instanceof List<?> list) {
            int begin = begin(FieldType.ARRAY);
            enter();
            list.forEach(this::value);
            depth--;
            end(begin);
        } else if (value instanceof Map<?, ?> map) {
            int begin = begin(FieldType.TABLE);
            fields(keyed(map));
            end(begin);
        } else if (value == MessageFormat.Absent.VALUE) {
            out.writeByte(FieldType.VOID.letter());
        } else {
            throw new IllegalArgumentException(
                    "a field cannot hold a " + value.getClass().getName());
        }
    }

    private void typed(TypedValue typed) {
        Object value = typed.value();
        switch (typed.type()) {
            case BYTE, UNSIGNED_BYTE -> {
                out.writeByte(typed.type().letter());
                out.writeByte((int) whole(value));
            }
            case SHORT, UNSIGNED_SHORT -> {
                out.writeByte(typed.type().letter());
                out.writeShort((int) whole(value));
            }
            case SIGNED_INT, UNSIGNED_INT -> {
                out.writeByte(typed.type().letter());
                out.writeInt((int) whole(value));
            }
            case FLOAT -> {
                out.writeByte(typed.type().letter());
                out.writeFloat(((Number) value).floatValue());
            }
            case LONG_STRING -> {
                if (value instanceof Bytes bytes) {
                    out.writeByte(typed.type().letter());
                    bytes(bytes);
                } else {
                    text((String) value);
                }
            }
            case BOOL, LONG, DOUBLE, DECIMAL, BINARY, ARRAY, TABLE, TIMESTAMP, VOID -> value(value);
        }
    }

    private void text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        out.writeByte(FieldType.LONG_STRING.letter());
        out.writeInt(utf8.length);
        out.writeBytes(utf8);
    }

    private void bytes(Bytes bytes) {
        out.writeInt(bytes.length());
        bytes.writeTo(out);
    }

    /** A number that does not fit the wire's 32 bits and 255 places is written as text, which loses its type only. */
    private void decimal(BigDecimal number) {
        if (number.scale() < 0 || number.scale() > 255 || number.unscaledValue().bitLength() > 31) {
            text(number.toPlainString());
        } else {
            out.writeByte(FieldType.DECIMAL.letter());
            out.writeByte(number.scale());
            out.writeInt(number.unscaledValue().intValue());
        }
    }

    private void enter() {
        if (++depth > FieldTable.DEPTH_MAX) {
            throw new IllegalArgumentException("a table nests at most " + FieldTable.DEPTH_MAX + " deep");
        }
    }

    private static long whole(Object value) {
        return ((Number) value).longValue();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, ?> keyed(Map<?, ?> map) {
        return (Map<String, ?>) map;
    }
}
