package org.entrepot.spi.message;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Bytes that a publisher addresses a message with. Immutable. Exchanges that match by levels (topic) read it as levels
 * separated by '.'; others do not interpret it. Vendors only call it.
 *
 * <p>A protocol whose levels may contain a '.' (MQTT) makes keys with {@link #join} and reads them with {@link #levels},
 * which carry a literal '.' inside a level as {@code 00 01}, a literal zero byte as {@code 00 00}, and a level that is
 * literally {@code *} or {@code #} as {@code 00 2A} or {@code 00 23}, so that it is no wildcard where a pattern holds it. A
 * pattern is a key some of whose levels are {@link #ANY} or {@link #REST} alone. A protocol whose keys are written with dots
 * already (AMQP) passes its bytes through as they are. See docs/adr/0004.
 */
public final class RoutingKey implements Comparable<RoutingKey> {

    /** The key without bytes: one level that is empty for {@link #levels}, no level for a topic exchange. */
    public static final RoutingKey EMPTY = new RoutingKey(new byte[0]);

    /** Separates levels. */
    public static final byte SEPARATOR = '.';

    /** In a pattern of a topic exchange a level that is this byte alone is any one level. */
    public static final byte ANY = '*';

    /** In a pattern of a topic exchange a level that is this byte alone is any number of levels. */
    public static final byte REST = '#';

    private static final byte ESCAPE = 0;
    private static final byte ESCAPED_SEPARATOR = 1;
    private static final byte ESCAPED_ZERO = 0;

    private final byte[] bytes;
    private final int hash;

    private RoutingKey(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    /** A key of the UTF-8 bytes of {@code text}. */
    public static RoutingKey of(String text) {
        return text.isEmpty() ? EMPTY : new RoutingKey(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A key of a copy of {@code length} bytes of {@code buffer} from {@code index}. */
    public static RoutingKey copyOf(ByteBuf buffer, int index, int length) {
        if (length == 0) {
            return EMPTY;
        }
        byte[] copy = new byte[length];
        buffer.getBytes(index, copy);
        return new RoutingKey(copy);
    }

    /** A key of the same bytes. */
    public static RoutingKey of(Bytes bytes) {
        return bytes.length() == 0 ? EMPTY : new RoutingKey(bytes.toArray());
    }

    /** The key of these levels, in which dots are literal, and of which none is a wildcard. */
    public static RoutingKey join(List<String> levels) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean first = true;
        for (String level : levels) {
            if (!first) {
                out.write(SEPARATOR);
            }
            first = false;
            writeLevel(level.getBytes(StandardCharsets.UTF_8), out);
        }
        return out.size() == 0 ? EMPTY : new RoutingKey(out.toByteArray());
    }

    private static void writeLevel(byte[] level, ByteArrayOutputStream out) {
        if (level.length == 1 && isWildcard(level[0])) {
            out.write(ESCAPE);
            out.write(level[0]);
            return;
        }
        for (byte b : level) {
            if (b == SEPARATOR) {
                out.write(ESCAPE);
                out.write(ESCAPED_SEPARATOR);
            } else if (b == ESCAPE) {
                out.write(ESCAPE);
                out.write(ESCAPED_ZERO);
            } else {
                out.write(b);
            }
        }
    }

    private static boolean isWildcard(byte b) {
        return b == ANY || b == REST;
    }

    /** The levels, with escapes resolved; the reverse of {@link #join}. */
    public List<String> levels() {
        List<String> levels = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == SEPARATOR) {
                levels.add(level(from, i));
                from = i + 1;
            }
        }
        levels.add(level(from, bytes.length));
        return levels;
    }

    private String level(int from, int to) {
        if (to - from == 2 && bytes[from] == ESCAPE && isWildcard(bytes[from + 1])) {
            return String.valueOf((char) bytes[from + 1]);
        }
        ByteArrayOutputStream level = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            boolean escapes = bytes[i] == ESCAPE && i + 1 < to;
            if (escapes && bytes[i + 1] == ESCAPED_SEPARATOR) {
                level.write(SEPARATOR);
                i++;
            } else if (escapes && bytes[i + 1] == ESCAPED_ZERO) {
                level.write(ESCAPE);
                i++;
            } else {
                level.write(bytes[i]);
            }
        }
        return level.toString(StandardCharsets.UTF_8);
    }

    /** How many bytes the key has. */
    public int length() {
        return bytes.length;
    }

    /** The byte at {@code index}. */
    public byte at(int index) {
        return bytes[index];
    }

    /** Appends the key's bytes to {@code target}. */
    public void writeTo(ByteBuf target) {
        target.writeBytes(bytes);
    }

    /** Whether the key has exactly the {@code length} bytes of {@code buffer} from {@code index}. */
    public boolean matches(ByteBuf buffer, int index, int length) {
        if (length != bytes.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[i] != buffer.getByte(index + i)) {
                return false;
            }
        }
        return true;
    }

    /** The bytes as a view. */
    public Bytes bytes() {
        return Bytes.wrap(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof RoutingKey that && hash == that.hash && Arrays.equals(bytes, that.bytes));
    }

    /** Orders keys by their bytes, read unsigned. */
    @Override
    public int compareTo(RoutingKey other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** The bytes read as UTF-8; malformed sequences become U+FFFD. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
