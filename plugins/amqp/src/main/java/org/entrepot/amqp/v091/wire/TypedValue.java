package org.entrepot.amqp.v091.wire;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;

/**
 * A field's value with the type it had on the wire, for checks and texts in which the type matters. Immutable.
 *
 * @param value as {@link FieldTable#values} gives it
 */
public record TypedValue(FieldType type, Object value) {

    /**
     * The value with the type that it would most likely have been sent with: what is left to say of a value whose type
     * is not known any more.
     *
     * @param value of the types that {@link MessageFormat} lists
     */
    public static TypedValue of(Object value) {
        return new TypedValue(likelyType(value), value);
    }

    /** Whether RabbitMQ takes both for the same argument: whole numbers of any type are compared by value. */
    public boolean equivalent(TypedValue other) {
        boolean comparable = type == other.type
                || (type.isInteger() && other.type.isInteger())
                || (type.isFraction() && other.type.isFraction());
        return comparable && Objects.equals(value, other.value);
    }

    /** The value as RabbitMQ's texts show it between quotes. */
    public String text() {
        return value instanceof Bytes bytes ? bytes.toUtf8() : value instanceof String text ? text : term(value);
    }

    private static FieldType likelyType(Object value) {
        if (value instanceof Long number) {
            return number == number.intValue() ? FieldType.SIGNED_INT : FieldType.LONG;
        } else if (value instanceof Boolean) {
            return FieldType.BOOL;
        } else if (value instanceof Double) {
            return FieldType.DOUBLE;
        } else if (value instanceof BigDecimal) {
            return FieldType.DECIMAL;
        } else if (value instanceof Bytes) {
            return FieldType.BINARY;
        } else if (value instanceof Instant) {
            return FieldType.TIMESTAMP;
        } else if (value instanceof List<?>) {
            return FieldType.ARRAY;
        } else if (value instanceof Map<?, ?>) {
            return FieldType.TABLE;
        } else if (value == MessageFormat.Absent.VALUE) {
            return FieldType.VOID;
        }
        return FieldType.LONG_STRING;
    }

    private static String term(Object value) {
        if (value instanceof String text) {
            return "<<\"" + text + "\">>";
        } else if (value instanceof Bytes bytes) {
            return "<<\"" + bytes.toUtf8() + "\">>";
        } else if (value instanceof Instant instant) {
            return Long.toString(instant.getEpochSecond());
        } else if (value instanceof BigDecimal number) {
            return "{" + number.scale() + ',' + number.unscaledValue() + '}';
        } else if (value == MessageFormat.Absent.VALUE) {
            return "undefined";
        } else if (value instanceof List<?> list) {
            StringBuilder text = new StringBuilder("[");
            for (Iterator<?> i = list.iterator(); i.hasNext(); ) {
                Object element = i.next();
                text.append('{')
                        .append(likelyType(element).label())
                        .append(',')
                        .append(term(element))
                        .append('}');
                text.append(i.hasNext() ? "," : "");
            }
            return text.append(']').toString();
        } else if (value instanceof Map<?, ?> map) {
            StringBuilder text = new StringBuilder("[");
            map.forEach((key, element) -> text.append(text.length() > 1 ? "," : "")
                    .append("{<<\"")
                    .append(key)
                    .append("\">>,")
                    .append(likelyType(element).label())
                    .append(',')
                    .append(term(element))
                    .append('}'));
            return text.append(']').toString();
        }
        return value.toString();
    }
}
