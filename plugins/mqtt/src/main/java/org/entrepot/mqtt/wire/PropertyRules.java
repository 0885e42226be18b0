package org.entrepot.mqtt.wire;

import io.netty.buffer.ByteBuf;

/**
 * Which properties a packet may have, and what they may be (specification 2.2.2.2): the codec takes any in any packet, and
 * of one that comes twice the last. Stateless.
 */
final class PropertyRules {
    static final int SESSION_EXPIRY = 0x11;
    static final int ASSIGNED_CLIENT_ID = 0x12;
    static final int AUTHENTICATION_METHOD = 0x15;
    static final int AUTHENTICATION_DATA = 0x16;
    static final int REQUEST_PROBLEM_INFORMATION = 0x17;
    static final int WILL_DELAY = 0x18;
    static final int REQUEST_RESPONSE_INFORMATION = 0x19;
    static final int REASON_STRING = 0x1F;
    static final int RECEIVE_MAXIMUM = 0x21;
    static final int TOPIC_ALIAS_MAXIMUM = 0x22;
    static final int MAXIMUM_PACKET_SIZE = 0x27;

    static final long CONNECT = mask(
            SESSION_EXPIRY,
            RECEIVE_MAXIMUM,
            MAXIMUM_PACKET_SIZE,
            TOPIC_ALIAS_MAXIMUM,
            REQUEST_RESPONSE_INFORMATION,
            REQUEST_PROBLEM_INFORMATION,
            Property.USER_PROPERTY,
            AUTHENTICATION_METHOD,
            AUTHENTICATION_DATA);
    static final long WILL = mask(
            WILL_DELAY,
            Property.PAYLOAD_FORMAT,
            Property.MESSAGE_EXPIRY,
            Property.CONTENT_TYPE,
            Property.RESPONSE_TOPIC,
            Property.CORRELATION_DATA,
            Property.USER_PROPERTY);
    static final long ANSWER = mask(REASON_STRING, Property.USER_PROPERTY);
    static final long SUBSCRIBE = mask(Property.SUBSCRIPTION_ID, Property.USER_PROPERTY);
    static final long UNSUBSCRIBE = mask(Property.USER_PROPERTY);
    static final long DISCONNECT = mask(SESSION_EXPIRY, REASON_STRING, Property.USER_PROPERTY);
    static final long AUTH = mask(AUTHENTICATION_METHOD, AUTHENTICATION_DATA, REASON_STRING, Property.USER_PROPERTY);

    private PropertyRules() {}

    private static long mask(int... ids) {
        long mask = 0;
        for (int id : ids) {
            mask |= 1L << id;
        }
        return mask;
    }

    /**
     * Checks a block of properties with its length; gives the index behind it.
     *
     * @param allowed one of the masks
     * @throws PacketException where it breaks a rule
     */
    static int check(ByteBuf buffer, int start, int end, long allowed) {
        int at = start;
        int length = 0;
        int shift = 0;
        int b;
        do {
            if (at >= end || shift > 21) {
                throw PacketException.malformed("a wrong property length");
            }
            b = buffer.getByte(at++);
            length |= (b & 0x7F) << shift;
            shift += 7;
        } while (b < 0);
        if (length > end - at) {
            throw PacketException.malformed("properties that are longer than the packet");
        }
        int last = at + length;
        long seen = 0;
        while (at < last) {
            int id = buffer.getByte(at++);
            if (id <= 0 || id > 63) {
                throw PacketException.malformed("property " + id);
            }
            long bit = 1L << id;
            if ((allowed & bit) == 0) {
                throw PacketException.protocol("property " + id + " where it does not belong");
            }
            if ((seen & bit) != 0 && id != Property.USER_PROPERTY) {
                throw PacketException.protocol("property " + id + " twice");
            }
            seen |= bit;
            at = value(buffer, id, at, last);
        }
        if ((seen & (1L << AUTHENTICATION_DATA)) != 0 && (seen & (1L << AUTHENTICATION_METHOD)) == 0) {
            throw PacketException.protocol("authentication data without a method");
        }
        return last;
    }

    private static int value(ByteBuf buffer, int id, int at, int end) {
        switch (id) {
            case Property.PAYLOAD_FORMAT, REQUEST_PROBLEM_INFORMATION, REQUEST_RESPONSE_INFORMATION -> {
                need(at, 1, end);
                int flag = buffer.getByte(at);
                if (flag != 0 && flag != 1) {
                    throw PacketException.protocol("property " + id + " is " + flag);
                }
                return at + 1;
            }
            case RECEIVE_MAXIMUM -> {
                need(at, 2, end);
                if (buffer.getUnsignedShort(at) == 0) {
                    throw PacketException.protocol("receive maximum 0");
                }
                return at + 2;
            }
            case TOPIC_ALIAS_MAXIMUM -> {
                need(at, 2, end);
                return at + 2;
            }
            case MAXIMUM_PACKET_SIZE -> {
                need(at, 4, end);
                if (buffer.getInt(at) == 0) {
                    throw PacketException.protocol("maximum packet size 0");
                }
                return at + 4;
            }
            case SESSION_EXPIRY, WILL_DELAY, Property.MESSAGE_EXPIRY -> {
                need(at, 4, end);
                return at + 4;
            }
            case Property.SUBSCRIPTION_ID -> {
                return subscriptionId(buffer, at, end);
            }
            case Property.CORRELATION_DATA, AUTHENTICATION_DATA -> {
                return binary(buffer, at, end);
            }
            case Property.RESPONSE_TOPIC -> {
                int next = string(buffer, at, end);
                String fault = Topics.fault(buffer, at + 2, next - at - 2, Integer.MAX_VALUE);
                if (!fault.isEmpty()) {
                    throw PacketException.protocol("a response topic that is " + fault);
                }
                return next;
            }
            case Property.USER_PROPERTY -> {
                return string(buffer, string(buffer, at, end), end);
            }
            default -> {
                return string(buffer, at, end);
            }
        }
    }

    private static int subscriptionId(ByteBuf buffer, int start, int end) {
        int at = start;
        int id = 0;
        int shift = 0;
        int b;
        do {
            if (at >= end || shift > 21) {
                throw PacketException.malformed("a wrong subscription identifier");
            }
            b = buffer.getByte(at++);
            id |= (b & 0x7F) << shift;
            shift += 7;
        } while (b < 0);
        if (id == 0) {
            throw PacketException.protocol("subscription identifier 0");
        }
        return at;
    }

    /** The index behind binary data with its length. */
    static int binary(ByteBuf buffer, int at, int end) {
        need(at, 2, end);
        int length = buffer.getUnsignedShort(at);
        need(at + 2, length, end);
        return at + 2 + length;
    }

    /** The index behind a string with its length, which must be well formed. */
    static int string(ByteBuf buffer, int at, int end) {
        int next = binary(buffer, at, end);
        if (!Utf8.isValid(buffer, at + 2, next - at - 2)) {
            throw PacketException.malformed("a string that is not well-formed UTF-8");
        }
        return next;
    }

    /** The index behind a string that names something, in logs too: it has no control characters. */
    static int name(ByteBuf buffer, int at, int end) {
        int next = string(buffer, at, end);
        if (Utf8.hasControl(buffer, at + 2, next - at - 2)) {
            throw PacketException.malformed("a name with a control character");
        }
        return next;
    }

    static void need(int at, int bytes, int end) {
        if (end - at < bytes) {
            throw PacketException.malformed("a packet that is cut short");
        }
    }
}
