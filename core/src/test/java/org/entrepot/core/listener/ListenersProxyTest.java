package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenersProxyTest {
    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int TCP4 = 0x11;

    private static Fixture trusting(String range, ConnectionLimits limits) {
        return new Fixture(
                ListenerSettings.defaults().withLimits(limits).withProxySources(List.of(AddressRange.parse(range))));
    }

    private static Fixture trusting(String range) {
        return trusting(range, ConnectionLimits.defaults());
    }

    static byte[] version2(int command, int transport, byte[] addresses) {
        ByteArrayOutputStream header = new ByteArrayOutputStream();
        header.writeBytes(ProxyHeader.Version2.SIGNATURE);
        header.write(command);
        header.write(transport);
        header.write(addresses.length >> 8);
        header.write(addresses.length);
        header.writeBytes(addresses);
        return header.toByteArray();
    }

    static byte[] addresses(String client, String server, int clientPort, int serverPort) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(NetUtil.createByteArrayFromIpAddressString(client));
        out.writeBytes(NetUtil.createByteArrayFromIpAddressString(server));
        out.write(clientPort >> 8);
        out.write(clientPort);
        out.write(serverPort >> 8);
        out.write(serverPort);
        return out.toByteArray();
    }

    private static byte[] client(String address) {
        return version2(PROXY, TCP4, addresses(address, "198.51.100.1", 4711, 5672));
    }

    @Test
    void aTrustedProxyAnnouncesItsClient() throws Exception {
        try (Fixture fixture = trusting("127.0.0.0/8")) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                client.say(client("203.0.113.7")).say("ECHO");
                assertThat(client.hear(4)).isEqualTo("ECHO");
                ConnectionFacts facts = fixture.nextOpened();
                assertThat(facts.peer()).isEqualTo(client.socket.getLocalSocketAddress());
                assertThat(facts.announcedPeer().toString()).isEqualTo("/203.0.113.7:4711");
                assertThat(facts.loopback()).isFalse();
            }
        }
    }

    @Test
    void headerAndFirstBytesMayComeInOnePieceOrInMany() throws Exception {
        try (Fixture fixture = trusting("127.0.0.1")) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes("PROXY TCP6 2001:db8::7 2001:db8::1 4711 5672\r\n".getBytes(StandardCharsets.US_ASCII));
            all.writeBytes("ECHO".getBytes(StandardCharsets.US_ASCII));
            try (Client one = fixture.connect()) {
                assertThat(one.say(all.toByteArray()).hear(4)).isEqualTo("ECHO");
                assertThat(NetUtil.toSocketAddressString(fixture.nextOpened().announcedPeer()))
                        .isEqualTo("[2001:db8::7]:4711");
            }
            try (Client many = fixture.connect()) {
                for (byte b : all.toByteArray()) {
                    many.say(new byte[] {b});
                }
                assertThat(many.hear(4)).isEqualTo("ECHO");
            }
        }
    }

    @Test
    void aProxysOwnChecksKeepItsAddress() throws Exception {
        try (Fixture fixture = trusting("127.0.0.1")) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                client.say(version2(LOCAL, 0, new byte[0])).say("ECHO").hear(4);
                ConnectionFacts facts = fixture.nextOpened();
                assertThat(facts.announcedPeer()).isEqualTo(facts.peer());
            }
        }
    }

    @Test
    void aTrustedProxyWithoutAHeaderIsRefused() throws Exception {
        try (Fixture fixture = trusting("127.0.0.1")) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                assertThat(client.say("ECHO").isClosedSilently()).isTrue();
            }
            assertThat(fixture.refused("echo", Refusal.NO_PROXY_HEADER)).isEqualTo(1);
            assertThat(fixture.complaints)
                    .singleElement()
                    .asString()
                    .contains("is a trusted proxy but sent no PROXY protocol header; closed");
            assertThat(fixture.opened).isEmpty();
        }
    }

    @Test
    void nobodyElsesHeaderIsBelieved() throws Exception {
        try (Fixture fixture = trusting("192.0.2.0/24")) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                // The port answers as to any stranger.
                assertThat(client.say(client("127.0.0.1")).say("ECHO").hearOut())
                        .isEqualTo("say ECHO");
            }
            assertThat(fixture.refused("echo", Refusal.UNKNOWN_PROTOCOL)).isEqualTo(1);
            assertThat(fixture.complaints)
                    .singleElement()
                    .asString()
                    .contains("sent a PROXY protocol header to a port for echo");
            assertThat(fixture.opened).isEmpty();
        }
    }

    @Test
    void theHeaderComesBeforeTls() throws Exception {
        try (Fixture fixture = trusting("127.0.0.1");
                TestCertificates certificates = new TestCertificates()) {
            TestCertificates.Party server = certificates.make("server", "EC");
            fixture.open(Fixture.tls(Fixture.ECHO, TlsSpec.of(server.certificate(), server.key())));
            SSLContext context = TestCertificates.client(server.x509());
            try (Client plain = fixture.connect()) {
                plain.say(client("203.0.113.7"));
                SSLSocket socket =
                        (SSLSocket) context.getSocketFactory().createSocket(plain.socket, "localhost", 0, true);
                try (Client client = new Client(socket)) {
                    assertThat(client.say("ECHO").hear(4)).isEqualTo("ECHO");
                    ConnectionFacts facts = fixture.nextOpened();
                    assertThat(facts.tls()).isPresent();
                    assertThat(facts.announcedPeer().toString()).isEqualTo("/203.0.113.7:4711");
                }
            }
        }
    }

    @Test
    void clientsOfAProxyAreCountedByTheirOwnAddresses() throws Exception {
        try (Fixture fixture = trusting("127.0.0.1", ConnectionLimits.defaults().withPerAddressMax(1))) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client first = fixture.connect();
                    Client same = fixture.connect();
                    Client other = fixture.connect()) {
                first.say(client("203.0.113.7")).say("ECHO").hear(4);
                assertThat(same.say(client("203.0.113.7")).isClosedSilently()).isTrue();
                assertThat(other.say(client("203.0.113.8")).say("ECHO").hear(4)).isEqualTo("ECHO");
                assertThat(fixture.complaints)
                        .singleElement()
                        .asString()
                        .startsWith("203.0.113.7:4711 behind 127.0.0.1:" + same.socket.getLocalPort());
            }
        }
    }
}
