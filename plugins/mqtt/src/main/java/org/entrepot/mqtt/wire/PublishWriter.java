package org.entrepot.mqtt.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.RoutingKey;

/**
 * Writes PUBLISH and what answers it, straight into the buffer that is sent. Owned by a connection's loop and reused.
 *
 * <p>The topic of the last message is kept as it stands on the wire, for most deliveries have that of the one before.
 */
public final class PublishWriter {
    /** {@link #publish} of a message that does not expire. */
    public static final long NO_EXPIRY = -1;

    private static final int TOPIC_BYTES_MIN = 64;
    private static final int TOPIC_BYTES_KEPT = 1 << 10;
    private static final int EXPIRY_BYTES = 5;

    private final boolean version5;
    private final int packetMax;
    private RoutingKey lastKey = RoutingKey.EMPTY;
    private boolean lastIsTopic;
    private ByteBuf lastTopic = Unpooled.EMPTY_BUFFER;

    /** With the largest packet, all its bytes counted, that the client takes. */
    public PublishWriter(boolean version5, int packetMax) {
        this.version5 = version5;
        this.packetMax = packetMax;
    }

    /** Makes the key the next message's; whether it is a topic. */
    public boolean topic(RoutingKey key) {
        if (key.equals(lastKey)) {
            return lastIsTopic;
        }
        lastKey = key;
        if (lastTopic.capacity() == 0 || lastTopic.capacity() > TOPIC_BYTES_KEPT) {
            lastTopic = Unpooled.buffer(Math.max(TOPIC_BYTES_MIN, key.length()));
        }
        lastTopic.clear();
        lastIsTopic = Topics.writeTopic(key, lastTopic);
        return lastIsTopic;
    }

    /** The key that {@link #topic} was given last. */
    public RoutingKey key() {
        return lastKey;
    }

    /** The bytes of the topic, to be read only, until the next one. */
    public ByteBuf topicBytes() {
        return lastTopic;
    }

    /**
     * Whether the packet is as small as the client wants it.
     *
     * @param propertiesLength bytes of stored properties that are sent
     */
    public boolean fits(
            int qos,
            int propertiesLength,
            long expirySeconds,
            int[] ids,
            int idCount,
            int alias,
            boolean aliasOnly,
            int payloadLength) {
        return size(remaining(
                        qos,
                        propertiesLength,
                        expirySeconds,
                        ids,
                        idCount,
                        alias,
                        topicLength(aliasOnly),
                        payloadLength))
                <= packetMax;
    }

    private int topicLength(boolean aliasOnly) {
        return aliasOnly ? 0 : lastTopic.readableBytes();
    }

    /** Bytes that {@link #publish} takes at most. */
    public int room(int propertiesLength, int idCount, int payloadLength) {
        return 32 + lastTopic.readableBytes() + propertiesLength + 5 * idCount + payloadLength;
    }

    /**
     * Appends a PUBLISH to the topic that {@link #topic} was given last.
     *
     * @param packetId at QoS 1 and 2
     * @param header a stored header, whose properties are sent from {@code propertiesIndex} on
     * @param expirySeconds seconds that are left, or {@link #NO_EXPIRY}
     * @param ids the identifiers of the subscriptions that matched, {@code idCount} of them
     * @param alias the topic's alias; 0 for none
     * @param aliasOnly whether the client knows what the alias stands for
     */
    public void publish(
            ByteBuf out,
            int qos,
            boolean duplicate,
            boolean retain,
            int packetId,
            Bytes header,
            int propertiesIndex,
            long expirySeconds,
            int[] ids,
            int idCount,
            int alias,
            boolean aliasOnly,
            Bytes payload) {
        int storedLength = header.length() - propertiesIndex;
        int topicLength = topicLength(aliasOnly);
        int remaining = remaining(qos, storedLength, expirySeconds, ids, idCount, alias, topicLength, payload.length());
        out.writeByte((Packets.PUBLISH << 4) | (duplicate ? 8 : 0) | (qos << 1) | (retain ? 1 : 0));
        writeVariable(out, remaining);
        out.writeShort(topicLength);
        if (!aliasOnly) {
            out.writeBytes(lastTopic, lastTopic.readerIndex(), topicLength);
        }
        if (qos > 0) {
            out.writeShort(packetId);
        }
        if (version5) {
            writeVariable(out, propertiesLength(storedLength, expirySeconds, ids, idCount, alias));
            if (expirySeconds != NO_EXPIRY) {
                out.writeByte(Property.MESSAGE_EXPIRY).writeInt((int) Math.min(0xFFFF_FFFFL, expirySeconds));
            }
            if (alias != 0) {
                out.writeByte(Property.TOPIC_ALIAS).writeShort(alias);
            }
            for (int i = 0; i < idCount; i++) {
                out.writeByte(Property.SUBSCRIPTION_ID);
                writeVariable(out, ids[i]);
            }
            header.writeTo(out, propertiesIndex, storedLength);
        }
        payload.writeTo(out);
    }

    private int remaining(
            int qos,
            int storedLength,
            long expirySeconds,
            int[] ids,
            int idCount,
            int alias,
            int topicLength,
            int payloadLength) {
        int remaining = 2 + topicLength + (qos > 0 ? 2 : 0) + payloadLength;
        if (version5) {
            int properties = propertiesLength(storedLength, expirySeconds, ids, idCount, alias);
            remaining += Packets.variableBytes(properties) + properties;
        }
        return remaining;
    }

    private static int propertiesLength(int storedLength, long expirySeconds, int[] ids, int idCount, int alias) {
        int length = storedLength + (expirySeconds == NO_EXPIRY ? 0 : EXPIRY_BYTES) + (alias == 0 ? 0 : 3);
        for (int i = 0; i < idCount; i++) {
            length += 1 + Packets.variableBytes(ids[i]);
        }
        return length;
    }

    private static int size(int remaining) {
        return 1 + Packets.variableBytes(remaining) + remaining;
    }

    private static void writeVariable(ByteBuf out, int value) {
        int rest = value;
        while (rest >= 0x80) {
            out.writeByte((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    /** Appends a PUBACK, PUBREC, PUBREL or PUBCOMP; a reason other than success is for clients of MQTT 5 only. */
    public static void answer(ByteBuf out, int type, int packetId, int reason) {
        int flags = type == Packets.PUBREL ? 2 : 0;
        out.writeByte((type << 4) | flags);
        if (reason == Reason.SUCCESS) {
            out.writeByte(2).writeShort(packetId);
        } else {
            out.writeByte(3).writeShort(packetId).writeByte(reason);
        }
    }

    /** Appends a PINGRESP. */
    public static void pong(ByteBuf out) {
        out.writeShort(Packets.PINGRESP << 12);
    }
}
