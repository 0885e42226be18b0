package org.entrepot.mqtt.wire;

import io.netty.buffer.ByteBuf;

/**
 * A PUBLISH, read in place (specification 3.3). Owned by a connection's loop and reused; valid until the next parse, and its
 * places as long as the buffer is.
 */
public final class PublishCursor {
    /** {@link #expirySeconds} where the message does not expire. */
    public static final long NO_EXPIRY = -1;

    private static final int NO_ALIAS = 0;
    private static final int ABSENT = -1;

    private ByteBuf buffer;
    private int qos;
    private boolean retain;
    private boolean duplicate;
    private int topicIndex;
    private int topicLength;
    private int packetId;
    private int propertiesIndex;
    private int propertiesLength;
    private int payloadIndex;
    private int payloadLength;
    private int alias;
    private int aliasIndex;
    private long expirySeconds;
    private int expiryIndex;
    private boolean text;
    private int responseTopicIndex;
    private int responseTopicLength;
    private long seen;

    /** A cursor that stands nowhere. */
    public PublishCursor() {
        buffer = io.netty.buffer.Unpooled.EMPTY_BUFFER;
    }

    /**
     * Reads what {@link PacketFramer.Sink#packet} was given.
     *
     * @param version5 whether there are properties
     * @throws PacketException where that is no PUBLISH that a client may send; the topic's bytes are not looked at
     */
    public void parse(int head, ByteBuf packet, int index, int length, boolean version5) {
        buffer = packet;
        qos = (head >> 1) & 3;
        retain = (head & 1) != 0;
        duplicate = (head & 8) != 0;
        if (qos == 3 || (qos == 0 && duplicate)) {
            throw PacketException.malformed("PUBLISH with QoS " + qos + (duplicate ? " and DUP" : ""));
        }
        int end = index + length;
        int at = index;
        if (end - at < 2) {
            throw tooShort();
        }
        topicLength = packet.getUnsignedShort(at);
        topicIndex = at + 2;
        at = topicIndex + topicLength;
        packetId = 0;
        if (qos > 0) {
            if (end - at < 2) {
                throw tooShort();
            }
            packetId = packet.getUnsignedShort(at);
            at += 2;
            if (packetId == 0) {
                throw PacketException.malformed("PUBLISH with packet identifier 0");
            }
        } else if (at > end) {
            throw tooShort();
        }
        alias = NO_ALIAS;
        aliasIndex = ABSENT;
        expirySeconds = NO_EXPIRY;
        expiryIndex = ABSENT;
        text = false;
        responseTopicIndex = ABSENT;
        responseTopicLength = 0;
        propertiesIndex = at;
        propertiesLength = 0;
        if (version5) {
            at = properties(at, end);
        }
        payloadIndex = at;
        payloadLength = end - at;
    }

    private int properties(int start, int end) {
        int at = start;
        int length = 0;
        int shift = 0;
        int b;
        do {
            if (at >= end || shift > 21) {
                throw PacketException.malformed("PUBLISH with a wrong property length");
            }
            b = buffer.getByte(at++);
            length |= (b & 0x7F) << shift;
            shift += 7;
        } while (b < 0);
        propertiesIndex = at;
        propertiesLength = length;
        if (length > end - at) {
            throw PacketException.malformed("PUBLISH whose properties are longer than the packet");
        }
        int last = at + length;
        seen = 0;
        while (at < last) {
            at = property(at, last);
        }
        return last;
    }

    private int property(int at, int end) {
        int id = buffer.getByte(at);
        int value = at + 1;
        switch (id) {
            case Property.PAYLOAD_FORMAT -> {
                int next = fixed(id, value, 1, end);
                int format = buffer.getByte(value);
                if (format != 0 && format != 1) {
                    throw PacketException.protocol("payload format indicator " + format);
                }
                text = format == 1;
                return next;
            }
            case Property.MESSAGE_EXPIRY -> {
                int next = fixed(id, value, 4, end);
                expirySeconds = buffer.getUnsignedInt(value);
                expiryIndex = at;
                return next;
            }
            case Property.TOPIC_ALIAS -> {
                int next = fixed(id, value, 2, end);
                alias = buffer.getUnsignedShort(value);
                aliasIndex = at;
                if (alias == 0) {
                    throw new PacketException(Reason.TOPIC_ALIAS_INVALID, "topic alias 0");
                }
                return next;
            }
            case Property.CONTENT_TYPE -> {
                once(id);
                return string(value, end);
            }
            case Property.RESPONSE_TOPIC -> {
                once(id);
                int next = string(value, end);
                responseTopicIndex = value + 2;
                responseTopicLength = next - responseTopicIndex;
                return next;
            }
            case Property.CORRELATION_DATA -> {
                once(id);
                return binary(value, end);
            }
            case Property.USER_PROPERTY -> {
                return string(string(value, end), end);
            }
            case Property.SUBSCRIPTION_ID ->
                throw PacketException.protocol("a subscription identifier in a PUBLISH from a client");
            default -> throw PacketException.malformed("PUBLISH with property " + id);
        }
    }

    private int fixed(int id, int value, int bytes, int end) {
        once(id);
        if (end - value < bytes) {
            throw tooShort();
        }
        return value + bytes;
    }

    private void once(int id) {
        long bit = 1L << id;
        if ((seen & bit) != 0) {
            throw PacketException.protocol("property " + id + " twice");
        }
        seen |= bit;
    }

    private int binary(int at, int end) {
        if (end - at < 2) {
            throw tooShort();
        }
        int next = at + 2 + buffer.getUnsignedShort(at);
        if (next > end) {
            throw tooShort();
        }
        return next;
    }

    private int string(int at, int end) {
        int next = binary(at, end);
        if (!Utf8.isValid(buffer, at + 2, next - at - 2)) {
            throw PacketException.malformed("a string that is not well-formed UTF-8");
        }
        return next;
    }

    private static PacketException tooShort() {
        return PacketException.malformed("PUBLISH that is cut short");
    }

    public int qos() {
        return qos;
    }

    public boolean retain() {
        return retain;
    }

    public boolean duplicate() {
        return duplicate;
    }

    /** Where the topic's bytes begin. */
    public int topicIndex() {
        return topicIndex;
    }

    public int topicLength() {
        return topicLength;
    }

    /** The packet identifier; 0 at QoS 0. */
    public int packetId() {
        return packetId;
    }

    /** The topic alias; 0 for none. */
    public int alias() {
        return alias;
    }

    /** Seconds after which the message expires, or {@link #NO_EXPIRY}. */
    public long expirySeconds() {
        return expirySeconds;
    }

    /** Whether the payload is declared to be text. */
    public boolean text() {
        return text;
    }

    /** Where the response topic's bytes begin; negative where there is none. */
    public int responseTopicIndex() {
        return responseTopicIndex;
    }

    public int responseTopicLength() {
        return responseTopicLength;
    }

    public int payloadIndex() {
        return payloadIndex;
    }

    public int payloadLength() {
        return payloadLength;
    }

    /** Bytes of the properties that are stored: all but topic alias and expiry. */
    public int storedPropertiesLength() {
        return propertiesLength - (aliasIndex == ABSENT ? 0 : 3) - (expiryIndex == ABSENT ? 0 : 5);
    }

    /** Copies the properties that are stored. */
    public void copyStoredProperties(byte[] target, int offset) {
        int first = aliasIndex;
        int firstBytes = 3;
        int second = expiryIndex;
        int secondBytes = 5;
        if (first == ABSENT || (second != ABSENT && second < first)) {
            first = expiryIndex;
            firstBytes = 5;
            second = aliasIndex;
            secondBytes = 3;
        }
        int from = propertiesIndex;
        int to = offset;
        if (first != ABSENT) {
            to += copy(from, first, target, to);
            from = first + firstBytes;
            if (second != ABSENT) {
                to += copy(from, second, target, to);
                from = second + secondBytes;
            }
        }
        copy(from, propertiesIndex + propertiesLength, target, to);
    }

    private int copy(int from, int to, byte[] target, int offset) {
        buffer.getBytes(from, target, offset, to - from);
        return to - from;
    }
}
