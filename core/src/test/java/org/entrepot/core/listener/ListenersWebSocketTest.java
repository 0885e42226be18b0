package org.entrepot.core.listener;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.entrepot.core.listener.WebSocketClient.BINARY;
import static org.entrepot.core.listener.WebSocketClient.CLOSE;
import static org.entrepot.core.listener.WebSocketClient.CONTINUATION;
import static org.entrepot.core.listener.WebSocketClient.PING;
import static org.entrepot.core.listener.WebSocketClient.PONG;
import static org.entrepot.core.listener.WebSocketClient.TEXT;
import static org.entrepot.core.listener.WebSocketClient.frame;
import static org.entrepot.core.listener.WebSocketClient.header;
import static org.entrepot.core.listener.WebSocketClient.join;
import static org.entrepot.core.listener.WebSocketClient.masked;
import static org.entrepot.core.listener.WebSocketClient.request;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.entrepot.core.listener.TestCertificates.Party;
import org.entrepot.core.listener.WebSocketClient.Frame;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.protocol.WebSocketEndpoint;
import org.entrepot.spi.protocol.WebSocketEndpoint.FrameKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class ListenersWebSocketTest {
    private static final WebSocketSpec BINARY_ONLY = spec(FrameKind.BINARY, "echo", "echo.old");
    private static final WebSocketSpec ANY = spec(FrameKind.TEXT_OR_BINARY);

    private static WebSocketSpec spec(FrameKind frames, String... subprotocols) {
        return WebSocketSpec.of(new WebSocketEndpoint(OptionalInt.empty(), "/ws", List.of(subprotocols), frames));
    }

    private static ListenerSpec listener(WordProtocol protocol, WebSocketSpec spec) {
        return new ListenerSpec(
                protocol.name() + ".ws", protocol, List.of("127.0.0.1"), 0, Optional.empty(), Optional.of(spec));
    }

    private static Fixture opened(WebSocketSpec spec) throws IOException {
        Fixture fixture = new Fixture();
        fixture.open(listener(Fixture.ECHO, spec));
        return fixture;
    }

    private static WebSocketClient connect(Fixture fixture) throws IOException {
        return new WebSocketClient(fixture.connect());
    }

    /** Connected, and handed to the protocol. */
    private static WebSocketClient established(Fixture fixture) throws IOException {
        WebSocketClient client = connect(fixture).open().say(BINARY, "ECHO");
        assertThat(client.hear().text()).isEqualTo("ECHO");
        return client;
    }

    // Real clients.

    @Test
    void aClientOfTheJdkSpeaksThroughIt() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY)) {
            InetSocketAddress address = fixture.listeners.bound().get(0).address();
            Heard heard = new Heard();
            WebSocket client = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .subprotocols("unknown", "echo.old", "echo")
                    .buildAsync(URI.create("ws://127.0.0.1:" + address.getPort() + "/ws?a=b"), heard)
                    .get(10, TimeUnit.SECONDS);
            assertThat(client.getSubprotocol()).isEqualTo("echo.old");

            byte[] large = ("ECHO" + "x".repeat(1_000_000)).getBytes(UTF_8);
            client.sendBinary(ByteBuffer.wrap(large, 0, 2), false).get(10, TimeUnit.SECONDS);
            client.sendBinary(ByteBuffer.wrap(large, 2, large.length - 2), true).get(10, TimeUnit.SECONDS);
            assertThat(heard.bytes(large.length)).isEqualTo(large);
            client.sendPing(ByteBuffer.wrap(new byte[] {1, 2, 3})).get(10, TimeUnit.SECONDS);
            assertThat(heard.pongs.poll(10, TimeUnit.SECONDS)).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));

            ConnectionFacts facts = fixture.nextOpened();
            assertThat(facts.listener()).isEqualTo("echo.ws");
            assertThat(facts.local()).isEqualTo(address);
            assertThat(facts.tls()).isEmpty();
            client.sendClose(WebSocket.NORMAL_CLOSURE, "bye").get(10, TimeUnit.SECONDS);
            assertThat(heard.closed.get(10, TimeUnit.SECONDS)).isEqualTo(WebSocket.NORMAL_CLOSURE);
            Fixture.await("it is closed", () -> fixture.open("echo.ws") == 0);
        }
    }

    @Test
    void aClientOfTheJdkHearsOfTheBrokersClosing() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY)) {
            Heard heard = new Heard();
            WebSocket client = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .buildAsync(
                            URI.create("ws://127.0.0.1:"
                                    + fixture.listeners.bound().get(0).address().getPort() + "/ws"),
                            heard)
                    .get(10, TimeUnit.SECONDS);
            client.sendBinary(ByteBuffer.wrap("ECHO".getBytes(UTF_8)), true).get(10, TimeUnit.SECONDS);
            assertThat(heard.bytes(4)).isEqualTo("ECHO".getBytes(UTF_8));
            fixture.nextChannel().close();
            assertThat(heard.closed.get(10, TimeUnit.SECONDS)).isEqualTo(WebSocketFrames.NORMAL);
        }
    }

    @Test
    void throughTlsToo() throws Exception {
        try (TestCertificates certificates = new TestCertificates();
                Fixture fixture = new Fixture()) {
            Party server = certificates.make("server", "EC");
            TlsSpec tls = TlsSpec.of(server.certificate(), server.key());
            InetSocketAddress address =
                    fixture.open(Fixture.tls(Fixture.ECHO, tls).withWebSocket(ANY));
            try (WebSocketClient client = new WebSocketClient(new Client(TestCertificates.client(server.x509())
                    .getSocketFactory()
                    .createSocket(address.getAddress(), address.getPort())))) {
                String large = "ECHO" + "x".repeat(100_000);
                assertThat(client.open().say(TEXT, large).hearText(large.length()))
                        .isEqualTo(large);
                assertThat(fixture.nextOpened().tls()).isPresent();
                fixture.nextChannel().close();
                assertThat(client.hear().status()).isEqualTo(WebSocketFrames.NORMAL);
                assertThat(client.client.hearOut()).isEmpty();
            }
            try (Client plain = new Client(address)) {
                assertThat(plain.say(request()).isClosedSilently()).isTrue();
            }
            assertThat(fixture.refused("echo.tls", Refusal.NOT_TLS)).isEqualTo(1);
        }
    }

    @Test
    void theHeaderOfAProxyComesBeforeTheHandshake() throws Exception {
        ListenerSettings settings =
                ListenerSettings.defaults().withProxySources(List.of(AddressRange.parse("127.0.0.0/8")));
        try (Fixture fixture = new Fixture(settings)) {
            fixture.open(listener(Fixture.ECHO, BINARY_ONLY));
            try (WebSocketClient client = connect(fixture)) {
                client.client.say("PROXY TCP4 203.0.113.7 198.51.100.1 4711 80\r\n");
                client.open().say(BINARY, "ECHO");
                assertThat(client.hear().text()).isEqualTo("ECHO");
                assertThat(fixture.nextOpened().announcedPeer()).isEqualTo(new InetSocketAddress("203.0.113.7", 4711));
            }
        }
    }

    // The handshake.

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of("another path", request().replace("/ws", "/other"), "404 Not Found"),
                Arguments.of("a page", "GET /ws HTTP/1.1\r\nHost: a\r\n\r\n", "426 Upgrade Required"),
                Arguments.of("an old version", request().replace(": 13", ": 8"), "426 Upgrade Required"),
                Arguments.of("no key", request().replace("-Key", "-Kei"), "400 Bad Request"),
                Arguments.of("a bad key", request().replace("dGhl", "????"), "400 Bad Request"),
                Arguments.of("no host", request().replace("Host", "Most"), "400 Bad Request"),
                Arguments.of("an old HTTP", request().replace("HTTP/1.1", "HTTP/1.0"), "400 Bad Request"),
                Arguments.of("other names", request("Sec-WebSocket-Protocol: mqtt, ECHO"), "400 Bad Request"),
                Arguments.of("a method", request().replace("GET", "POST"), "405 Method Not Allowed"),
                Arguments.of("a body", request("Content-Length: 4") + "ECHO", "400 Bad Request"),
                Arguments.of("a chunked body", request("Transfer-Encoding: chunked"), "400 Bad Request"),
                Arguments.of("garbage", "ABC\r\n\r\n", "400 Bad Request"),
                Arguments.of("long headers", request("A: " + "x".repeat(9_000)), "431 "),
                Arguments.of("a long line", request().replace("/ws", "/" + "x".repeat(9_000)), "414 "));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void whatIsNoHandshakeIsRefusedWithWords(String what, String request, String status) throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient good = established(fixture)) {
            try (Client client = fixture.connect()) {
                String answer = client.say(request).hearOut();
                assertThat(answer).as(what).startsWith("HTTP/1.1 " + status).contains("WebSocket");
                String head = answer.substring(0, answer.indexOf("\r\n\r\n"));
                assertThat(head + "\r\n").contains("close\r\n", "\r\nContent-Type: text/plain");
                assertThat(answer).endsWith(".\n");
            }
            assertThat(fixture.refused("echo.ws", Refusal.WEBSOCKET_REFUSED)).isEqualTo(1);
            assertThat(fixture.complaints).singleElement().asString().contains("on a port for WebSocket; closed");
            assertThat(fixture.accepted("echo.ws")).isEqualTo(1);
            assertThat(good.say(BINARY, "still").hear().text()).isEqualTo("still");
        }
    }

    @Test
    void anOldVersionIsToldTheOneThatIsSpoken() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                Client client = fixture.connect()) {
            assertThat(client.say(request().replace(": 13", ": 8")).hearOut())
                    .contains("\r\nSec-WebSocket-Version: 13\r\n");
        }
    }

    @Test
    void aClientThatOffersNoSubprotocolIsTakenIn() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = connect(fixture)) {
            client.client.say(request());
            assertThat(client.hearHead()).startsWith("HTTP/1.1 101 ").doesNotContain("Sec-WebSocket-Protocol");
        }
    }

    @Test
    void anyOfferIsPassedOverWhereNoneIsAskedFor() throws Exception {
        try (Fixture fixture = opened(ANY);
                WebSocketClient client = connect(fixture)) {
            client.client.say(request("Sec-WebSocket-Protocol: whatever"));
            assertThat(client.hearHead()).startsWith("HTTP/1.1 101 ").doesNotContain("Sec-WebSocket-Protocol");
        }
    }

    @Test
    void theRequestMayComeByteByByteAndTheFirstFrameWithItsEnd() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = connect(fixture)) {
            byte[] all = join(request().getBytes(ISO_8859_1), frame(BINARY, "ECHO at once"));
            int slow = request().length() - 1;
            for (int i = 0; i < slow; i++) {
                client.say(new byte[] {all[i]});
            }
            client.say(Unpooled.wrappedBuffer(all, slow, all.length - slow)
                    .toString(ISO_8859_1)
                    .getBytes(ISO_8859_1));
            assertThat(client.hearHead()).startsWith("HTTP/1.1 101 ");
            assertThat(client.hear().text()).isEqualTo("ECHO at once");
        }
    }

    @Test
    void pagesOfOtherOriginsAreRefused() throws Exception {
        WebSocketSpec spec = BINARY_ONLY.withOrigins(List.of("https://Good.example", "http://localhost:8080"));
        try (Fixture fixture = opened(spec)) {
            try (Client bad = fixture.connect()) {
                assertThat(bad.say(request("Origin: https://bad.example")).hearOut())
                        .startsWith("HTTP/1.1 403 ");
            }
            for (String[] lines :
                    new String[][] {{"Origin: https://good.example"}, {"Origin: http://localhost:8080"}, {}}) {
                try (WebSocketClient good = connect(fixture).open(lines)) {
                    assertThat(good.say(BINARY, "ECHO").hear().text()).isEqualTo("ECHO");
                }
            }
        }
    }

    @Test
    void aClientThatDripsItsRequestIsCutOff() throws Exception {
        ConnectionLimits limits = ConnectionLimits.defaults().withFirstBytesMillis(300);
        try (Fixture fixture = new Fixture(ListenerSettings.defaults().withLimits(limits))) {
            fixture.open(listener(Fixture.ECHO, BINARY_ONLY));
            long start = System.nanoTime();
            try (Client client = fixture.connect()) {
                client.say(request().substring(0, 20));
                drip(client, fixture);
                assertThat(client.isClosedSilently()).isTrue();
            }
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isBetween(300L, 9_000L);
            assertThat(fixture.complaints)
                    .singleElement()
                    .asString()
                    .endsWith("was still before its WebSocket handshake was complete after 300 ms; closed");
        }
    }

    private static void drip(Client client, Fixture fixture) {
        try {
            while (fixture.refused("echo.ws", Refusal.TOO_SLOW) == 0) {
                client.say("x");
                Fixture.pass(5);
            }
        } catch (IOException closed) {
            assertThat(closed).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void aClientThatSaysNothingAfterItsHandshakeIsCutOff() throws Exception {
        ConnectionLimits limits = ConnectionLimits.defaults().withFirstBytesMillis(300);
        try (Fixture fixture = new Fixture(ListenerSettings.defaults().withLimits(limits))) {
            fixture.open(listener(Fixture.ECHO, BINARY_ONLY));
            try (WebSocketClient client = connect(fixture).open()) {
                assertThat(client.say(PING, "").hear().opcode()).isEqualTo(PONG);
                assertThat(client.hear().status()).isEqualTo(WebSocketFrames.NORMAL);
                assertThat(client.client.hearOut()).isEmpty();
            }
            assertThat(fixture.refused("echo.ws", Refusal.TOO_SLOW)).isEqualTo(1);
        }
    }

    @Test
    void whatComesWithoutWebSocketIsNamed() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY)) {
            for (String bytes : List.of("ECHO", "\u0010\u0000MQTT")) {
                try (Client client = fixture.connect()) {
                    assertThat(client.say(bytes).isClosedSilently()).isTrue();
                }
            }
            assertThat(fixture.refused("echo.ws", Refusal.WEBSOCKET_REFUSED)).isEqualTo(2);
            assertThat(fixture.complaints.get(0))
                    .contains("sent echo without WebSocket to a port for WebSocket; closed");
            assertThat(fixture.complaints.get(1))
                    .contains("sent bytes of no protocol that is known here to a port for WebSocket; closed");
        }
    }

    @Test
    void garbageInFramesIsAnsweredInAFrame() throws Exception {
        try (Fixture fixture = opened(ANY);
                WebSocketClient client = connect(fixture).open()) {
            assertThat(client.say(TEXT, "nonsense").hear()).satisfies(frame -> {
                assertThat(frame.opcode()).isEqualTo(TEXT);
                assertThat(frame.text()).isEqualTo("say ECHO");
            });
            assertThat(client.hear().status()).isEqualTo(WebSocketFrames.PROTOCOL_ERROR);
            assertThat(client.client.hearOut()).isEmpty();
            assertThat(fixture.refused("echo.ws", Refusal.UNKNOWN_PROTOCOL)).isEqualTo(1);
        }
    }

    // Ports.

    @Test
    void protocolsShareAPortByPathAndBySubprotocol() throws Exception {
        int port = ListenersTest.freePort();
        WordProtocol third = new WordProtocol("third", "THIRD");
        try (Fixture fixture = new Fixture()) {
            fixture.listeners.open(List.of(
                    at(port, Fixture.ECHO, spec(FrameKind.BINARY, "echo")),
                    at(port, Fixture.SHOUT, spec(FrameKind.BINARY, "shout")),
                    at(port, third, spec(FrameKind.BINARY, "echo").withPath("/third"))));
            assertThat(answerOf(fixture, "Sec-WebSocket-Protocol: shout", "SHOUT"))
                    .isEqualTo("shout.ws");
            assertThat(answerOf(fixture, "Sec-WebSocket-Protocol: x,echo", "ECHO"))
                    .isEqualTo("echo.ws");
            assertThat(answerOf(fixture, "X: y", "ECHO")).isEqualTo("echo.ws");
            try (WebSocketClient client = connect(fixture)) {
                client.client.say(request("Sec-WebSocket-Protocol: echo").replace("/ws", "/third"));
                client.hearHead();
                client.say(BINARY, "THIRD");
                assertThat(fixture.nextOpened().listener()).isEqualTo("third.ws");
            }
        }
    }

    private static String answerOf(Fixture fixture, String line, String word) throws Exception {
        try (WebSocketClient client = connect(fixture).open(line)) {
            assertThat(client.say(BINARY, word).hear().text()).isEqualTo(word);
            return fixture.nextOpened().listener();
        }
    }

    private static ListenerSpec at(int port, WordProtocol protocol, WebSocketSpec spec) {
        return new ListenerSpec(
                protocol.name() + ".ws", protocol, List.of("127.0.0.1"), port, Optional.empty(), Optional.of(spec));
    }

    @Test
    void whatCannotBeToldApartCannotShareAPort() throws Exception {
        int port = ListenersTest.freePort();
        try (Fixture fixture = new Fixture()) {
            assertThatThrownBy(() -> fixture.open(
                            at(port, Fixture.ECHO, spec(FrameKind.BINARY, "a", "b")),
                            at(port, Fixture.SHOUT, spec(FrameKind.BINARY, "b", "c"))))
                    .isInstanceOf(IOException.class)
                    .hasMessage("listeners echo.ws and shout.ws are both to use 127.0.0.1:" + port
                            + " for WebSocket at /ws, and their subprotocols do not tell them apart: give one of them"
                            + " another port or path");
        }
        try (Fixture fixture = new Fixture()) {
            assertThatThrownBy(() -> fixture.open(
                            at(port, Fixture.ECHO, spec(FrameKind.BINARY, "a")),
                            new ListenerSpec("shout", Fixture.SHOUT, List.of("127.0.0.1"), port, Optional.empty())))
                    .hasMessage("listeners echo.ws and shout are both to use 127.0.0.1:" + port
                            + ", but only one of them is for WebSocket: give one of them another port");
        }
    }

    // Frames.

    @Test
    void anEstablishedConnectionHasOneHandlerOfTheListener() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = established(fixture)) {
            assertThat(client.say(BINARY, "more").hear().text()).isEqualTo("more");
            assertThat(fixture.nextChannel().pipeline().toMap().values())
                    .hasExactlyElementsOfTypes(WebSocketFrames.class, Fixture.Echo.class);
        }
    }

    @Test
    void fragmentsArePassedOnAsTheyComeWithPingsBetween() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = connect(fixture).open()) {
            client.say(join(frame(false, BINARY, "EC".getBytes(UTF_8)), frame(PING, "?"), frame(PONG, "!")));
            assertThat(client.hear()).satisfies(pong -> {
                assertThat(pong.opcode()).isEqualTo(PONG);
                assertThat(pong.text()).isEqualTo("?");
            });
            client.say(frame(false, CONTINUATION, "HO".getBytes(UTF_8)));
            assertThat(client.hear().text()).isEqualTo("ECHO");
            client.say(join(frame(true, CONTINUATION, new byte[0]), frame(BINARY, "next"), frame(BINARY, " one")));
            assertThat(client.hearText(8)).isEqualTo("next one");
        }
    }

    @Test
    void aFrameIsPassedOnBeforeItIsComplete() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = connect(fixture).open()) {
            byte[] masked = masked("ECHO.........more".getBytes(UTF_8));
            client.say(join(header(0x80 | BINARY, Long.MAX_VALUE), Arrays.copyOf(masked, 5)));
            assertThat(client.hear().text()).isEqualTo("ECHO.");
            // The mask goes on where it was.
            client.say(Arrays.copyOfRange(masked, 5, masked.length));
            assertThat(client.hearText(masked.length - 5)).isEqualTo("........more");
        }
    }

    @Test
    void whatIsWrittenInOnePieceIsOneFrame() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = established(fixture)) {
            Channel channel = fixture.nextChannel();
            for (int length : new int[] {1, 125, 126, 512, 513, 65_535, 65_536, 3_000_000}) {
                channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[length]));
                Frame frame = client.hear();
                assertThat(frame.opcode()).isEqualTo(BINARY);
                assertThat(frame.payload()).hasSize(length);
            }
        }
    }

    @Test
    void textIsSentUntilTheClientSendsBinary() throws Exception {
        try (Fixture fixture = opened(ANY);
                WebSocketClient client = connect(fixture).open()) {
            assertThat(client.say(TEXT, "ECHO ü").hear().opcode()).isEqualTo(TEXT);
            assertThat(client.say(BINARY, "x").hear().opcode()).isEqualTo(BINARY);
            assertThat(client.say(TEXT, "y").hear().opcode()).isEqualTo(TEXT);
            fixture.nextChannel().writeAndFlush(Unpooled.wrappedBuffer(new byte[] {(byte) 0xff}));
            assertThat(client.hear().opcode()).as("of what is no text").isEqualTo(BINARY);
        }
    }

    @Test
    void binaryIsSentAlwaysWhereThatIsWanted() throws Exception {
        try (Fixture fixture = opened(ANY.withBinaryOnly());
                WebSocketClient client = connect(fixture).open()) {
            assertThat(client.say(TEXT, "ECHO").hear().opcode()).isEqualTo(BINARY);
        }
    }

    @Test
    void textMayBeCutWithinACharacter() throws Exception {
        byte[] text = "ECHO ü€😀".getBytes(UTF_8);
        try (Fixture fixture = opened(ANY.withBinaryOnly());
                WebSocketClient client = connect(fixture).open()) {
            for (int i = 0; i < text.length; i++) {
                client.say(frame(i == text.length - 1, i == 0 ? TEXT : CONTINUATION, new byte[] {text[i]}));
            }
            assertThat(client.hearText(text.length)).isEqualTo(new String(text, UTF_8));
        }
    }

    static Stream<Arguments> violations() {
        byte[] unmasked = {(byte) (0x80 | BINARY), 1, 'x'};
        byte[] cutCharacter = frame(true, TEXT, new byte[] {'a', (byte) 0xc3});
        return Stream.of(
                Arguments.of("a frame without a mask", unmasked, 1002),
                Arguments.of("an extension", header(0xc0 | BINARY, 1), 1002),
                Arguments.of("an unknown kind", header(0x83, 1), 1002),
                Arguments.of("an unknown control frame", header(0x8b, 0), 1002),
                Arguments.of("a continuation of nothing", frame(CONTINUATION, "x"), 1002),
                Arguments.of("a message in another", join(frame(false, TEXT, new byte[1]), frame(TEXT, "x")), 1002),
                Arguments.of("a ping in fragments", header(PING, 0), 1002),
                Arguments.of("a long ping", header(0x80 | PING, 126), 1002),
                Arguments.of("a length of too many bytes", new byte[] {(byte) 0x82, (byte) 0xfe, 0, 1}, 1002),
                Arguments.of("a negative length", header(0x80 | BINARY, Long.MIN_VALUE | 7), 1002),
                Arguments.of("half a status", frame(CLOSE, "x"), 1002),
                Arguments.of("a reserved status", frame(true, CLOSE, new byte[] {3, (byte) 0xed}), 1002),
                Arguments.of("a broken reason", frame(true, CLOSE, new byte[] {3, (byte) 0xe8, (byte) 0xff}), 1007),
                Arguments.of("no UTF-8", frame(true, TEXT, new byte[] {'a', (byte) 0xff}), 1007),
                Arguments.of("half a character at the end", cutCharacter, 1007));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("violations")
    void whatMayNotBeClosesThatConnectionWithAStatus(String what, byte[] bytes, int status) throws Exception {
        try (Fixture fixture = opened(ANY);
                WebSocketClient good = established(fixture);
                WebSocketClient bad = established(fixture)) {
            Frame answer = bad.say(bytes).hear();
            if (answer.opcode() != CLOSE) {
                // What came before the fault was good.
                answer = bad.hear();
            }
            assertThat(answer.status()).as(what).isEqualTo(status);
            assertThat(bad.client.hearOut()).isEmpty();
            assertThat(fixture.complaints).singleElement().asString().endsWith(", through WebSocket; closed");
            assertThat(good.say(BINARY, "still").hear().text()).isEqualTo("still");
            Fixture.await("it is closed", () -> fixture.open("echo.ws") == 1);
        }
    }

    @Test
    void aTextFrameIsRefusedWhereOnlyBinaryOnesAreSpoken() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = established(fixture)) {
            Frame close = client.say(TEXT, "x").hear();
            assertThat(close.status()).isEqualTo(WebSocketFrames.UNSUPPORTED);
            assertThat(close.text()).endsWith("a text frame, and this protocol has binary ones only");
        }
    }

    @Test
    void closingIsAnsweredWithTheSameStatus() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY)) {
            try (WebSocketClient client = established(fixture)) {
                client.say(join(frame(BINARY, "last"), frame(true, CLOSE, new byte[] {0x0f, (byte) 0xa0, 'b'})));
                assertThat(client.hear().text()).isEqualTo("last");
                assertThat(client.hear().status()).isEqualTo(4000);
                assertThat(client.client.hearOut()).isEmpty();
            }
            try (WebSocketClient client = established(fixture)) {
                assertThat(client.say(CLOSE, "").hear().status()).isZero();
                assertThat(client.client.hearOut()).isEmpty();
            }
            assertThat(fixture.complaints).isEmpty();
            Fixture.await("both are closed", () -> fixture.open("echo.ws") == 0);
        }
    }

    @Test
    void aBrokerThatStopsSaysThatItGoesAway() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = established(fixture);
                WebSocketClient silent = connect(fixture).open()) {
            fixture.listeners.stopAccepting();
            assertThat(silent.hear().status()).isEqualTo(WebSocketFrames.GOING_AWAY);
            fixture.nextChannel().close();
            assertThat(client.hear().status()).isEqualTo(WebSocketFrames.GOING_AWAY);
            assertThat(client.client.hearOut()).isEmpty();
        }
    }

    // Pressure.

    @Test
    void aClientIsNotReadWhileReadingIsOff() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = established(fixture)) {
            Channel channel = fixture.nextChannel();
            onLoop(channel, () -> channel.config().setAutoRead(false));
            client.say(join(frame(BINARY, "one"), frame(PING, "two")));
            client.client.socket.setSoTimeout(200);
            assertThatThrownBy(client::hear).hasMessageContaining("timed out");
            client.client.socket.setSoTimeout(10_000);
            onLoop(channel, () -> channel.config().setAutoRead(true));
            assertThat(Stream.of(client.hear().text(), client.hear().text())).containsExactlyInAnyOrder("one", "two");
        }
    }

    @Test
    void aClientThatDoesNotReadMakesTheChannelUnwritableAndIsAnsweredTheLastPing() throws Exception {
        ListenerSettings settings =
                ListenerSettings.defaults().withSockets(SocketSpec.defaults().withSendBufferBytes(16 * 1024));
        try (Fixture fixture = new Fixture(settings)) {
            fixture.open(listener(Fixture.ECHO, BINARY_ONLY));
            try (WebSocketClient client = established(fixture)) {
                Channel channel = fixture.nextChannel();
                byte[] piece = new byte[64 * 1024];
                int pieces = 0;
                while (isWritable(channel)) {
                    channel.writeAndFlush(Unpooled.wrappedBuffer(piece));
                    pieces++;
                }
                long waiting = waiting(channel);
                assertThat(waiting).isGreaterThan(SocketSpec.defaults().writeHighBytes());
                for (int i = 0; i < 1_000; i++) {
                    client.say(PING, "ping " + i);
                }
                client.say(BINARY, "all read");
                Fixture.await("pings are read", () -> waiting(channel) != waiting);
                assertThat(waiting(channel)).isLessThan(waiting + 200);

                assertThat(client.hearText(pieces * piece.length)).hasSize(pieces * piece.length);
                List<String> rest = List.of(client.hear().text(), client.hear().text());
                assertThat(rest).containsExactlyInAnyOrder("all read", "ping 999");
                assertThat(isWritable(channel)).isTrue();
            }
        }
    }

    @Test
    void aWriteAfterClosingFails() throws Exception {
        try (Fixture fixture = opened(BINARY_ONLY);
                WebSocketClient client = established(fixture)) {
            Channel channel = fixture.nextChannel();
            ByteBuf late = Unpooled.wrappedBuffer(new byte[8]);
            CompletableFuture<Boolean> written = new CompletableFuture<>();
            onLoop(channel, () -> {
                channel.close();
                channel.writeAndFlush(late).addListener(done -> written.complete(done.isSuccess()));
            });
            assertThat(written.get(10, TimeUnit.SECONDS)).isFalse();
            assertThat(late.refCnt()).isZero();
            assertThat(client.hear().status()).isEqualTo(WebSocketFrames.NORMAL);
        }
    }

    private static boolean isWritable(Channel channel) throws Exception {
        return channel.eventLoop().submit(channel::isWritable).get(10, TimeUnit.SECONDS);
    }

    private static long waiting(Channel channel) {
        try {
            return channel.eventLoop()
                    .submit(() -> channel.unsafe().outboundBuffer().totalPendingWriteBytes())
                    .get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void onLoop(Channel channel, Runnable work) throws Exception {
        channel.eventLoop().submit(work).get(10, TimeUnit.SECONDS);
    }

    /** What a client of the JDK hears. */
    private static final class Heard implements WebSocket.Listener {
        final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
        final BlockingQueue<ByteBuffer> pongs = new LinkedBlockingQueue<>();
        final CompletableFuture<Integer> closed = new CompletableFuture<>();

        byte[] bytes(int count) throws InterruptedException {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            while (all.size() < count) {
                byte[] piece = pieces.poll(10, TimeUnit.SECONDS);
                assertThat(piece).as("more than " + all.size() + " bytes").isNotNull();
                all.writeBytes(piece);
            }
            return all.toByteArray();
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            pieces.add(copy(data));
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            pongs.add(ByteBuffer.wrap(copy(message)));
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.complete(status);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed.completeExceptionally(error);
        }

        private static byte[] copy(ByteBuffer data) {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            return bytes;
        }
    }
}
