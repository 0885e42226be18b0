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
import org.entrepot.stomp.wire.Command;

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

    /** A line that is one of the commands of clients, after any ends of lines and zeros. */
    @Override
    public Recognition recognise(ByteBuf firstBytes) {
        int at = firstBytes.readerIndex();
        int end = firstBytes.writerIndex();
        while (at < end && isNoise(firstBytes.getByte(at))) {
            at++;
        }
        Recognition recognition = Recognition.NO;
        for (Command command : Command.values()) {
            String name = command.name();
            if (command != Command.UNKNOWN && begins(firstBytes, at, end, name)) {
                if (end - at <= name.length()) {
                    recognition = Recognition.MORE;
                } else if (isLineEnd(firstBytes.getByte(at + name.length()))) {
                    return Recognition.YES;
                }
            }
        }
        return recognition;
    }

    /** Whether the bytes are the beginning of the name, or go on after it. */
    private static boolean begins(ByteBuf bytes, int from, int to, String name) {
        for (int i = 0; i < name.length() && from + i < to; i++) {
            if (bytes.getByte(from + i) != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLineEnd(byte b) {
        return b == '\n' || b == '\r';
    }

    private static boolean isNoise(byte b) {
        return b == 0 || isLineEnd(b);
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
