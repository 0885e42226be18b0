package org.entrepot.stomp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.protocol.WebSocketEndpoint;
import org.entrepot.spi.topology.ExchangeSpec;

/** STOMP on its port, and through WebSocket. One immutable instance a broker, called on any loop. */
final class StompProtocol implements Protocol {
    static final String NAME = "stomp";

    /** The port that is usual. */
    static final int PORT = 61_613;

    /** Web STOMP on the port and the path that RabbitMQ has it at. */
    static final WebSocketEndpoint WEB_SOCKET = new WebSocketEndpoint(
            OptionalInt.of(15_674),
            "/ws",
            List.of("v12.stomp", "v11.stomp", "v10.stomp"),
            WebSocketEndpoint.FrameKind.TEXT_OR_BINARY);

    private static final int COMMAND_BYTES_MAX = 32;

    private final Stomp stomp;

    StompProtocol(StompSettings settings) {
        this.stomp = new Stomp(settings);
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

    /** A line of capital letters, after any ends of lines and zeros: no command of another text protocol is that. */
    @Override
    public Recognition recognise(ByteBuf firstBytes) {
        int at = firstBytes.readerIndex();
        int end = firstBytes.writerIndex();
        while (at < end && isNoise(firstBytes.getByte(at))) {
            at++;
        }
        for (int letters = 0; at < end; at++, letters++) {
            byte b = firstBytes.getByte(at);
            if (b == '\n' || b == '\r') {
                return Recognition.YES;
            }
            if (b < 'A' || b > 'Z' || letters == COMMAND_BYTES_MAX) {
                return Recognition.NO;
            }
        }
        return Recognition.MORE;
    }

    private static boolean isNoise(byte b) {
        return b == 0 || b == '\n' || b == '\r';
    }

    /** As RabbitMQ, it says nothing to strangers. */
    @Override
    public Bytes refusal(ByteBuf firstBytes) {
        return Bytes.EMPTY;
    }

    @Override
    public ConnectionHandler open(ChannelPipeline pipeline, Connection connection) {
        StompConnection handler = new StompConnection(stomp, pipeline.channel(), connection);
        pipeline.addLast("stomp", handler);
        return handler;
    }

    @Override
    public List<ExchangeSpec> standardExchanges() {
        return List.of(ExchangeSpec.plain("amq.topic", "topic", true));
    }

    @Override
    public MessageFormat format() {
        return stomp.format();
    }
}
