package org.entrepot.amqp.v091.wire;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;

/**
 * Makes objects of the fields of a table that a {@link FieldScanner} has checked, which is why it may recurse: no deeper
 * than {@link FieldTable#DEPTH_MAX}. Belongs to one decoding.
 */
final class FieldReader {
    private final byte[] array;
    private final ByteBuffer in;

    /** Reads a table whose fields take all of {@code encoded}. */
    FieldReader(byte[] encoded) {
        this(encoded, 0, encoded.length);
    }

    FieldReader(byte[] array, int offset, int length) {
        this.array = array;
        this.in = ByteBuffer.wrap(array, offset, length);
    }

    Map<String, Object> values() {
        return table(in.limit());
    }

    Map<String, TypedValue> typed() {
        Map<String, TypedValue> fields = new LinkedHashMap<>();
        while (in.hasRemaining()) {
            String key = key();
            FieldType type = FieldType.of(in.get());
            fields.putIfAbsent(key, new TypedValue(type, value(type)));
        }
        return fields;
    }

    private Map<String, Object> table(int end) {
        Map<String, Object> fields = new LinkedHashMap<>();
        while (in.position() < end) {
            String key = key();
            Object value = value(FieldType.of(in.get()));
            fields.putIfAbsent(key, value);
        }
        return fields;
    }

    private List<Object> array(int end) {
        List<Object> elements = new ArrayList<>();
        while (in.position() < end) {
            elements.add(value(FieldType.of(in.get())));
        }
        return elements;
    }

    private Object value(FieldType type) {
        return switch (type) {
            case BOOL -> in.get() != 0;
            case BYTE -> (long) in.get();
            case UNSIGNED_BYTE -> (long) (in.get() & 0xFF);
            case SHORT -> (long) in.getShort();
            case UNSIGNED_SHORT -> (long) (in.getShort() & 0xFFFF);
            case SIGNED_INT -> (long) in.getInt();
            case UNSIGNED_INT -> in.getInt() & 0xFFFF_FFFFL;
            case LONG -> in.getLong();
            case FLOAT -> (double) in.getFloat();
            case DOUBLE -> in.getDouble();
            case DECIMAL -> decimal(in.get() & 0xFF, in.getInt());
            case LONG_STRING -> text(in.getInt());
            case BINARY -> bytes(in.getInt());
            case ARRAY -> array(in.getInt() + in.position());
            case TABLE -> table(in.getInt() + in.position());
            case TIMESTAMP -> instant(in.getLong());
            case VOID -> MessageFormat.Absent.VALUE;
        };
    }

    private String key() {
        int length = in.get() & 0xFF;
        int start = in.position();
        Object key = text(length);
        return key instanceof String text ? text : new String(array, start, length, StandardCharsets.ISO_8859_1);
    }

    /** Text where the bytes are UTF-8, else the bytes. */
    private Object text(int length) {
        int start = in.position();
        in.position(start + length);
        return text(array, start, length);
    }

    /** Text where the bytes are UTF-8, else the bytes. */
    static Object text(byte[] array, int start, int length) {
        for (int i = start; i < start + length; i++) {
            if (array[i] < 0) {
                try {
                    return StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(array, start, length))
                            .toString();
                } catch (CharacterCodingException e) {
                    return Bytes.wrap(Arrays.copyOfRange(array, start, start + length));
                }
            }
        }
        return new String(array, start, length, StandardCharsets.ISO_8859_1);
    }

    private Bytes bytes(int length) {
        int start = in.position();
        in.position(start + length);
        return Bytes.wrap(Arrays.copyOfRange(array, start, start + length));
    }

    /** The specification's text has the number signed, as clients do, where its grammar has not. */
    private static BigDecimal decimal(int scale, int unscaled) {
        return new BigDecimal(BigInteger.valueOf(unscaled), scale);
    }

    /** Seconds, which some clients send negative and others in finer units: what no instant can be is the farthest one. */
    static Instant instant(long seconds) {
        return Instant.ofEpochSecond(
                Math.max(Instant.MIN.getEpochSecond(), Math.min(Instant.MAX.getEpochSecond(), seconds)));
    }
}
