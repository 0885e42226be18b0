package org.entrepot.amqp.v091;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.amqp.v091.wire.FieldType;
import org.entrepot.amqp.v091.wire.TypedValue;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A queue's arguments as the broker keeps them, opaque to it, for later declarations to be compared with. Values are
 * canonical, so that they can be stored and shown; the types that numbers had on the wire, which texts name, stand
 * beside them.
 */
final class ArgumentExtras {

    /** Where types stand: a map of argument to letter, for numbers that were not sent as 'l'. */
    private static final String TYPES = "amqp091-types";

    private ArgumentExtras() {}

    /** The type is always among them, because a declaration that names it equals one that does not. */
    static Map<String, Object> of(Map<String, TypedValue> arguments, QueueType type) {
        Map<String, Object> extras = new HashMap<>();
        Map<String, Object> types = new HashMap<>();
        arguments.forEach((name, field) -> {
            extras.put(name, field.value());
            if (field.type().isInteger() && field.type() != FieldType.LONG) {
                types.put(name, String.valueOf(field.type().letter()));
            }
        });
        extras.put(QueueArguments.TYPE, type.typeName());
        extras.remove(TYPES);
        if (!types.isEmpty()) {
            extras.put(TYPES, Map.copyOf(types));
        }
        return extras;
    }

    /** RabbitMQ's name of the type that an argument had. */
    static String typeLabel(Map<String, Object> extras, String argument, Object value) {
        return typeOf(extras, argument, value).label();
    }

    private static FieldType typeOf(Map<String, Object> extras, String argument, Object value) {
        if (value instanceof Long) {
            FieldType sent = sentType(extras, argument);
            return sent == null ? FieldType.LONG : sent;
        }
        if (value instanceof Boolean) {
            return FieldType.BOOL;
        }
        if (value instanceof Double) {
            return FieldType.DOUBLE;
        }
        if (value instanceof BigDecimal) {
            return FieldType.DECIMAL;
        }
        if (value instanceof String) {
            return FieldType.LONG_STRING;
        }
        if (value instanceof Instant) {
            return FieldType.TIMESTAMP;
        }
        if (value instanceof List) {
            return FieldType.ARRAY;
        }
        if (value instanceof Map) {
            return FieldType.TABLE;
        }
        return value instanceof Bytes ? FieldType.BINARY : FieldType.VOID;
    }

    private static @Nullable FieldType sentType(Map<String, Object> extras, String argument) {
        if (extras.get(TYPES) instanceof Map<?, ?> types && types.get(argument) instanceof String letter) {
            for (FieldType type : FieldType.values()) {
                if (letter.equals(String.valueOf(type.letter()))) {
                    return type;
                }
            }
        }
        return null;
    }
}
