package org.entrepot.core.topology;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat.Absent;

/**
 * Writes and reads values of the types that {@link org.entrepot.spi.message.MessageFormat} lists. Stateless.
 *
 * <p>Equal values have equal bytes: maps are written in the order of their keys. Each value is a tag and its content;
 * tags are part of the stored format. Reading throws {@link IndexOutOfBoundsException} where bytes are missing and
 * {@link IllegalArgumentException} where they make no sense.
 */
final class ValueCodec {
    /** Levels of lists and maps in each other that are read. */
    private static final int DEPTH_MAX = 64;

    private static final int ABSENT = 0;
    private static final int FALSE = 1;
    private static final int TRUE = 2;
    private static final int LONG = 3;
    private static final int DOUBLE = 4;
    private static final int DECIMAL = 5;
    private static final int TEXT = 6;
    private static final int BYTES = 7;
    private static final int INSTANT = 8;
    private static final int LIST = 9;
    private static final int MAP = 10;

    private ValueCodec() {}

    /** The bytes of a map of values: the same for equal maps, others for others. */
    static byte[] canonical(Map<String, ?> map) {
        ByteBuf out = Unpooled.buffer();
        writeMap(out, map);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    static void writeMap(ByteBuf out, Map<String, ?> map) {
        out.writeInt(map.size());
        for (Map.Entry<String, ?> entry : new TreeMap<>(map).entrySet()) {
            writeText(out, entry.getKey());
            write(out, entry.getValue());
        }
    }

    static Map<String, Object> readMap(ByteBuf in) {
        return readMap(in, DEPTH_MAX);
    }

    static void writeText(ByteBuf out, String text) {
        writeBytes(out, text.getBytes(StandardCharsets.UTF_8));
    }

    static String readText(ByteBuf in) {
        return new String(readBytes(in), StandardCharsets.UTF_8);
    }

    static void writeBytes(ByteBuf out, byte[] bytes) {
        out.writeInt(bytes.length);
        out.writeBytes(bytes);
    }

    static byte[] readBytes(ByteBuf in) {
        int length = in.readInt();
        if (length < 0 || length > in.readableBytes()) {
            throw new IndexOutOfBoundsException("a length of " + length + " where " + in.readableBytes() + " are left");
        }
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        return bytes;
    }

    private static void write(ByteBuf out, Object value) {
        if (value == Absent.VALUE) {
            out.writeByte(ABSENT);
        } else if (value instanceof Boolean flag) {
            out.writeByte(flag ? TRUE : FALSE);
        } else if (value instanceof Long number) {
            out.writeByte(LONG);
            out.writeLong(number);
        } else if (value instanceof Double number) {
            out.writeByte(DOUBLE);
            out.writeDouble(number);
        } else if (value instanceof BigDecimal number) {
            out.writeByte(DECIMAL);
            out.writeInt(number.scale());
            writeBytes(out, number.unscaledValue().toByteArray());
        } else if (value instanceof String text) {
            out.writeByte(TEXT);
            writeText(out, text);
        } else if (value instanceof Bytes bytes) {
            out.writeByte(BYTES);
            writeBytes(out, bytes.toArray());
        } else if (value instanceof Instant instant) {
            out.writeByte(INSTANT);
            out.writeLong(instant.getEpochSecond());
            out.writeInt(instant.getNano());
        } else if (value instanceof List<?> list) {
            out.writeByte(LIST);
            out.writeInt(list.size());
            for (Object element : list) {
                write(out, element);
            }
        } else if (value instanceof Map<?, ?> map) {
            out.writeByte(MAP);
            writeMap(out, withTextKeys(map));
        } else {
            throw new IllegalArgumentException("a value of a type that messages do not have: " + value.getClass());
        }
    }

    private static Map<String, Object> withTextKeys(Map<?, ?> map) {
        Map<String, Object> texts = new TreeMap<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            texts.put((String) entry.getKey(), entry.getValue());
        }
        return texts;
    }

    private static Object read(ByteBuf in, int depth) {
        if (depth == 0) {
            throw new IllegalArgumentException("more than " + DEPTH_MAX + " lists and maps in each other");
        }
        int tag = in.readUnsignedByte();
        return switch (tag) {
            case ABSENT -> Absent.VALUE;
            case FALSE -> false;
            case TRUE -> true;
            case LONG -> in.readLong();
            case DOUBLE -> in.readDouble();
            case DECIMAL -> {
                int scale = in.readInt();
                yield new BigDecimal(new BigInteger(readBytes(in)), scale);
            }
            case TEXT -> readText(in);
            case BYTES -> Bytes.wrap(readBytes(in));
            case INSTANT -> {
                long seconds = in.readLong();
                yield Instant.ofEpochSecond(seconds, in.readInt());
            }
            case LIST -> {
                int size = in.readInt();
                List<Object> list = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    list.add(read(in, depth - 1));
                }
                yield List.copyOf(list);
            }
            case MAP -> readMap(in, depth - 1);
            default -> throw new IllegalArgumentException("a value with the unknown tag " + tag);
        };
    }

    private static Map<String, Object> readMap(ByteBuf in, int depth) {
        int size = in.readInt();
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            String key = readText(in);
            map.put(key, read(in, depth));
        }
        return map;
    }
}
