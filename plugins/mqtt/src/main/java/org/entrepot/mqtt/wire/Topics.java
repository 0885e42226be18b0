package org.entrepot.mqtt.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.entrepot.spi.message.RoutingKey;

/**
 * Topic names and filters, and the routing keys that they are in the broker: '/' separates levels there, '.' here, and a
 * level's own '.' is escaped (docs/adr/0004). Stateless.
 */
public final class Topics {
    private static final byte[] SYSTEM = {'$', 'S', 'Y', 'S', '/'};
    private static final byte ESCAPE = 0;
    private static final byte ESCAPED_SEPARATOR = 1;
    private static final byte DELETE = 0x7F;

    private Topics() {}

    /** Why well-formed bytes are no topic name that may be published to (specification 4.7); empty where they are one. */
    public static String fault(ByteBuf buffer, int index, int length, int levelsMax) {
        if (length == 0) {
            return "an empty topic name";
        }
        if (Utf8.hasControl(buffer, index, length)) {
            return "a topic name with a control character";
        }
        int levels = 1;
        for (int i = index; i < index + length; i++) {
            int b = buffer.getByte(i);
            if (b == '+' || b == '#') {
                return "a topic name with a wildcard";
            }
            if (b == '/') {
                levels++;
            }
        }
        return levels > levelsMax ? "a topic name of more than " + levelsMax + " levels" : "";
    }

    /** Whether a topic name is one of the broker's own. */
    public static boolean isSystem(ByteBuf buffer, int index, int length) {
        if (length < SYSTEM.length) {
            return false;
        }
        for (int i = 0; i < SYSTEM.length; i++) {
            if (buffer.getByte(index + i) != SYSTEM[i]) {
                return false;
            }
        }
        return true;
    }

    /** Why a text is no topic filter (specification 4.7); empty where it is one. */
    public static String filterFault(String filter, int levelsMax) {
        if (filter.isEmpty()) {
            return "an empty topic filter";
        }
        int levels = 1;
        for (int i = 0; i < filter.length(); i++) {
            char c = filter.charAt(i);
            boolean first = i == 0 || filter.charAt(i - 1) == '/';
            boolean last = i == filter.length() - 1 || filter.charAt(i + 1) == '/';
            if ((c == '+' && !(first && last)) || (c == '#' && !(first && i == filter.length() - 1))) {
                return "a topic filter with a misplaced wildcard";
            }
            if (Character.isISOControl(c)) {
                return "a topic filter with a control character";
            }
            if (c == '/') {
                levels++;
            }
        }
        return levels > levelsMax ? "a topic filter of more than " + levelsMax + " levels" : "";
    }

    /** Appends the routing key of a topic name. */
    public static void writeKey(ByteBuf topic, int index, int length, ByteBuf key) {
        int end = index + length;
        int levelStart = index;
        for (int i = index; i < end; i++) {
            byte b = topic.getByte(i);
            if (b == '/') {
                key.writeByte(RoutingKey.SEPARATOR);
                levelStart = i + 1;
            } else if (b == RoutingKey.SEPARATOR) {
                key.writeByte(ESCAPE).writeByte(ESCAPED_SEPARATOR);
            } else if (b == '*' && i == levelStart && (i + 1 == end || topic.getByte(i + 1) == '/')) {
                // Alone in its level it would be a wildcard in a binding.
                key.writeByte(ESCAPE).writeByte('*');
            } else {
                key.writeByte(b);
            }
        }
    }

    /** The routing key of a topic name. */
    public static RoutingKey key(String topic) {
        byte[] bytes = topic.getBytes(StandardCharsets.UTF_8);
        ByteBuf key = Unpooled.buffer(bytes.length + 8);
        writeKey(Unpooled.wrappedBuffer(bytes), 0, bytes.length, key);
        return RoutingKey.copyOf(key, 0, key.readableBytes());
    }

    /** The pattern of a binding that matches what a topic filter does, '$' aside. */
    public static RoutingKey pattern(String filter) {
        StringBuilder pattern = new StringBuilder(filter.length() + 8);
        String[] levels = filter.split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            String level = levels[i];
            if (i > 0) {
                pattern.append('.');
            }
            switch (level) {
                case "+" -> pattern.append('*');
                case "*" -> pattern.append("\0*");
                default -> pattern.append(level.replace(".", "\0\1"));
            }
        }
        return RoutingKey.of(pattern.toString());
    }

    /** The topic filter that a binding's pattern was made of. */
    public static String filter(RoutingKey pattern) {
        String[] levels = pattern.toString().split("\\.", -1);
        StringBuilder filter = new StringBuilder(pattern.length() + 8);
        for (int i = 0; i < levels.length; i++) {
            String level = levels[i];
            if (i > 0) {
                filter.append('/');
            }
            switch (level) {
                case "*" -> filter.append('+');
                case "\0*" -> filter.append('*');
                default -> filter.append(level.replace("\0\1", "."));
            }
        }
        return filter.toString();
    }

    /**
     * Appends the topic name of a routing key.
     *
     * @return whether that is one: another protocol's key may be empty, or have what MQTT forbids; what was appended is to be
     *     thrown away then
     */
    public static boolean writeTopic(RoutingKey key, ByteBuf topic) {
        int length = key.length();
        int start = topic.writerIndex();
        boolean plain = true;
        for (int i = 0; i < length; i++) {
            byte b = key.at(i);
            if (b == RoutingKey.SEPARATOR) {
                topic.writeByte('/');
            } else if (b == ESCAPE) {
                i++;
                byte escaped = i < length ? key.at(i) : ESCAPE;
                if (escaped == ESCAPED_SEPARATOR) {
                    topic.writeByte(RoutingKey.SEPARATOR);
                } else if (escaped == '*') {
                    topic.writeByte('*');
                } else {
                    return false;
                }
            } else if (b == '+' || b == '#') {
                return false;
            } else {
                plain &= b >= ' ' && b != DELETE;
                topic.writeByte(b);
            }
        }
        return length > 0 && (plain || isText(topic, start));
    }

    private static boolean isText(ByteBuf topic, int start) {
        int length = topic.writerIndex() - start;
        return Utf8.isValid(topic, start, length) && !Utf8.hasControl(topic, start, length);
    }

    /** The topic name of a routing key; empty where it is none. */
    public static String topic(RoutingKey key) {
        ByteBuf topic = Unpooled.buffer(Math.max(1, key.length()));
        return writeTopic(key, topic) ? topic.toString(StandardCharsets.UTF_8) : "";
    }

    /** Whether a topic filter, in UTF-8, matches a topic name (specification 4.7). */
    public static boolean matches(byte[] filter, ByteBuf name) {
        int f = 0;
        int t = name.readerIndex();
        int filterEnd = filter.length;
        int topicEnd = name.writerIndex();
        if (t < topicEnd && name.getByte(t) == '$' && isWildcard(filter[0])) {
            return false;
        }
        while (f < filterEnd) {
            byte c = filter[f];
            if (c == '#') {
                return true;
            }
            if (c == '+') {
                while (t < topicEnd && name.getByte(t) != '/') {
                    t++;
                }
                f++;
            } else {
                while (f < filterEnd && filter[f] != '/') {
                    if (t >= topicEnd || name.getByte(t) != filter[f]) {
                        return false;
                    }
                    f++;
                    t++;
                }
            }
            if (f == filterEnd) {
                return t == topicEnd;
            }
            // Here a level of the filter ends and another follows.
            if (t == topicEnd) {
                return filterEnd - f == 2 && filter[f + 1] == '#';
            }
            if (name.getByte(t) != '/') {
                return false;
            }
            f++;
            t++;
        }
        // The filter's last level is empty.
        return t == topicEnd;
    }

    private static boolean isWildcard(byte c) {
        return c == '+' || c == '#';
    }
}
