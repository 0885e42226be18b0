package org.entrepot.mqtt.wire;

/** A packet that breaks the protocol; its sender's connection ends with the reason. */
public final class PacketException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int reason;

    /** With a code of {@link Reason} and what was wrong, for the log and the client. */
    public PacketException(int reason, String text) {
        super(text, null, false, false);
        this.reason = reason;
    }

    /** Bytes that are no packet. */
    public static PacketException malformed(String text) {
        return new PacketException(Reason.MALFORMED_PACKET, text);
    }

    /** A packet that is not allowed here. */
    public static PacketException protocol(String text) {
        return new PacketException(Reason.PROTOCOL_ERROR, text);
    }

    public int reason() {
        return reason;
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
