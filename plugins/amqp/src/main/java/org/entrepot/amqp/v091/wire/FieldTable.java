package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A field table, kept as it stands on the wire and decoded when asked. Immutable; what is read was checked in full
 * before. Equal to a table of the same bytes.
 */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable", "UnusedMethod", "InlineMeSuggester"})
public final class FieldTable {

    /** The table without fields. */
    public static final FieldTable EMPTY = new FieldTable(Bytes.EMPTY);

    /** How many tables and arrays may stand in one another. */
    public static final int DEPTH_MAX = 32;

    /** How many fields and elements a table may have, with all that is nested in it. */
    public static final int ELEMENTS_MAX = 16_384;

    private final Bytes encoded;

    private FieldTable(Bytes encoded) {
        this.encoded = encoded;
    }

    /**
     * A copy of the table whose fields take the {@code length} bytes from {@code index}.
     *
     * @throws WireException when they are not well formed or exceed the limits; without a method
     */
    public static FieldTable read(ByteBuf buffer, int index, int length) {
        throw new UnsupportedOperationException();
    }

    /**
     * The table of these values, which are of the types that {@link org.entrepot.spi.message.MessageFormat} lists, {@link
     * Integer} or {@link TypedValue}. A Long is written as 'l', an Integer as 'I'.
     */
    public static FieldTable of(Map<String, ?> values) {
        throw new UnsupportedOperationException();
    }

    /** The fields, with values as {@link org.entrepot.spi.message.MessageFormat} lists them; of equal keys the first. */
    public Map<String, Object> values() {
        throw new UnsupportedOperationException();
    }

    /** The same with types. */
    public Map<String, TypedValue> typed() {
        throw new UnsupportedOperationException();
    }

    /** The field of this name, null where there is none; of equal keys the first. */
    public @Nullable TypedValue get(String key) {
        return typed().get(key);
    }

    public boolean isEmpty() {
        return encoded.length() == 0;
    }

    /** Appends the table with its length. */
    public void writeTo(ByteBuf out) {
        out.writeInt(encoded.length());
        encoded.writeTo(out);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof FieldTable that && encoded.equals(that.encoded));
    }

    @Override
    public int hashCode() {
        return encoded.hashCode();
    }

    @Override
    public String toString() {
        return typed().toString();
    }
}
