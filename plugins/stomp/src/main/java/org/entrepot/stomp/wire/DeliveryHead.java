package org.entrepot.stomp.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What stands in every MESSAGE of one subscription, ready to be written. Immutable.
 *
 * @param begin command and subscription, up to where the destination begins
 * @param messageId what follows the destination, up to the message's number
 * @param ack what follows the flag of redelivery, up to the message's number; empty where the client wants no such header
 */
@SuppressWarnings("ArrayRecordComponent") // nobody writes to them, and nobody compares them
public record DeliveryHead(byte[] begin, byte[] messageId, byte[] ack) {

    /**
     * The head for a subscription.
     *
     * @param id the subscription's id as the client wrote it; empty where it gave none
     * @param tag what messages' ids begin with, as it stands in a header
     * @param session the session's name
     * @param withAck whether messages have a header that they are acknowledged by
     */
    public static DeliveryHead of(byte[] id, boolean hasId, byte[] tag, String session, boolean withAck) {
        ByteArrayOutputStream begin = new ByteArrayOutputStream();
        begin.writeBytes(ascii("MESSAGE\n"));
        if (hasId) {
            begin.writeBytes(ascii("subscription:"));
            begin.writeBytes(id);
            begin.write('\n');
        }
        begin.writeBytes(ascii("destination:"));
        ByteArrayOutputStream messageId = new ByteArrayOutputStream();
        messageId.writeBytes(tag);
        messageId.writeBytes(ascii("@@" + session + "@@"));
        return new DeliveryHead(
                begin.toByteArray(),
                joined("\nmessage-id:", messageId),
                withAck ? joined("ack:", messageId) : new byte[0]);
    }

    private static byte[] joined(String name, ByteArrayOutputStream value) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        line.writeBytes(ascii(name));
        line.writeBytes(value.toByteArray());
        return line.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Bytes that the fixed parts take. */
    int length() {
        return begin.length + messageId.length + ack.length;
    }
}
