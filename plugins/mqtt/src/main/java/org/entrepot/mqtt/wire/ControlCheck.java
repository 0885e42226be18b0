package org.entrepot.mqtt.wire;

import io.netty.buffer.ByteBuf;

/** What the codec does not refuse of the packets that it reads. Stateless. */
public final class ControlCheck {
    /** The bit of the protocol level that bridges of Mosquitto set. */
    private static final int BRIDGE = 0x80;

    private static final int WILL = 0x04;
    private static final int WILL_RETAIN = 0x20;
    private static final int PASSWORD = 0x40;
    private static final int USER_NAME = 0x80;

    /** What of a SUBSCRIBE's options is reserved in MQTT 5, and before. */
    private static final int OPTIONS_RESERVED_5 = 0xC0;

    private static final int OPTIONS_RESERVED = 0xFC;

    private ControlCheck() {}

    /** A CONNECT of a level that is not spoken; it is told so in the words of MQTT 3. */
    public static final class UnknownLevelException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnknownLevelException(int level) {
            super("protocol level " + level, null, false, false);
        }
    }

    /**
     * Checks a CONNECT, and takes the mark of a bridge off its level.
     *
     * @return the protocol level
     * @throws UnknownLevelException where that is none of 3, 4 and 5
     */
    public static int connect(int head, ByteBuf buffer, int index, int length) {
        int end = index + length;
        int at = PropertyRules.string(buffer, index, end);
        PropertyRules.need(at, 4, end);
        int level = buffer.getUnsignedByte(at) & ~BRIDGE;
        if (level < 3 || level > 5 || (level == 3) != (at - index == 8)) {
            throw new UnknownLevelException(buffer.getUnsignedByte(at));
        }
        buffer.setByte(at, level);
        if (level > 3) {
            // MQTT 3.1 says of these bits, and of the lowest of the CONNECT flags, only that they are not used.
            flags(head, 0);
        }
        int flags = buffer.getUnsignedByte(at + 1);
        connectFlags(flags, level);
        at += 4;
        if (level == 5) {
            at = PropertyRules.check(buffer, at, end, PropertyRules.CONNECT);
        }
        at = PropertyRules.name(buffer, at, end);
        if ((flags & WILL) != 0) {
            if (level == 5) {
                at = PropertyRules.check(buffer, at, end, PropertyRules.WILL);
            }
            int topic = at;
            at = PropertyRules.string(buffer, at, end);
            String fault = Topics.fault(buffer, topic + 2, at - topic - 2, Integer.MAX_VALUE);
            if (!fault.isEmpty()) {
                throw new PacketException(Reason.TOPIC_NAME_INVALID, "a will with " + fault);
            }
            at = PropertyRules.binary(buffer, at, end);
        }
        if ((flags & USER_NAME) != 0) {
            at = PropertyRules.name(buffer, at, end);
        }
        if ((flags & PASSWORD) != 0) {
            at = PropertyRules.binary(buffer, at, end);
        }
        if (at != end) {
            throw PacketException.malformed("CONNECT with bytes left over");
        }
        return level;
    }

    private static void connectFlags(int flags, int level) {
        int willQos = (flags >> 3) & 3;
        boolean will = (flags & WILL) != 0;
        if ((level > 3 && (flags & 1) != 0)
                || willQos == 3
                || (!will && (willQos != 0 || (flags & WILL_RETAIN) != 0))
                || (level < 5 && (flags & USER_NAME) == 0 && (flags & PASSWORD) != 0)) {
            throw PacketException.malformed("CONNECT with flags " + Integer.toHexString(flags));
        }
    }

    /** Checks a SUBSCRIBE. */
    public static void subscribe(int head, ByteBuf buffer, int index, int length, int level) {
        int end = index + length;
        int at = packetId(head, buffer, index, end);
        if (level == 5) {
            at = PropertyRules.check(buffer, at, end, PropertyRules.SUBSCRIBE);
        }
        if (at == end) {
            throw PacketException.protocol("SUBSCRIBE without a topic filter");
        }
        while (at < end) {
            at = PropertyRules.string(buffer, at, end);
            PropertyRules.need(at, 1, end);
            int options = buffer.getUnsignedByte(at++);
            if ((options & (level == 5 ? OPTIONS_RESERVED_5 : OPTIONS_RESERVED)) != 0
                    || (options & 3) == 3
                    || (options & 0x30) == 0x30) {
                throw PacketException.malformed("SUBSCRIBE with options " + Integer.toHexString(options));
            }
        }
    }

    /** Checks an UNSUBSCRIBE. */
    public static void unsubscribe(int head, ByteBuf buffer, int index, int length, int level) {
        int end = index + length;
        int at = packetId(head, buffer, index, end);
        if (level == 5) {
            at = PropertyRules.check(buffer, at, end, PropertyRules.UNSUBSCRIBE);
        }
        if (at == end) {
            throw PacketException.protocol("UNSUBSCRIBE without a topic filter");
        }
        while (at < end) {
            at = PropertyRules.string(buffer, at, end);
        }
    }

    private static int packetId(int head, ByteBuf buffer, int index, int end) {
        flags(head, 2);
        PropertyRules.need(index, 2, end);
        if (buffer.getUnsignedShort(index) == 0) {
            throw PacketException.malformed("packet identifier 0");
        }
        return index + 2;
    }

    /** Checks a DISCONNECT. */
    public static void disconnect(int head, ByteBuf buffer, int index, int length, int level) {
        flags(head, 0);
        if (level < 5 && length > 0) {
            throw PacketException.malformed("DISCONNECT with bytes left over");
        }
        if (length > 0) {
            int reason = buffer.getUnsignedByte(index);
            if (!isDisconnectReason(reason)) {
                throw PacketException.protocol("DISCONNECT with reason " + Integer.toHexString(reason));
            }
        }
        if (length > 1) {
            end(PropertyRules.check(buffer, index + 1, index + length, PropertyRules.DISCONNECT), index + length);
        }
    }

    private static boolean isDisconnectReason(int reason) {
        return switch (reason) {
            case Reason.SUCCESS,
                    Reason.DISCONNECT_WITH_WILL,
                    Reason.UNSPECIFIED,
                    Reason.MALFORMED_PACKET,
                    Reason.PROTOCOL_ERROR,
                    Reason.IMPLEMENTATION_SPECIFIC,
                    Reason.TOPIC_NAME_INVALID,
                    Reason.RECEIVE_MAXIMUM_EXCEEDED,
                    Reason.TOPIC_ALIAS_INVALID,
                    Reason.PACKET_TOO_LARGE,
                    0x96,
                    Reason.QUOTA_EXCEEDED,
                    Reason.ADMINISTRATIVE_ACTION,
                    Reason.PAYLOAD_FORMAT_INVALID -> true;
            default -> false;
        };
    }

    /** Checks an AUTH; only MQTT 5 has it. */
    public static void auth(int head, ByteBuf buffer, int index, int length, int level) {
        flags(head, 0);
        if (level < 5) {
            throw PacketException.protocol("AUTH before MQTT 5");
        }
        if (length > 0) {
            int reason = buffer.getUnsignedByte(index);
            if (reason != Reason.SUCCESS
                    && reason != Reason.CONTINUE_AUTHENTICATION
                    && reason != Reason.REAUTHENTICATE) {
                throw PacketException.protocol("AUTH with reason " + Integer.toHexString(reason));
            }
        }
        if (length > 1) {
            end(PropertyRules.check(buffer, index + 1, index + length, PropertyRules.AUTH), index + length);
        }
    }

    /** Checks a PINGREQ. */
    public static void ping(int head, int length) {
        flags(head, 0);
        if (length > 0) {
            throw PacketException.malformed("PINGREQ with bytes left over");
        }
    }

    /**
     * Checks a PUBACK, PUBREC, PUBREL or PUBCOMP; gives its reason code. Its packet identifier is its first two bytes.
     */
    public static int answer(int head, ByteBuf buffer, int index, int length, int level) {
        int type = Packets.type(head);
        flags(head, type == Packets.PUBREL ? 2 : 0);
        int end = index + length;
        if (length < 2 || (level < 5 && length > 2)) {
            throw PacketException.malformed(Packets.name(type) + " of " + length + " bytes");
        }
        if (buffer.getUnsignedShort(index) == 0) {
            throw PacketException.malformed("packet identifier 0");
        }
        if (length == 2) {
            return Reason.SUCCESS;
        }
        int reason = buffer.getUnsignedByte(index + 2);
        if (!isAnswerReason(type, reason)) {
            throw PacketException.protocol(Packets.name(type) + " with reason " + Integer.toHexString(reason));
        }
        if (length > 3) {
            end(PropertyRules.check(buffer, index + 3, end, PropertyRules.ANSWER), end);
        }
        return reason;
    }

    private static boolean isAnswerReason(int type, int reason) {
        if (type == Packets.PUBREL || type == Packets.PUBCOMP) {
            return reason == Reason.SUCCESS || reason == Reason.PACKET_ID_NOT_FOUND;
        }
        return switch (reason) {
            case Reason.SUCCESS,
                    Reason.NO_MATCHING_SUBSCRIBERS,
                    Reason.UNSPECIFIED,
                    Reason.IMPLEMENTATION_SPECIFIC,
                    Reason.NOT_AUTHORIZED,
                    Reason.TOPIC_NAME_INVALID,
                    Reason.PACKET_ID_IN_USE,
                    Reason.QUOTA_EXCEEDED,
                    Reason.PAYLOAD_FORMAT_INVALID -> true;
            default -> false;
        };
    }

    private static void flags(int head, int expected) {
        if (Packets.flags(head) != expected) {
            throw PacketException.malformed(
                    Packets.name(Packets.type(head)) + " with flags " + Integer.toHexString(Packets.flags(head)));
        }
    }

    private static void end(int at, int end) {
        if (at != end) {
            throw PacketException.malformed("a packet with bytes left over");
        }
    }
}
