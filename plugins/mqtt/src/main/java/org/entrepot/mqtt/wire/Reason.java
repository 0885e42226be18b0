package org.entrepot.mqtt.wire;

/** Reason codes of MQTT 5 (specification 2.4). Stateless. */
public final class Reason {
    public static final int SUCCESS = 0x00;
    public static final int GRANTED_QOS_1 = 0x01;
    public static final int GRANTED_QOS_2 = 0x02;
    public static final int DISCONNECT_WITH_WILL = 0x04;
    public static final int NO_MATCHING_SUBSCRIBERS = 0x10;
    public static final int NO_SUBSCRIPTION_EXISTED = 0x11;
    public static final int CONTINUE_AUTHENTICATION = 0x18;
    public static final int REAUTHENTICATE = 0x19;
    public static final int UNSPECIFIED = 0x80;
    public static final int MALFORMED_PACKET = 0x81;
    public static final int PROTOCOL_ERROR = 0x82;
    public static final int IMPLEMENTATION_SPECIFIC = 0x83;
    public static final int UNSUPPORTED_VERSION = 0x84;
    public static final int CLIENT_ID_NOT_VALID = 0x85;
    public static final int BAD_USER_NAME_OR_PASSWORD = 0x86;
    public static final int NOT_AUTHORIZED = 0x87;
    public static final int SERVER_UNAVAILABLE = 0x88;
    public static final int SERVER_BUSY = 0x89;
    public static final int SERVER_SHUTTING_DOWN = 0x8B;
    public static final int BAD_AUTHENTICATION_METHOD = 0x8C;
    public static final int KEEP_ALIVE_TIMEOUT = 0x8D;
    public static final int SESSION_TAKEN_OVER = 0x8E;
    public static final int TOPIC_FILTER_INVALID = 0x8F;
    public static final int TOPIC_NAME_INVALID = 0x90;
    public static final int PACKET_ID_IN_USE = 0x91;
    public static final int PACKET_ID_NOT_FOUND = 0x92;
    public static final int RECEIVE_MAXIMUM_EXCEEDED = 0x93;
    public static final int TOPIC_ALIAS_INVALID = 0x94;
    public static final int PACKET_TOO_LARGE = 0x95;
    public static final int QUOTA_EXCEEDED = 0x97;
    public static final int ADMINISTRATIVE_ACTION = 0x98;
    public static final int PAYLOAD_FORMAT_INVALID = 0x99;
    public static final int MAXIMUM_CONNECT_TIME = 0xA0;

    private Reason() {}
}
