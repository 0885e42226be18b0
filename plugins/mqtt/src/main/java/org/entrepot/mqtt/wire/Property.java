package org.entrepot.mqtt.wire;

/** Identifiers of the properties of PUBLISH (specification 3.3.2.3), as they are stored and sent. Stateless. */
public final class Property {
    public static final int PAYLOAD_FORMAT = 0x01;
    public static final int MESSAGE_EXPIRY = 0x02;
    public static final int CONTENT_TYPE = 0x03;
    public static final int RESPONSE_TOPIC = 0x08;
    public static final int CORRELATION_DATA = 0x09;
    public static final int SUBSCRIPTION_ID = 0x0B;
    public static final int TOPIC_ALIAS = 0x23;
    public static final int USER_PROPERTY = 0x26;

    private Property() {}
}
