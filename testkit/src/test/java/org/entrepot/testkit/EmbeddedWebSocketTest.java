package org.entrepot.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.protocol.WebSocketEndpoint;
import org.entrepot.spi.protocol.WebSocketEndpoint.FrameKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the broker does with a connection, done through WebSocket: flushing, holding back, ending. */
@Timeout(60)
class EmbeddedWebSocketTest {
    private static final int PIECE_BYTES = 1 << 20;

    /** More than the broker lets a client leave unread, and the system's buffers take. */
    private static final int PIECES = 40;

    private final Mirror mirror = new Mirror();

    private EmbeddedBroker start() {
        return EmbeddedBroker.with("mirror", mirror)
                .set("listener.handshake-timeout=60 s")
                .start();
    }

    private static WebSocket connect(EmbeddedBroker broker, Reader reader) throws Exception {
        return HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create("ws://127.0.0.1:" + broker.port("mirror.ws") + "/ws"), reader)
                .get(20, TimeUnit.SECONDS);
    }

    @Test
    void whatAProtocolWritesIsFlushedWhenThePassEnds() throws Exception {
        try (EmbeddedBroker broker = start()) {
            Reader reader = new Reader(Integer.MAX_VALUE);
            WebSocket client = connect(broker, reader);
            client.sendBinary(ByteBuffer.wrap(new byte[] {'M', 1, 2}), true).get(20, TimeUnit.SECONDS);
            reader.await(3);
            assertThat(mirror.connections.take().facts().listener()).isEqualTo("mirror.ws");
        }
    }

    @Test
    void whoDoesNotReadItsAnswersIsNotReadUntilItDoes() throws Exception {
        try (EmbeddedBroker broker = start()) {
            Reader reader = new Reader(0);
            WebSocket client = connect(broker, reader);
            byte[] piece = new byte[PIECE_BYTES];
            piece[0] = 'M';
            CompletableFuture<?> sent = CompletableFuture.completedFuture(null);
            for (int i = 0; i < PIECES; i++) {
                sent = sent.thenCompose(done -> client.sendBinary(ByteBuffer.wrap(piece), true));
            }
            CompletableFuture<?> all = sent;
            Connection connection = mirror.connections.poll(20, TimeUnit.SECONDS);
            assertThat(connection).isNotNull();
            mirror.paused.get(20, TimeUnit.SECONDS);
            assertThatThrownBy(() -> all.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);

            client.request(Integer.MAX_VALUE);
            reader.await(PIECES * PIECE_BYTES);
            all.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void aBrokerThatStopsClosesWithGoingAway() throws Exception {
        Reader reader = new Reader(Integer.MAX_VALUE);
        try (EmbeddedBroker broker = start()) {
            connect(broker, reader).sendBinary(ByteBuffer.wrap(new byte[] {'M'}), true);
            reader.await(1);
        }
        assertThat(reader.closed.get(20, TimeUnit.SECONDS)).isEqualTo(1001);
    }

    /** Counts what comes, as far as it is asked to. */
    private static final class Reader implements WebSocket.Listener {
        final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private final int framesAskedFor;
        private final Semaphore bytes = new Semaphore(0);

        Reader(int framesAskedFor) {
            this.framesAskedFor = framesAskedFor;
        }

        void await(int count) throws InterruptedException {
            assertThat(bytes.tryAcquire(count, 30, TimeUnit.SECONDS))
                    .as("%d bytes come, and not %d", count, bytes.availablePermits())
                    .isTrue();
        }

        @Override
        public void onOpen(WebSocket socket) {
            if (framesAskedFor > 0) {
                socket.request(framesAskedFor);
            }
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            bytes.release(data.remaining());
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.complete(status);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed.completeExceptionally(error);
        }
    }

    /** A protocol that writes back what it reads, and leaves flushing and holding back to the broker. */
    private static final class Mirror implements BrokerPlugin, Protocol, MessageFormat {
        private static final WebSocketEndpoint ENDPOINT =
                new WebSocketEndpoint(OptionalInt.of(1), "/ws", List.of(), FrameKind.BINARY);

        final BlockingQueue<Connection> connections = new LinkedBlockingQueue<>();
        final CompletableFuture<Void> paused = new CompletableFuture<>();

        @Override
        public List<ConfigurationKey> configuration() {
            return ConfigurationKey.listener("mirror", -1, ENDPOINT);
        }

        @Override
        public List<Protocol> protocols() {
            return List.of(this);
        }

        @Override
        public String name() {
            return "mirror";
        }

        @Override
        public OptionalInt defaultPort() {
            return OptionalInt.empty();
        }

        @Override
        public Optional<WebSocketEndpoint> webSocket() {
            return Optional.of(ENDPOINT);
        }

        @Override
        public Recognition recognise(ByteBuf firstBytes) {
            return firstBytes.getByte(firstBytes.readerIndex()) == 'M' ? Recognition.YES : Recognition.NO;
        }

        @Override
        public Bytes refusal(ByteBuf firstBytes) {
            return Bytes.EMPTY;
        }

        @Override
        public ConnectionHandler open(ChannelPipeline pipeline, Connection connection) {
            pipeline.addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ctx.channel().write(message);
                }

                @Override
                public void channelReadComplete(ChannelHandlerContext ctx) {
                    if (connection.readingPaused()) {
                        paused.complete(null);
                    }
                }
            });
            connections.add(connection);
            return new ConnectionHandler() {
                @Override
                public void close(BrokerException reason) {
                    pipeline.channel().close();
                }
            };
        }

        @Override
        public MessageFormat format() {
            return this;
        }

        @Override
        public Map<String, Object> headers(Bytes header) {
            return Map.of();
        }

        @Override
        public Object property(Bytes header, String name) {
            return null;
        }
    }
}
