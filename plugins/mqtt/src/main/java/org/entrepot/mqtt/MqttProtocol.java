package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.protocol.WebSocketEndpoint;
import org.entrepot.spi.topology.ExchangeSpec;

/** MQTT on its ports: all versions on one, told apart by the CONNECT. One immutable instance a broker, called on any loop. */
final class MqttProtocol implements Protocol {
    static final String NAME = "mqtt";

    /** The port that IANA gave MQTT. */
    static final int PORT = 1883;

    /** Where RabbitMQ has MQTT over WebSocket. */
    static final WebSocketEndpoint WEB_SOCKET = new WebSocketEndpoint(
            OptionalInt.of(15_675), "/ws", List.of("mqtt", "mqttv3.1"), WebSocketEndpoint.FrameKind.BINARY);

    private static final byte[][] PROTOCOL_NAMES = {
        {0, 4, 'M', 'Q', 'T', 'T'},
        {0, 6, 'M', 'Q', 'I', 's', 'd', 'p'}
    };

    private final MqttShared shared;

    MqttProtocol(MqttShared shared) {
        this.shared = shared;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public OptionalInt defaultPort() {
        return OptionalInt.of(PORT);
    }

    @Override
    public Optional<WebSocketEndpoint> webSocket() {
        return Optional.of(WEB_SOCKET);
    }

    /** A CONNECT: its type, a remaining length, and the protocol's name. */
    @Override
    public Recognition recognise(ByteBuf firstBytes) {
        int at = firstBytes.readerIndex();
        int end = firstBytes.writerIndex();
        if (Packets.type(firstBytes.getByte(at++)) != Packets.CONNECT) {
            return Recognition.NO;
        }
        int lengthEnd = at + 4;
        do {
            if (at == end) {
                return Recognition.MORE;
            }
            if (at == lengthEnd) {
                return Recognition.NO;
            }
        } while (firstBytes.getByte(at++) < 0);
        Recognition best = Recognition.NO;
        for (byte[] name : PROTOCOL_NAMES) {
            Recognition one = startsWith(name, firstBytes, at, end);
            if (one == Recognition.YES) {
                return one;
            }
            best = one == Recognition.MORE ? one : best;
        }
        return best;
    }

    private static Recognition startsWith(byte[] name, ByteBuf bytes, int from, int end) {
        for (int i = 0; i < name.length; i++) {
            if (from + i == end) {
                return Recognition.MORE;
            }
            if (bytes.getByte(from + i) != name[i]) {
                return Recognition.NO;
            }
        }
        return Recognition.YES;
    }

    /** Strangers are told nothing (specification 4.13). */
    @Override
    public Bytes refusal(ByteBuf firstBytes) {
        return Bytes.EMPTY;
    }

    @Override
    public ConnectionHandler open(ChannelPipeline pipeline, Connection connection) {
        return MqttConnection.open(shared, pipeline, connection);
    }

    @Override
    public List<ExchangeSpec> standardExchanges() {
        return List.of(ExchangeSpec.plain("amq.topic", "topic", true));
    }

    @Override
    public MessageFormat format() {
        return MqttMessageFormat.INSTANCE;
    }
}
