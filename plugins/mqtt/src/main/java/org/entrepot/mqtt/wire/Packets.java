package org.entrepot.mqtt.wire;

/** Packet types as the first byte's upper half says them, and what else is fixed about packets. Stateless. */
public final class Packets {
    public static final int CONNECT = 1;
    public static final int CONNACK = 2;
    public static final int PUBLISH = 3;
    public static final int PUBACK = 4;
    public static final int PUBREC = 5;
    public static final int PUBREL = 6;
    public static final int PUBCOMP = 7;
    public static final int SUBSCRIBE = 8;
    public static final int SUBACK = 9;
    public static final int UNSUBSCRIBE = 10;
    public static final int UNSUBACK = 11;
    public static final int PINGREQ = 12;
    public static final int PINGRESP = 13;
    public static final int DISCONNECT = 14;
    public static final int AUTH = 15;

    /** Largest remaining length (specification 2.1.4). */
    public static final int REMAINING_MAX = 268_435_455;

    /** Bytes of a first byte and the longest remaining length. */
    public static final int FIXED_HEADER_MAX = 5;

    private static final String[] NAMES = {
        "packet of type 0",
        "CONNECT",
        "CONNACK",
        "PUBLISH",
        "PUBACK",
        "PUBREC",
        "PUBREL",
        "PUBCOMP",
        "SUBSCRIBE",
        "SUBACK",
        "UNSUBSCRIBE",
        "UNSUBACK",
        "PINGREQ",
        "PINGRESP",
        "DISCONNECT",
        "AUTH"
    };

    private Packets() {}

    /** The type that a packet's first byte says. */
    public static int type(int head) {
        return (head >> 4) & 0xF;
    }

    /** The lower half of the first byte. */
    public static int flags(int head) {
        return head & 0xF;
    }

    /** How many bytes a number takes that is written in as few as it needs (specification 1.5.5). */
    public static int variableBytes(int value) {
        return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : 4;
    }

    /** A type's name, for messages. */
    public static String name(int type) {
        return NAMES[type];
    }
}
