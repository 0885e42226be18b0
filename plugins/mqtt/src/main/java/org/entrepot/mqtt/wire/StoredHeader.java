package org.entrepot.mqtt.wire;

import java.nio.charset.StandardCharsets;
import org.entrepot.spi.message.Bytes;

/**
 * How a message's header is stored: a byte of flags, the publisher's client identifier with two bytes of length, and the
 * properties of MQTT 5 as they were sent, less topic alias and expiry. Stateless.
 */
public final class StoredHeader {
    /** What comes before the client identifier. */
    static final int FIXED_BYTES = 3;

    private static final int QOS_MASK = 0x03;
    private static final int RETAIN = 0x04;
    private static final int FROM_STORE = 0x08;

    private StoredHeader() {}

    /** Bytes of a header. */
    public static int length(byte[] clientId, int propertiesLength) {
        return FIXED_BYTES + clientId.length + propertiesLength;
    }

    /** Writes what comes before the properties; gives where they begin. */
    public static int write(byte[] target, int qos, boolean retain, byte[] clientId) {
        target[0] = (byte) (qos | (retain ? RETAIN : 0));
        target[1] = (byte) (clientId.length >> 8);
        target[2] = (byte) clientId.length;
        System.arraycopy(clientId, 0, target, FIXED_BYTES, clientId.length);
        return FIXED_BYTES + clientId.length;
    }

    /** The same header of a copy that the store of retained messages gave a new subscription. */
    public static Bytes fromStore(Bytes header) {
        byte[] copy = header.toArray();
        copy[0] |= FROM_STORE;
        return Bytes.wrap(copy);
    }

    /** The QoS it was published with. */
    public static int qos(Bytes header) {
        return header.at(0) & QOS_MASK;
    }

    /** Whether it was published to be retained. */
    public static boolean isRetain(Bytes header) {
        return (header.at(0) & RETAIN) != 0;
    }

    /** Whether this is a copy from the store of retained messages. */
    public static boolean isFromStore(Bytes header) {
        return (header.at(0) & FROM_STORE) != 0;
    }

    private static int clientIdLength(Bytes header) {
        return ((header.at(1) & 0xFF) << 8) | (header.at(2) & 0xFF);
    }

    /** Whether a client with this identifier published it. */
    public static boolean isFrom(Bytes header, byte[] clientId) {
        if (clientIdLength(header) != clientId.length) {
            return false;
        }
        for (int i = 0; i < clientId.length; i++) {
            if (header.at(FIXED_BYTES + i) != clientId[i]) {
                return false;
            }
        }
        return true;
    }

    /** The publisher's client identifier. */
    public static String clientId(Bytes header) {
        byte[] id = header.slice(FIXED_BYTES, clientIdLength(header)).toArray();
        return new String(id, StandardCharsets.UTF_8);
    }

    /** Where the properties begin. */
    public static int propertiesIndex(Bytes header) {
        return FIXED_BYTES + clientIdLength(header);
    }
}
