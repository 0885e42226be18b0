package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenersTest {

    @Test
    void aClientIsHandedToItsProtocolWithItsFirstBytes() throws Exception {
        try (Fixture fixture = new Fixture()) {
            InetSocketAddress address = fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                assertThat(client.say("ECHO hello").hear(10)).isEqualTo("ECHO hello");

                ConnectionFacts facts = fixture.nextOpened();
                assertThat(facts.peer()).isEqualTo(client.socket.getLocalSocketAddress());
                assertThat(facts.announcedPeer()).isEqualTo(facts.peer());
                assertThat(facts.local()).isEqualTo(address);
                assertThat(facts.listener()).isEqualTo("echo");
                assertThat(facts.tls()).isEmpty();
                assertThat(facts.certificates()).isEmpty();
                assertThat(facts.loopback()).isTrue();
            }
        }
    }

    @Test
    void anEstablishedConnectionHasNoHandlerOfTheListener() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                client.say("ECHO").hear(4);
                assertThat(client.say("more").hear(4)).isEqualTo("more");
                assertThat(fixture.nextChannel().pipeline().toMap().values())
                        .singleElement()
                        .isInstanceOf(Fixture.Echo.class);
            }
        }
    }

    @Test
    void socketsAreSetForShortWaitsAndSmallIdleConnections() throws Exception {
        ListenerSettings settings =
                ListenerSettings.defaults().withSockets(SocketSpec.defaults().withSendBufferBytes(64 * 1024));
        try (Fixture fixture = new Fixture(settings)) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                client.say("ECHO").hear(4);
                SocketChannel channel = (SocketChannel) fixture.nextChannel();
                assertThat(channel.config().isTcpNoDelay()).isTrue();
                assertThat(channel.config().isKeepAlive()).isTrue();
                assertThat(channel.config().isAutoRead()).isTrue();
                assertThat(channel.config().getWriteBufferLowWaterMark()).isEqualTo(256 * 1024);
                assertThat(channel.config().getWriteBufferHighWaterMark()).isEqualTo(1024 * 1024);
                // The system doubles what it is told.
                assertThat(channel.config().getSendBufferSize()).isBetween(64 * 1024, 256 * 1024);
                assertThat(channel.config()
                                .getRecvByteBufAllocator()
                                .newHandle()
                                .guess())
                        .isEqualTo(1024);
            }
        }
    }

    @Test
    void firstBytesMayComeOneByOne() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                for (char c : "ECHO".toCharArray()) {
                    client.say(String.valueOf(c));
                }
                assertThat(client.hear(4)).isEqualTo("ECHO");
            }
        }
    }

    @Test
    void twoProtocolsOnOnePortAreToldApart() throws Exception {
        int port = freePort();
        try (Fixture fixture = new Fixture()) {
            List<BoundListener> bound = fixture.listeners.open(List.of(
                    new ListenerSpec("echo", Fixture.ECHO, List.of("127.0.0.1"), port, Optional.empty()),
                    new ListenerSpec("shout", Fixture.SHOUT, List.of("127.0.0.1"), port, Optional.empty())));
            assertThat(bound).extracting(BoundListener::where).containsOnly("127.0.0.1:" + port);
            try (Client echo = fixture.connect();
                    Client shout = fixture.connect()) {
                echo.say("ECHO").hear(4);
                assertThat(fixture.nextOpened().listener()).isEqualTo("echo");
                shout.say("SHOUT").hear(5);
                assertThat(fixture.nextOpened().listener()).isEqualTo("shout");
            }
        }
    }

    @Test
    void strangersAreToldWhatIsSpokenHereAndClosed() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                // More than is read at once, so that the answer would be lost if unread bytes were left.
                assertThat(client.say("GET / HTTP/1.1\r\n" + "x".repeat(50_000)).hearOut())
                        .isEqualTo("say ECHO");
                String port = "127.0.0.1:" + client.socket.getLocalPort();
                assertThat(fixture.complaints)
                        .containsExactly(port + " on listener echo: sent an HTTP request to a port for echo; closed"
                                + " (47 45 54 20 2f 20 48 54 \"GET / HT\")");
            }
            assertThat(fixture.refused("echo", Refusal.UNKNOWN_PROTOCOL)).isEqualTo(1);
        }
    }

    @Test
    void aStrangerThatDoesNotCloseIsClosed() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                assertThat(client.say("nonsense").hearOut()).isEqualTo("say ECHO");
                Fixture.await("the connection is closed", () -> fixture.listeners.connections() == 0);
            }
        }
    }

    @Test
    void whatStrangersLookLikeIsTold() throws Exception {
        Map<String, String> looks = Map.of(
                "\u0016\u0003\u0001\u0002\u0000\u0001", "a TLS handshake",
                "SSH-2.0-x\r\n", "an SSH client",
                "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n", "a PROXY protocol header",
                "SHOUT", "a client of listener shout",
                "\u0001\u0002\u001b[31m\r\nroot", "bytes of no protocol that is known here");
        for (Map.Entry<String, String> look : looks.entrySet()) {
            try (Fixture fixture = new Fixture()) {
                fixture.open(Fixture.plain(Fixture.ECHO), Fixture.plain(Fixture.SHOUT));
                try (Client client = fixture.connect()) {
                    client.say(look.getKey()).hearOut();
                    assertThat(fixture.complaints)
                            .singleElement()
                            .asString()
                            .contains("sent " + look.getValue() + " to a port for echo")
                            .doesNotContain("\r", "\n", "\u001b");
                }
            }
        }
    }

    @Test
    void aProtocolThatNeverDecidesGetsOnlySoManyBytes() throws Exception {
        WordProtocol greedy = new WordProtocol("greedy", "x".repeat(1_000_000));
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(greedy));
            try (Client client = fixture.connect()) {
                client.say("x".repeat(Newcomer.FIRST_BYTES_MAX));
                assertThat(client.hear(5)).isEqualTo("say x");
            }
        }
    }

    @Test
    void aClientThatGoesWithoutAWordIsCountedAndNotComplainedOf() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            fixture.connect().close();
            Fixture.await("the connection is counted", () -> fixture.refused("echo", Refusal.SILENT) == 1);
            assertThat(fixture.complaints).isEmpty();
        }
    }

    @Test
    void aClientThatGoesInTheMiddleOfAWordIsComplainedOf() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client client = fixture.connect()) {
                client.say("EC").socket.shutdownOutput();
                assertThat(client.isClosedSilently()).isTrue();
            }
            Fixture.await("the connection is counted", () -> fixture.refused("echo", Refusal.LEFT) == 1);
            assertThat(fixture.complaints)
                    .singleElement()
                    .asString()
                    .endsWith("closed the connection before it had said what protocol it speaks (45 43 \"EC\")");
        }
    }

    @Test
    void connectionsAreCountedForEachListener() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(Fixture.ECHO), Fixture.plain(Fixture.SHOUT));
            try (Client first = fixture.connect();
                    Client second = fixture.connect()) {
                first.say("ECHO").hear(4);
                second.say("ECHO").hear(4);
                assertThat(fixture.accepted("echo")).isEqualTo(2);
                assertThat(fixture.open("echo")).isEqualTo(2);
                assertThat(fixture.open("shout")).isZero();
                assertThat(fixture.listeners.connections()).isEqualTo(2);
            }
            Fixture.await("both are closed", () -> fixture.open("echo") == 0);
            assertThat(fixture.accepted("echo")).isEqualTo(2);
        }
    }

    @Test
    void aFaultInOpeningClosesThatConnectionOnly() throws Exception {
        try (Fixture fixture = new Fixture(ListenerSettings.defaults(), (channel, loop, protocol, facts) -> {
            if (protocol == Fixture.SHOUT) {
                throw new IllegalStateException("on purpose, for a test");
            }
            channel.pipeline().addLast(new Fixture.Echo());
        })) {
            fixture.open(Fixture.plain(Fixture.ECHO), Fixture.plain(Fixture.SHOUT));
            InetSocketAddress shout = fixture.listeners.bound().get(1).address();
            try (Client good = fixture.connect();
                    Client bad = new Client(shout)) {
                assertThat(bad.say("SHOUT").isClosedSilently()).isTrue();
                assertThat(good.say("ECHO").hear(4)).isEqualTo("ECHO");
            }
        }
    }

    @Test
    void aPortInUseIsNamedAndNothingStaysOpen() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, NetUtil.LOCALHOST4);
                Fixture fixture = new Fixture()) {
            int free = freePort();
            List<ListenerSpec> specs = List.of(
                    new ListenerSpec("echo", Fixture.ECHO, List.of("127.0.0.1"), free, Optional.empty()),
                    new ListenerSpec(
                            "shout", Fixture.SHOUT, List.of("127.0.0.1"), taken.getLocalPort(), Optional.empty()));
            assertThatThrownBy(() -> fixture.listeners.open(specs))
                    .isInstanceOf(IOException.class)
                    .hasMessage("listener shout cannot listen on 127.0.0.1:" + taken.getLocalPort()
                            + ": another process uses this port");
            assertThat(fixture.listeners.bound()).isEmpty();
            new ServerSocket(free, 1, NetUtil.LOCALHOST4).close();
        }
    }

    @Test
    void anAddressOfAnotherMachineIsNamed() throws Exception {
        try (Fixture fixture = new Fixture()) {
            List<ListenerSpec> specs =
                    List.of(new ListenerSpec("echo", Fixture.ECHO, List.of("192.0.2.1"), 5000, Optional.empty()));
            assertThatThrownBy(() -> fixture.listeners.open(specs))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(
                            "listener echo cannot listen on 192.0.2.1:5000: this machine does not have the address");
        }
    }

    @Test
    void aNameThatIsNoHostIsNamed() throws Exception {
        try (Fixture fixture = new Fixture()) {
            List<ListenerSpec> specs =
                    List.of(new ListenerSpec("echo", Fixture.ECHO, List.of("no host"), 0, Optional.empty()));
            assertThatThrownBy(() -> fixture.listeners.open(specs))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("listener echo: \"no host\" is neither *");
        }
    }

    @Test
    void allAddressesTakeIpv4AndIpv6Clients() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(new ListenerSpec("echo", Fixture.ECHO, List.of("*"), 0, Optional.empty()));
            BoundListener bound = fixture.listeners.bound().get(0);
            int port = bound.address().getPort();
            assertThat(bound.where()).isEqualTo("*:" + port);
            try (Client client = new Client(new InetSocketAddress(NetUtil.LOCALHOST4, port))) {
                client.say("ECHO").hear(4);
                assertThat(fixture.nextOpened().peer()).isEqualTo(client.socket.getLocalSocketAddress());
            }
            assumeTrue(Fixture.hasIpv6());
            try (Client client = new Client(new InetSocketAddress(NetUtil.LOCALHOST6, port))) {
                client.say("ECHO").hear(4);
                ConnectionFacts facts = fixture.nextOpened();
                assertThat(facts.peer().getAddress().getHostAddress()).startsWith("0:0:0:0:0:0:0:1");
                assertThat(facts.loopback()).isTrue();
            }
        }
    }

    @Test
    void oneFamilyMayBeHadAlone() throws Exception {
        assumeTrue(Fixture.hasIpv6());
        try (Fixture fixture = new Fixture()) {
            int port = freePort();
            fixture.open(
                    new ListenerSpec("v4", Fixture.ECHO, List.of("127.0.0.1"), port, Optional.empty()),
                    new ListenerSpec("v6", Fixture.SHOUT, List.of("::1"), port, Optional.empty()));
            assertThat(fixture.listeners.bound())
                    .extracting(BoundListener::where)
                    .containsExactly("127.0.0.1:" + port, "[::1]:" + port);
            try (Client client = new Client(new InetSocketAddress(NetUtil.LOCALHOST6, port))) {
                client.say("SHOUT").hear(5);
                assertThat(fixture.nextOpened().listener()).isEqualTo("v6");
            }
        }
    }

    @Test
    void plainAndTlsCannotShareAPort() throws Exception {
        try (Fixture fixture = new Fixture();
                TestCertificates certificates = new TestCertificates()) {
            TlsSpec tls = certificates.server();
            List<ListenerSpec> specs = List.of(
                    new ListenerSpec("echo", Fixture.ECHO, List.of("127.0.0.1"), 5000, Optional.empty()),
                    new ListenerSpec("shout.tls", Fixture.SHOUT, List.of("127.0.0.1"), 5000, Optional.of(tls)));
            assertThatThrownBy(() -> fixture.listeners.open(specs))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("listeners echo and shout.tls are both to use 127.0.0.1:5000");
        }
    }

    @Test
    void stoppingClosesThePortAndNewcomersButNotEstablishedConnections() throws Exception {
        try (Fixture fixture = new Fixture()) {
            InetSocketAddress address = fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client established = fixture.connect();
                    Client newcomer = fixture.connect()) {
                established.say("ECHO").hear(4);
                newcomer.say("E");
                Fixture.await("both are there", () -> fixture.listeners.connections() == 2);

                fixture.listeners.stopAccepting().toCompletableFuture().get(10, TimeUnit.SECONDS);

                assertThat(newcomer.isClosedSilently()).isTrue();
                assertThat(established.say("still").hear(5)).isEqualTo("still");
                assertThatThrownBy(() -> new Client(address)).isInstanceOf(IOException.class);
                assertThat(fixture.complaints).isEmpty();
            }
        }
    }

    @Test
    void refusalsOverRealSocketsLeaveNothingBehind() throws Exception {
        try (Fixture fixture = new Fixture()) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            for (int i = 0; i < 200; i++) {
                try (Client client = fixture.connect()) {
                    client.say(i % 2 == 0 ? "E" : "nonsense");
                }
            }
            Fixture.await("all are closed", () -> fixture.listeners.connections() == 0);
            assertThat(fixture.complaints).hasSizeLessThanOrEqualTo(ComplaintLog.TALLIES_PER_SOURCE_MAX);
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, NetUtil.LOCALHOST4)) {
            return socket.getLocalPort();
        }
    }
}
