package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A field table, kept as it stands on the wire and decoded when asked. Immutable; what is read was checked in full
 * before. Equal to a table of the same bytes.
 *
 * <p>Keys are UTF-8 where they are well formed and ISO-8859-1 where they are not, so that no two keys look the same.
 */
public final class FieldTable {

    /** The table without fields. */
    public static final FieldTable EMPTY = new FieldTable(new byte[0]);

    /** How many tables and arrays may stand in one another, the table itself included. */
    public static final int DEPTH_MAX = 32;

    /** How many fields and elements a table may have, with all that is nested in it. */
    public static final int ELEMENTS_MAX = 16_384;

    private final byte[] encoded;

    private FieldTable(byte[] encoded) {
        this.encoded = encoded;
    }

    /**
     * A copy of the table whose fields take the {@code length} bytes from {@code index}.
     *
     * @param method what errors will name as the offender
     * @throws WireException FRAME_ERROR when they are not well formed or exceed the limits, INTERNAL_ERROR for an
     *     unknown type
     */
    public static FieldTable read(ByteBuf buffer, int index, int length, int method) {
        if (length == 0) {
            return EMPTY;
        }
        FieldScanner scanner = new FieldScanner();
        scanner.begin(method);
        scanner.table(buffer, index, index + length);
        byte[] copy = new byte[length];
        buffer.getBytes(index, copy);
        return new FieldTable(copy);
    }

    /** The same of a table that came in a long string (AMQPLAIN's response). */
    public static FieldTable read(Bytes fields, int method) {
        return read(Unpooled.wrappedBuffer(fields.toArray()), 0, fields.length(), method);
    }

    /**
     * The table of these values, which are of the types that {@link org.entrepot.spi.message.MessageFormat} lists, {@link
     * Integer} or {@link TypedValue}. A Long is written as 'l', an Integer as 'I'.
     *
     * @throws IllegalArgumentException for a value of another type, or a key of more than 255 bytes
     */
    public static FieldTable of(Map<String, ?> values) {
        if (values.isEmpty()) {
            return EMPTY;
        }
        ByteBuf out = Unpooled.buffer();
        new FieldWriter(out).fields(values);
        byte[] encoded = new byte[out.readableBytes()];
        out.readBytes(encoded).release();
        return new FieldTable(encoded);
    }

    /** The fields, with values as {@link org.entrepot.spi.message.MessageFormat} lists them; of equal keys the first. */
    public Map<String, Object> values() {
        return isEmpty() ? Map.of() : new FieldReader(encoded).values();
    }

    /** The same with types. */
    public Map<String, TypedValue> typed() {
        return isEmpty() ? Map.of() : new FieldReader(encoded).typed();
    }

    /** The field of this name, null where there is none; of equal keys the first. */
    public @Nullable TypedValue get(String key) {
        return typed().get(key);
    }

    /** Whether there are no fields. */
    public boolean isEmpty() {
        return encoded.length == 0;
    }

    /** Bytes of the fields on the wire, without the table's length. */
    public int encodedLength() {
        return encoded.length;
    }

    /** Appends the table with its length. */
    public void writeTo(ByteBuf out) {
        out.writeInt(encoded.length);
        out.writeBytes(encoded);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof FieldTable that && Arrays.equals(encoded, that.encoded));
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encoded);
    }

    /** Names and types of the fields: values may be secret and are not for logs. */
    @Override
    public String toString() {
        Map<String, String> types = new LinkedHashMap<>();
        typed().forEach((key, value) -> types.put(key, value.type().label()));
        return types.toString();
    }
}
