package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.RoutingKey;

/**
 * Writes messages and acknowledgements as frames, straight into the buffer that is sent. Owned by a connection's loop.
 *
 * <p>Keys and exchanges that do not fit a short string, which only another protocol can have published with, are cut to
 * the 255 bytes that do. A header is never split: one that is larger than the client's frames is sent all the same, as
 * RabbitMQ does.
 */
public final class DeliveryWriter {
    private static final long MESSAGE_COUNT_MAX = 0xFFFF_FFFFL;

    /** Class and method, delivery tag, redelivered, lengths of exchange and key. */
    private static final int DELIVER_FIXED_BYTES = 4 + 8 + 1 + 1 + 1;

    private static final int GET_OK_FIXED_BYTES = DELIVER_FIXED_BYTES + 4;
    private static final int RETURN_FIXED_BYTES = 4 + 2 + 1 + 1 + 1;
    private static final int ACK_BYTES = 4 + 8 + 1;

    private final int bodyBytesMax;

    /** The last exchange and its short string: most deliveries have the same one as the delivery before. */
    private String exchange = "";

    private byte[] exchangeBytes = ShortString.encode("");

    /** With the frame size that was agreed. */
    public DeliveryWriter(int frameMax) {
        if (frameMax <= Frames.OVERHEAD_BYTES) {
            throw new IllegalArgumentException("frames of " + frameMax + " bytes have no room for a body");
        }
        this.bodyBytesMax = frameMax - Frames.OVERHEAD_BYTES;
    }

    /**
     * Appends a basic.deliver with its content.
     *
     * @param consumerTag as {@link ShortString#encode} gives it
     */
    public void deliver(
            ByteBuf out,
            int channel,
            byte[] consumerTag,
            long deliveryTag,
            boolean redelivered,
            String exchange,
            RoutingKey key,
            Bytes header,
            Bytes body) {
        byte[] exchangeName = shortString(exchange);
        int keyLength = keyLength(key);
        int size = DELIVER_FIXED_BYTES - 1 + consumerTag.length + exchangeName.length + keyLength;
        reserve(out, size, header, body);
        method(out, channel, Methods.BASIC_DELIVER, size);
        out.writeBytes(consumerTag);
        out.writeLong(deliveryTag);
        out.writeBoolean(redelivered);
        out.writeBytes(exchangeName);
        key(out, key, keyLength);
        out.writeByte(Frames.END);
        content(out, channel, header, body);
    }

    /** Appends a basic.get-ok with its content. */
    public void getOk(
            ByteBuf out,
            int channel,
            long deliveryTag,
            boolean redelivered,
            String exchange,
            RoutingKey key,
            long messageCount,
            Bytes header,
            Bytes body) {
        byte[] exchangeName = shortString(exchange);
        int keyLength = keyLength(key);
        int size = GET_OK_FIXED_BYTES - 1 + exchangeName.length + keyLength;
        reserve(out, size, header, body);
        method(out, channel, Methods.BASIC_GET_OK, size);
        out.writeLong(deliveryTag);
        out.writeBoolean(redelivered);
        out.writeBytes(exchangeName);
        key(out, key, keyLength);
        out.writeInt((int) Math.min(messageCount, MESSAGE_COUNT_MAX));
        out.writeByte(Frames.END);
        content(out, channel, header, body);
    }

    /** Appends a basic.return with its content; the reply text is the code's name. */
    public void returned(
            ByteBuf out, int channel, ReplyCode code, String exchange, RoutingKey key, Bytes header, Bytes body) {
        byte[] replyText = ShortString.encode(code.name());
        byte[] exchangeName = shortString(exchange);
        int keyLength = keyLength(key);
        int size = RETURN_FIXED_BYTES - 2 + replyText.length + exchangeName.length + keyLength;
        reserve(out, size, header, body);
        method(out, channel, Methods.BASIC_RETURN, size);
        out.writeShort(code.number());
        out.writeBytes(replyText);
        out.writeBytes(exchangeName);
        key(out, key, keyLength);
        out.writeByte(Frames.END);
        content(out, channel, header, body);
    }

    /** Appends a basic.ack: a publish, or with {@code multiple} all up to it, is confirmed. */
    public static void ack(ByteBuf out, int channel, long deliveryTag, boolean multiple) {
        acknowledgement(out, channel, Methods.BASIC_ACK, deliveryTag, multiple);
    }

    /** Appends a basic.nack: a publish, or with {@code multiple} all up to it, was refused. */
    public static void nack(ByteBuf out, int channel, long deliveryTag, boolean multiple) {
        acknowledgement(out, channel, Methods.BASIC_NACK, deliveryTag, multiple);
    }

    private static void acknowledgement(ByteBuf out, int channel, int method, long deliveryTag, boolean multiple) {
        out.ensureWritable(ACK_BYTES + Frames.OVERHEAD_BYTES);
        method(out, channel, method, ACK_BYTES);
        out.writeLong(deliveryTag);
        out.writeShort((multiple ? 1 << 8 : 0) | Frames.END);
    }

    private void reserve(ByteBuf out, int methodSize, Bytes header, Bytes body) {
        int bodyLength = body.length();
        int bodyFrames = (int) (((long) bodyLength + bodyBytesMax - 1) / bodyBytesMax);
        out.ensureWritable(methodSize
                + HeaderCursor.FIXED_BYTES
                + header.length()
                + bodyLength
                + (2 + bodyFrames) * Frames.OVERHEAD_BYTES);
    }

    private void content(ByteBuf out, int channel, Bytes header, Bytes body) {
        int bodyLength = body.length();
        head(out, Frames.HEADER, channel, HeaderCursor.FIXED_BYTES + header.length());
        out.writeInt(Methods.BASIC << 16);
        out.writeLong(bodyLength);
        header.writeTo(out);
        out.writeByte(Frames.END);
        for (int offset = 0; offset < bodyLength; offset += bodyBytesMax) {
            int part = Math.min(bodyBytesMax, bodyLength - offset);
            head(out, Frames.BODY, channel, part);
            body.writeTo(out, offset, part);
            out.writeByte(Frames.END);
        }
    }

    private static void method(ByteBuf out, int channel, int method, int size) {
        head(out, Frames.METHOD, channel, size);
        out.writeInt(method);
    }

    /** Type, channel and size in two writes. */
    private static void head(ByteBuf out, int type, int channel, int size) {
        out.writeMedium(type << 16 | channel);
        out.writeInt(size);
    }

    private static void key(ByteBuf out, RoutingKey key, int length) {
        out.writeByte(length);
        if (length == key.length()) {
            key.writeTo(out);
        } else {
            key.bytes().writeTo(out, 0, length);
        }
    }

    /** The bytes of a key that fit, without splitting a character. */
    private static int keyLength(RoutingKey key) {
        int length = key.length();
        if (length > ShortString.BYTES_MAX) {
            length = ShortString.BYTES_MAX;
            while (length > 0 && (key.at(length) & 0xC0) == 0x80) {
                length--;
            }
        }
        return length;
    }

    private byte[] shortString(String name) {
        if (!name.equals(exchange)) {
            exchange = name;
            exchangeBytes = ShortString.encode(ShortString.cut(name));
        }
        return exchangeBytes;
    }
}
