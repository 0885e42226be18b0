package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.entrepot.core.listener.TestCertificates.Party;
import org.entrepot.core.listener.TlsSpec.ClientCertificate;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ListenersTlsTest {
    private static TestCertificates certificates;
    private static Party server;
    private static Party known;
    private static Party stranger;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = new TestCertificates();
        server = certificates.make("server", "EC");
        known = certificates.make("known", "EC");
        // Calls itself what the known one does: a client only shows a certificate whose issuer the server names.
        stranger = certificates.make("stranger", "known", "EC");
    }

    @AfterAll
    static void deleteCertificates() throws IOException {
        certificates.close();
    }

    private static TlsSpec spec() {
        return TlsSpec.of(server.certificate(), server.key());
    }

    private static TlsSpec asking(ClientCertificate asked) {
        return spec().withClientCertificate(asked, known.certificate());
    }

    private static Client connect(Fixture fixture, Party... self) throws Exception {
        SSLContext context = TestCertificates.client(server.x509(), self);
        InetSocketAddress address = fixture.listeners.bound().get(0).address();
        return new Client(context.getSocketFactory().createSocket(address.getAddress(), address.getPort()));
    }

    private static X509Certificate shownBy(Fixture fixture) throws Exception {
        try (Client client = connect(fixture)) {
            client.say("ECHO").hear(4);
            return (X509Certificate) ((SSLSocket) client.socket).getSession().getPeerCertificates()[0];
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void aClientSpeaksThroughTls(String version) throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            try (Client client = connect(fixture)) {
                ((SSLSocket) client.socket).setEnabledProtocols(new String[] {version});
                assertThat(client.say("ECHO").hear(4)).isEqualTo("ECHO");
                String large = "x".repeat(100_000);
                assertThat(client.say(large).hear(large.length())).isEqualTo(large);
                ConnectionFacts facts = fixture.nextOpened();
                assertThat(facts.listener()).isEqualTo("echo.tls");
                assertThat(facts.tls())
                        .contains(version + " "
                                + ((SSLSocket) client.socket).getSession().getCipherSuite());
                assertThat(facts.certificates()).isEmpty();
            }
        }
    }

    @Test
    void outdatedVersionsAreRefused() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            // The JDK's own client does not speak them any more, so this is a ClientHello of TLS 1.0 by hand.
            byte[] hello = new byte[5 + 4 + 2 + 32 + 1 + 4 + 2];
            hello[0] = 22;
            hello[1] = 3;
            hello[2] = 1;
            hello[4] = (byte) (hello.length - 5);
            hello[5] = 1;
            hello[8] = (byte) (hello.length - 9);
            hello[9] = 3;
            hello[10] = 1;
            hello[45] = 2;
            hello[46] = (byte) 0xc0;
            hello[47] = 0x13;
            hello[44] = 0;
            try (Client client = fixture.connect()) {
                // An alert, not a ServerHello.
                assertThat(client.say(hello).hear(1)).isEqualTo("\u0015");
                client.hearOut();
            }
            Fixture.await("it is counted", () -> fixture.refused("echo.tls", Refusal.TLS_FAILED) == 1);
        }
    }

    @Test
    void onlyCiphersWithForwardSecrecyAndAuthenticationAreOffered() throws Exception {
        SSLEngine engine = new TlsContext(spec()).newEngine(ByteBufAllocator.DEFAULT);
        assertThat(engine.getEnabledProtocols()).containsExactlyInAnyOrder("TLSv1.3", "TLSv1.2");
        assertThat(engine.getEnabledCipherSuites())
                .isNotEmpty()
                .allMatch(suite -> suite.startsWith("TLS_AES_")
                        || suite.startsWith("TLS_CHACHA20_")
                        || suite.matches(
                                "TLS_ECDHE_(RSA|ECDSA)_WITH_(AES_(128|256)_GCM|CHACHA20_POLY1305)_SHA(256|384)"));
        assertThat(engine.getSSLParameters().getUseCipherSuitesOrder()).isTrue();
    }

    @Test
    void aClientThatHasNoGoodCipherIsRefused() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            try (Client client = connect(fixture)) {
                SSLSocket socket = (SSLSocket) client.socket;
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                socket.setEnabledCipherSuites(new String[] {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"});
                assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
            }
            Fixture.await("it is told", () -> !fixture.complaints.isEmpty());
            assertThat(fixture.complaints).singleElement().asString().contains("failed in its TLS handshake; closed");
        }
    }

    @Test
    void aClientMayNotRenegotiate() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            try (Client client = connect(fixture)) {
                SSLSocket socket = (SSLSocket) client.socket;
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                client.say("ECHO").hear(4);
                socket.startHandshake();
                assertThat(client.isClosedSilently()).isTrue();
                assertThat(fixture.complaints).singleElement().asString().endsWith("tried to renegotiate TLS; closed");
            }
        }
    }

    @Test
    void aCertificateOfTheClientIsShownToTheProtocol() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, asking(ClientCertificate.REQUIRED)));
            try (Client client = connect(fixture, known)) {
                assertThat(client.say("ECHO").hear(4)).isEqualTo("ECHO");
                assertThat(fixture.nextOpened().certificates()).containsExactly(known.x509());
            }
        }
    }

    @Test
    void aClientWithoutTheCertificateRequiredIsRefused() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, asking(ClientCertificate.REQUIRED)));
            try (Client client = connect(fixture)) {
                assertThatThrownBy(() -> client.say("ECHO").hear(4)).isInstanceOf(IOException.class);
            }
            Fixture.await("it is counted", () -> fixture.refused("echo.tls", Refusal.TLS_FAILED) == 1);
            assertThat(fixture.opened).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"WANTED", "REQUIRED"})
    void aCertificateThatNobodyTrustsIsRefused(String asked) throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, asking(ClientCertificate.valueOf(asked))));
            try (Client client = connect(fixture, stranger)) {
                assertThatThrownBy(() -> client.say("ECHO").hear(4)).isInstanceOf(IOException.class);
            }
            Fixture.await("it is counted", () -> fixture.refused("echo.tls", Refusal.TLS_FAILED) == 1);
            assertThat(fixture.opened).isEmpty();
        }
    }

    @Test
    void aCertificateWantedMayBeMissing() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, asking(ClientCertificate.WANTED)));
            try (Client without = connect(fixture);
                    Client with = connect(fixture, known)) {
                assertThat(without.say("ECHO").hear(4)).isEqualTo("ECHO");
                assertThat(fixture.nextOpened().certificates()).isEmpty();
                assertThat(with.say("ECHO").hear(4)).isEqualTo("ECHO");
                assertThat(fixture.nextOpened().certificates()).containsExactly(known.x509());
            }
        }
    }

    @Test
    void plainBytesOnATlsPortAreRefusedBeforeTlsCostsAnything() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            try (Client client = fixture.connect()) {
                assertThat(client.say("ECHO").isClosedSilently()).isTrue();
            }
            assertThat(fixture.refused("echo.tls", Refusal.NOT_TLS)).isEqualTo(1);
            assertThat(fixture.complaints)
                    .singleElement()
                    .asString()
                    .endsWith("on listener echo.tls: sent echo without TLS to a port with TLS; closed"
                            + " (45 43 48 4f \"ECHO\")");
        }
    }

    @Test
    void garbageInsideTlsIsAnsweredThroughTls() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            try (Client client = connect(fixture)) {
                assertThat(client.say("nonsense").hearOut()).isEqualTo("say ECHO");
            }
        }
    }

    @Test
    void tlsOnAPlainPortIsRefused() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = connect(fixture)) {
                assertThatThrownBy(() -> client.say("ECHO")).isInstanceOf(IOException.class);
            }
            assertThat(fixture.complaints)
                    .singleElement()
                    .asString()
                    .contains("sent a TLS handshake to a port for echo; closed");
        }
    }

    @Test
    void aHandshakeThatStopsHalfWayIsCutOff() throws Exception {
        ConnectionLimits limits = ConnectionLimits.defaults().withTlsHandshakeMillis(200);
        try (Fixture fixture = new Fixture(ListenerSettings.defaults().withLimits(limits))) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            long start = System.nanoTime();
            try (Client client = fixture.connect()) {
                client.say(new byte[] {22, 3, 1, 2, 0, 1});
                client.hearOut();
            }
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isBetween(200L, 4_900L);
            assertThat(fixture.refused("echo.tls", Refusal.TLS_FAILED)).isEqualTo(1);
            assertThat(fixture.complaints).singleElement().asString().contains("failed in its TLS handshake; closed");
        }
    }

    @Test
    void theDeadlineHoldsInsideTlsToo() throws Exception {
        ConnectionLimits limits = ConnectionLimits.defaults().withFirstBytesMillis(1_000);
        try (Fixture fixture = new Fixture(ListenerSettings.defaults().withLimits(limits))) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            try (Client client = connect(fixture)) {
                client.say("EC");
                assertThat(client.hearOut()).isEmpty();
            }
            assertThat(fixture.refused("echo.tls", Refusal.TOO_SLOW)).isEqualTo(1);
        }
    }

    @Test
    void aClientThatLeavesInTheHandshakeIsComplainedOf() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            try (Client client = fixture.connect()) {
                client.say(new byte[] {22, 3, 1, 2, 0, 1});
            }
            Fixture.await("it is counted", () -> fixture.refused("echo.tls", Refusal.LEFT) == 1);
            assertThat(fixture.complaints)
                    .singleElement()
                    .asString()
                    .endsWith("closed the connection before its TLS handshake was complete");
        }
    }

    @Test
    void brokenRecordsAreComplainedOf() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            try (Client client = fixture.connect()) {
                client.say(new byte[] {22, 3, 1, 0, 4, 9, 9, 9, 9});
                client.hearOut();
            }
            Fixture.await("it is counted", () -> fixture.refused("echo.tls", Refusal.TLS_FAILED) == 1);
        }
    }

    @Test
    void certificatesAreLoadedAgainOnRequestAndWhenTheyChange() throws Exception {
        ListenerSettings settings =
                new ListenerSettings(ConnectionLimits.defaults(), SocketSpec.defaults(), List.of(), 50);
        try (TestCertificates own = new TestCertificates();
                Fixture fixture = new Fixture(settings)) {
            Files.copy(server.certificate(), own.folder.resolve("c.pem"));
            Files.copy(server.key(), own.folder.resolve("k.pem"));
            fixture.open(
                    Fixture.tls(Fixture.ECHO, TlsSpec.of(own.folder.resolve("c.pem"), own.folder.resolve("k.pem"))));
            assertThat(shownBy(fixture)).isEqualTo(server.x509());

            // Half of a change is not taken, whoever asks.
            replace(own, "k.pem", stranger.key());
            assertThatThrownBy(() ->
                            fixture.listeners.reload().toCompletableFuture().get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("is not that of the certificate in");
            assertThat(shownBy(fixture)).isEqualTo(server.x509());

            replace(own, "c.pem", stranger.certificate());
            Fixture.await("the new one is shown", () -> {
                try (Client client = new Client(TestCertificates.client(stranger.x509())
                        .getSocketFactory()
                        .createSocket(
                                fixture.listeners.bound().get(0).address().getAddress(),
                                fixture.listeners.bound().get(0).address().getPort()))) {
                    client.say("ECHO").hear(4);
                    return true;
                } catch (Exception notYet) {
                    return false;
                }
            });
        }
    }

    private static void replace(TestCertificates own, String name, Path with) throws IOException {
        Files.copy(with, own.folder.resolve("new"));
        Files.move(own.folder.resolve("new"), own.folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void filesThatCannotBeUsedStopTheStartWithTheirNames() throws Exception {
        TlsSpec otherKey = TlsSpec.of(server.certificate(), stranger.key());
        TlsSpec missing = TlsSpec.of(certificates.folder.resolve("none.pem"), server.key());
        TlsSpec odd = new TlsSpec(
                server.certificate(),
                server.key(),
                Optional.empty(),
                ClientCertificate.NONE,
                Optional.empty(),
                List.of("TLSv9"),
                List.of());
        try (Fixture fixture = new Fixture()) {
            assertThatThrownBy(() -> fixture.open(Fixture.tls(Fixture.ECHO, otherKey)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("listener echo.tls: the key in " + stranger.key()
                            + " is not that of the certificate in " + server.certificate());
            assertThatThrownBy(() -> fixture.open(Fixture.tls(Fixture.ECHO, missing)))
                    .hasMessage("listener echo.tls: " + missing.certificates() + " does not exist");
            assertThatThrownBy(() -> fixture.open(Fixture.tls(Fixture.ECHO, odd)))
                    .hasMessageContaining("TLSv9");
        }
    }

    @Test
    void thePasswordOfAKeyIsNotPrinted() {
        TlsSpec spec = new TlsSpec(
                server.certificate(),
                server.key(),
                Optional.of("s3cret"),
                ClientCertificate.NONE,
                Optional.empty(),
                TlsSpec.VERSIONS,
                List.of());
        assertThat(spec.toString()).doesNotContain("s3cret");
    }

    @Test
    void aStoppedBrokerCutsHandshakes() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.tls(Fixture.ECHO, spec()));
            InetSocketAddress address = fixture.listeners.bound().get(0).address();
            try (Client client = new Client(new Socket(address.getAddress(), address.getPort()))) {
                client.say(new byte[] {22, 3, 1, 2, 0, 1});
                Fixture.await("it is there", () -> fixture.listeners.connections() == 1);
                fixture.listeners.stopAccepting();
                client.hearOut();
            }
        }
    }
}
