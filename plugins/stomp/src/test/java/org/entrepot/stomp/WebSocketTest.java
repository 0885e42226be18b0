package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** STOMP through WebSocket, with the client of the JDK. */
class WebSocketTest {
    private static final int PATIENCE_SECONDS = 10;

    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()));

    /** What has come, of one kind of frames at a time. */
    private static final class Heard implements WebSocket.Listener {
        private final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> binaries = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();
        private final StringBuilder binary = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                texts.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            binary.append(StandardCharsets.UTF_8.decode(data));
            if (last) {
                binaries.add(binary.toString());
                binary.setLength(0);
            }
            socket.request(1);
            return null;
        }
    }

    private static WebSocket open(Heard heard, String subprotocol, String... others) throws Exception {
        URI uri = URI.create("ws://127.0.0.1:" + broker.broker().port("stomp.ws") + "/ws");
        return HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .subprotocols(subprotocol, others)
                .buildAsync(uri, heard)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static String frame(String command, String body, String... lines) {
        return new String(Client.frame(command, body, lines), StandardCharsets.UTF_8);
    }

    private static void send(WebSocket socket, String text) throws Exception {
        socket.sendText(text, true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static String next(BlockingQueue<String> frames) throws InterruptedException {
        String frame = frames.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(frame).as("a frame").isNotNull();
        return frame;
    }

    @Test
    void framesAreTextForAClientThatSendsText() throws Exception {
        Heard heard = new Heard();
        WebSocket socket = open(heard, "v12.stomp", "v11.stomp", "v10.stomp");
        assertThat(socket.getSubprotocol()).isEqualTo("v12.stomp");

        send(socket, frame("CONNECT", "", "accept-version:1.2", "login:guest", "passcode:guest"));
        assertThat(next(heard.texts)).startsWith("CONNECTED\n").contains("\nversion:1.2\n");
        send(
                socket,
                frame("SUBSCRIBE", "", "id:1", "destination:/topic/web")
                        + frame("SEND", "grüße", "destination:/topic/web"));
        assertThat(next(heard.texts)).startsWith("MESSAGE\nsubscription:1\n").contains("\n\ngrüße\0");
        socket.abort();
    }

    @Test
    void framesAreBinaryForAClientThatSendsBinary() throws Exception {
        Heard heard = new Heard();
        WebSocket socket = open(heard, "v10.stomp");

        byte[] connect = Client.frame("STOMP", "", "accept-version:1.1", "login:guest", "passcode:guest");
        socket.sendBinary(ByteBuffer.wrap(connect), true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(next(heard.binaries)).startsWith("CONNECTED\n");
        socket.abort();
    }

    @Test
    void framesOfTheTwoProtocolsNeedNotCoincide() throws Exception {
        Heard heard = new Heard();
        WebSocket socket = open(heard, "v11.stomp");
        String connect = frame("CONNECT", "", "accept-version:1.1", "login:guest", "passcode:guest");
        for (int i = 0; i < connect.length(); i++) {
            send(socket, connect.substring(i, i + 1));
        }
        assertThat(next(heard.texts)).startsWith("CONNECTED\n");
        socket.abort();
    }
}
