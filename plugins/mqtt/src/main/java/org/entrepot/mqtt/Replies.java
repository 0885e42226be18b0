package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import java.util.concurrent.CompletionException;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.spi.BrokerException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the broker says, as packets, and which reason codes stand for its refusals. Stateless. */
final class Replies {
    private static final Logger log = LoggerFactory.getLogger(Replies.class);

    /** A reason string must not make a packet too large for whoever gets it. */
    private static final int REASON_CHARACTERS_MAX = 200;

    /** No packet with a reason string is larger, in bytes. */
    static final int REASON_PACKET_MAX = 3 * REASON_CHARACTERS_MAX + 16;

    private static final int PACKET_BYTES = 8;

    private Replies() {}

    /** The code that says what a refusal says. */
    static int reason(BrokerException refusal) {
        return switch (refusal.kind()) {
            case ACCESS_REFUSED, NOT_ALLOWED -> Reason.NOT_AUTHORIZED;
            case NOT_FOUND, COMMAND_INVALID -> Reason.TOPIC_NAME_INVALID;
            case RESOURCE_ERROR -> Reason.QUOTA_EXCEEDED;
            case FORCED -> Reason.ADMINISTRATIVE_ACTION;
            case CONFLICT -> Reason.SESSION_TAKEN_OVER;
            case PRECONDITION_FAILED, RESOURCE_LOCKED, NOT_IMPLEMENTED -> Reason.IMPLEMENTATION_SPECIFIC;
            case INTERNAL_ERROR -> Reason.UNSPECIFIED;
        };
    }

    /** The code of a DISCONNECT that the broker asks for. */
    static int disconnectReason(BrokerException reason) {
        return reason.kind() == org.entrepot.spi.ErrorKind.FORCED ? Reason.SERVER_SHUTTING_DOWN : reason(reason);
    }

    /** What a stage failed with: a refusal, or a fault of ours, which is written down. */
    static BrokerException refusal(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof BrokerException refusal) {
            return refusal;
        }
        log.error("A fault of an MQTT connection: this is a defect, please report it with this trace", cause);
        return BrokerException.connection(org.entrepot.spi.ErrorKind.INTERNAL_ERROR, "internal error");
    }

    /** Refuses a CONNECT that the codec does not read, in the words of MQTT 3. */
    static void refuse3(Outbound outbound, int reason) {
        ByteBuf out = outbound.room(PACKET_BYTES);
        out.writeByte(Packets.CONNACK << 4).writeByte(2).writeByte(0).writeByte(returnCode(reason));
    }

    /** The return code of MQTT 3 that says what a reason code says; 0 where there is none. */
    static int returnCode(int reason) {
        return switch (reason) {
            case Reason.UNSUPPORTED_VERSION -> 1;
            case Reason.CLIENT_ID_NOT_VALID -> 2;
            case Reason.SERVER_UNAVAILABLE, Reason.SERVER_BUSY, Reason.SERVER_SHUTTING_DOWN -> 3;
            case Reason.BAD_USER_NAME_OR_PASSWORD -> 4;
            case Reason.NOT_AUTHORIZED -> 5;
            default -> 0;
        };
    }

    /** The code of a CONNACK that says what a reason code says; it has not all that a DISCONNECT has. */
    static int connectReason(int reason) {
        return switch (reason) {
            case Reason.SERVER_SHUTTING_DOWN -> Reason.SERVER_UNAVAILABLE;
            case Reason.SESSION_TAKEN_OVER -> Reason.SERVER_BUSY;
            case Reason.ADMINISTRATIVE_ACTION -> Reason.NOT_AUTHORIZED;
            case Reason.KEEP_ALIVE_TIMEOUT,
                    Reason.RECEIVE_MAXIMUM_EXCEEDED,
                    Reason.TOPIC_ALIAS_INVALID,
                    Reason.MAXIMUM_CONNECT_TIME -> Reason.UNSPECIFIED;
            default -> reason;
        };
    }

    /** Tells a client of MQTT 5 why it is let go. */
    static void disconnect(Outbound outbound, int reason, String why) {
        outbound.send(new MqttMessage(
                new MqttFixedHeader(MqttMessageType.DISCONNECT, false, MqttQoS.AT_MOST_ONCE, false, 0),
                new MqttReasonCodeAndPropertiesVariableHeader((byte) reason, withReason(why))));
    }

    /** Asks a client of MQTT 5 for the next step of its login. */
    static void challenge(Outbound outbound, String method, byte[] data) {
        MqttProperties properties = new MqttProperties();
        properties.add(new MqttProperties.StringProperty(MqttProperties.AUTHENTICATION_METHOD, method));
        properties.add(new MqttProperties.BinaryProperty(MqttProperties.AUTHENTICATION_DATA, data));
        outbound.send(new MqttMessage(
                new MqttFixedHeader(MqttMessageType.AUTH, false, MqttQoS.AT_MOST_ONCE, false, 0),
                new MqttReasonCodeAndPropertiesVariableHeader((byte) Reason.CONTINUE_AUTHENTICATION, properties)));
    }

    /** Properties with a reason string; none for an empty one. */
    static MqttProperties withReason(String why) {
        MqttProperties properties = new MqttProperties();
        if (!why.isEmpty()) {
            String text = why.length() > REASON_CHARACTERS_MAX ? why.substring(0, REASON_CHARACTERS_MAX) : why;
            properties.add(new MqttProperties.StringProperty(MqttProperties.REASON_STRING, text));
        }
        return properties;
    }

    /** The bytes of a CONNACK with these properties. */
    static int connAckBytes(MqttProperties properties) {
        int length = 0;
        for (MqttProperties.MqttProperty<?> property : properties.listAll()) {
            length += 1 + valueBytes(property);
        }
        int remaining = 2 + Packets.variableBytes(length) + length;
        return 1 + Packets.variableBytes(remaining) + remaining;
    }

    private static int valueBytes(MqttProperties.MqttProperty<?> property) {
        if (property.value() instanceof String text) {
            return 2 + ByteBufUtil.utf8Bytes(text);
        }
        if (property.value() instanceof byte[] bytes) {
            return 2 + bytes.length;
        }
        return switch (property.propertyId()) {
            case MqttProperties.RECEIVE_MAXIMUM, MqttProperties.TOPIC_ALIAS_MAXIMUM, MqttProperties.SERVER_KEEP_ALIVE ->
                2;
            default -> 4;
        };
    }

    /** A property's value; the default where it is not set. */
    static long number(MqttProperties properties, int id, long defaultValue) {
        MqttProperties.@Nullable MqttProperty<?> property = properties.getProperty(id);
        return property == null ? defaultValue : Integer.toUnsignedLong((Integer) property.value());
    }
}
