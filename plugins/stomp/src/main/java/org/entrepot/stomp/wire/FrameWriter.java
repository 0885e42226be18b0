package org.entrepot.stomp.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.entrepot.spi.message.Bytes;

/**
 * Writes the frames that a server sends, straight into the buffer that is sent. Owned by a connection's loop.
 *
 * <p>As RabbitMQ does, it writes a content-length for bodies that are not empty only, and a line feed after every frame.
 */
public final class FrameWriter {
    private static final byte[] REDELIVERED = ascii("\nredelivered:true\n");
    private static final byte[] FIRST_DELIVERY = ascii("\nredelivered:false\n");
    private static final byte[] CONTENT_LENGTH = ascii("content-length:");
    private static final byte[] RECEIPT = ascii("RECEIPT\nreceipt-id:");
    private static final int DIGITS_MAX = 19;

    /** Bytes that a MESSAGE takes besides its subscription's head, destination, header and body. */
    public static final int MESSAGE_BYTES =
            FIRST_DELIVERY.length + 2 * (DIGITS_MAX + 1) + CONTENT_LENGTH.length + DIGITS_MAX + 4;

    /** Bytes that a RECEIPT takes besides its id. */
    public static final int RECEIPT_BYTES = RECEIPT.length + 4;

    private final boolean trailingLineFeed;
    private byte[] scratch = new byte[512];
    private int length;

    public FrameWriter(boolean trailingLineFeed) {
        this.trailingLineFeed = trailingLineFeed;
    }

    /** How much room a MESSAGE needs at most. */
    public static int messageBytes(DeliveryHead head, byte[] destination, Bytes header, Bytes body) {
        return head.length() + destination.length + MESSAGE_BYTES + header.length() + body.length();
    }

    /**
     * Appends a MESSAGE.
     *
     * @param destination as it stands in a header
     * @param number what the message's id ends with
     * @param header more lines, each with its line feed
     */
    public void message(
            ByteBuf out,
            DeliveryHead head,
            byte[] destination,
            long number,
            boolean redelivered,
            Bytes header,
            Bytes body) {
        length = 0;
        ensure(head.length() + destination.length + MESSAGE_BYTES);
        add(head.begin());
        add(destination);
        add(head.messageId());
        int numberFrom = length;
        addNumber(number);
        int numberTo = length;
        add(redelivered ? REDELIVERED : FIRST_DELIVERY);
        if (head.ack().length > 0) {
            add(head.ack());
            System.arraycopy(scratch, numberFrom, scratch, length, numberTo - numberFrom);
            length += numberTo - numberFrom;
            scratch[length++] = '\n';
        }
        out.writeBytes(scratch, 0, length);
        header.writeTo(out);
        length = 0;
        if (body.length() > 0) {
            add(CONTENT_LENGTH);
            addNumber(body.length());
            scratch[length++] = '\n';
        }
        scratch[length++] = '\n';
        out.writeBytes(scratch, 0, length);
        body.writeTo(out);
        end(out);
    }

    /** Appends a RECEIPT for the id as the client wrote it. */
    public void receipt(ByteBuf out, byte[] id) {
        out.writeBytes(RECEIPT);
        out.writeBytes(id);
        out.writeShort(('\n' << 8) | '\n');
        end(out);
    }

    /**
     * Appends any frame.
     *
     * @param lines its headers, but for content-length
     */
    public void frame(ByteBuf out, String command, LineBuffer lines, byte[] body) {
        out.writeBytes(ascii(command));
        out.writeByte('\n');
        out.writeBytes(lines.toArray());
        if (body.length > 0) {
            out.writeBytes(CONTENT_LENGTH);
            out.writeBytes(ascii(Integer.toString(body.length)));
            out.writeByte('\n');
        }
        out.writeByte('\n');
        out.writeBytes(body);
        end(out);
    }

    private void end(ByteBuf out) {
        if (trailingLineFeed) {
            out.writeShort('\n');
        } else {
            out.writeByte(0);
        }
    }

    private void ensure(int bytes) {
        if (scratch.length < bytes) {
            scratch = new byte[Math.max(bytes, 2 * scratch.length)];
        }
    }

    private void add(byte[] bytes) {
        System.arraycopy(bytes, 0, scratch, length, bytes.length);
        length += bytes.length;
    }

    private void addNumber(long number) {
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        long rest = number;
        for (int at = length + digits - 1; at >= length; at--) {
            scratch[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
