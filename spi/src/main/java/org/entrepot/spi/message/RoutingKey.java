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
 * which carry a literal '.' inside a level as {@code 00 01} and a literal zero byte as {@code 00 00}. A protocol whose
 * keys are written with dots already (AMQP) passes its bytes through as they are. See docs/adr/0004.
 */
public final class RoutingKey {

    /** The key without bytes: one level that is empty for {@link #levels}, no level for a topic exchange. */
    public static final RoutingKey EMPTY = new RoutingKey(new byte[0]);

    /** Separates levels. */
    public static final byte SEPARATOR = '.';

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

    /** The key of these levels, in which dots are literal. */
    public static RoutingKey join(List<String> levels) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean first = true;
        for (String level : levels) {
            if (!first) {
                out.write(SEPARATOR);
            }
            first = false;
            for (byte b : level.getBytes(StandardCharsets.UTF_8)) {
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
        return out.size() == 0 ? EMPTY : new RoutingKey(out.toByteArray());
    }

    /** The levels, with escapes resolved; the reverse of {@link #join}. */
    public List<String> levels() {
        List<String> levels = new ArrayList<>();
        ByteArrayOutputStream level = new ByteArrayOutputStream();
        for (int i = 0; i < bytes.length; i++) {
            byte b = bytes[i];
            if (b == SEPARATOR) {
                levels.add(level.toString(StandardCharsets.UTF_8));
                level.reset();
            } else if (b == ESCAPE && i + 1 < bytes.length && bytes[i + 1] == ESCAPED_SEPARATOR) {
                level.write(SEPARATOR);
                i++;
            } else if (b == ESCAPE && i + 1 < bytes.length && bytes[i + 1] == ESCAPED_ZERO) {
                level.write(ESCAPE);
                i++;
            } else {
                level.write(b);
            }
        }
        levels.add(level.toString(StandardCharsets.UTF_8));
        return levels;
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
