package org.entrepot.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * A plugin for tests of what sessions do: its clients speak no protocol, but call their {@link Connection} themselves, which
 * is a real one with a socket of its own. Used by one thread.
 */
public final class DirectClients implements BrokerPlugin, Protocol, MessageFormat {
    static final long PATIENCE_SECONDS = 20;

    private static final String NAME = "direct";
    private final LinkedBlockingQueue<Opened> opened = new LinkedBlockingQueue<>();

    /** A connection that has just been made. */
    record Opened(ChannelPipeline pipeline, Connection connection, Handler handler, MessageFormat format) {}

    /** Hears what the broker wants of a connection. Called on its loop. */
    static final class Handler extends ChannelInboundHandlerAdapter implements ConnectionHandler {
        final LinkedBlockingQueue<BrokerException> goodbyes = new LinkedBlockingQueue<>();
        private final ChannelPipeline pipeline;

        Handler(ChannelPipeline pipeline) {
            this.pipeline = pipeline;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void close(BrokerException reason) {
            goodbyes.add(reason);
            pipeline.channel().close();
        }
    }

    /** Connects and logs in as guest, with a session in the virtual host "/". */
    public DirectClient connect(EmbeddedBroker broker) {
        Socket socket;
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), broker.port(NAME));
            socket.getOutputStream().write('.');
            Opened made = opened.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (made == null) {
                throw new IllegalStateException("the broker has not taken the connection");
            }
            return new DirectClient(socket, made);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    // BrokerPlugin.

    @Override
    public List<ConfigurationKey> configuration() {
        return ConfigurationKey.listener(NAME, 0);
    }

    @Override
    public List<Protocol> protocols() {
        return List.of(this);
    }

    // Protocol.

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public OptionalInt defaultPort() {
        return OptionalInt.empty();
    }

    @Override
    public Recognition recognise(ByteBuf firstBytes) {
        return Recognition.YES;
    }

    @Override
    public Bytes refusal(ByteBuf firstBytes) {
        return Bytes.EMPTY;
    }

    @Override
    public ConnectionHandler open(ChannelPipeline pipeline, Connection connection) {
        Handler handler = new Handler(pipeline);
        pipeline.addLast(handler);
        opened.add(new Opened(pipeline, connection, handler, this));
        return handler;
    }

    @Override
    public MessageFormat format() {
        return this;
    }

    // MessageFormat.

    @Override
    public Map<String, Object> headers(Bytes header) {
        return Map.of();
    }

    @Override
    public @Nullable Object property(Bytes header, String name) {
        return null;
    }
}
