package org.entrepot.spi.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.topology.ExchangeSpec;

/**
 * A wire protocol. Vendors implement it; one instance a broker, called on any loop. Ports, TLS, WebSocket, the PROXY
 * protocol and limits on connections are the listener's: the protocol's pipeline sees a client's plain bytes.
 */
public interface Protocol {

    /** Lower-case and short; the protocol's listeners are configured as {@code listener.NAME.port} and so on. */
    String name();

    /** The port to listen on where nothing is configured; empty for none. */
    OptionalInt defaultPort();

    /**
     * How this protocol is spoken through WebSocket; empty where it is not. Asked once, at start. Whoever returns one declares
     * its keys too, by {@link org.entrepot.spi.ConfigurationKey#listener(String, int, WebSocketEndpoint)}.
     *
     * <p>What is first in the frames must be what {@link #recognise} takes for this protocol.
     */
    default Optional<WebSocketEndpoint> webSocket() {
        return Optional.empty();
    }

    /**
     * Looks at the first bytes of a connection, to tell this protocol from others on the same port and from strays.
     *
     * @param firstBytes what has come so far, at least one byte; its reader index must stay as it is
     */
    Recognition recognise(ByteBuf firstBytes);

    /** What first bytes say. */
    enum Recognition {
        /** This protocol. */
        YES,
        /** Something else. */
        NO,
        /** Too few bytes to tell. */
        MORE
    }

    /**
     * Answers a connection whose first bytes are of no protocol on its port, before it is closed: what this protocol
     * says to strangers. Empty for nothing.
     */
    Bytes refusal(ByteBuf firstBytes);

    /**
     * Takes a new connection over: adds the protocol's handlers to the end of the pipeline. Called on the connection's
     * loop, before the first bytes are passed on. The handlers own what they read and release it; they may call {@code
     * pipeline.channel().write} with {@link ByteBuf}s, and the broker flushes at the end of the loop's pass.
     *
     * @return hears what the broker wants of the connection
     */
    ConnectionHandler open(ChannelPipeline pipeline, Connection connection);

    /** Exchanges that every virtual host has for this protocol. */
    default List<ExchangeSpec> standardExchanges() {
        return List.of();
    }

    /** How this protocol's messages encode their properties. */
    MessageFormat format();
}
