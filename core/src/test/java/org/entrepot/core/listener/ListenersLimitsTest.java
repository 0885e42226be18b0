package org.entrepot.core.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.NetUtil;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(60)
class ListenersLimitsTest {

    private static ListenerSettings with(ConnectionLimits limits) {
        return ListenerSettings.defaults().withLimits(limits);
    }

    @Test
    void aClientThatDripsItsFirstBytesIsCutOff() throws Exception {
        ConnectionLimits limits = ConnectionLimits.defaults().withFirstBytesMillis(300);
        WordProtocol longWord = new WordProtocol("long", "x".repeat(4_000));
        try (Fixture fixture = new Fixture(with(limits))) {
            fixture.open(Fixture.plain(longWord));
            long start = System.nanoTime();
            try (Client client = fixture.connect()) {
                drip(client, fixture);
                assertThat(client.isClosedSilently()).isTrue();
            }
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isBetween(300L, 9_000L);
            assertThat(fixture.refused("long", Refusal.TOO_SLOW)).isEqualTo(1);
            assertThat(fixture.complaints)
                    .singleElement()
                    .asString()
                    .endsWith("was still before it had said what protocol it speaks after 300 ms; closed");
        }
    }

    /** A byte whenever the last one has been taken, until the connection is closed. */
    private static void drip(Client client, Fixture fixture) {
        try {
            for (int i = 0; i < 3_999 && fixture.refused("long", Refusal.TOO_SLOW) == 0; i++) {
                client.say("x");
                Fixture.pass(5);
            }
        } catch (IOException closed) {
            assertThat(closed).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void silentClientsAreCutOffInTheOrderTheyCame() throws Exception {
        ConnectionLimits limits = ConnectionLimits.defaults().withFirstBytesMillis(200);
        try (Fixture fixture = new Fixture(with(limits))) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            List<Client> silent = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                silent.add(fixture.connect());
            }
            try (Client good = fixture.connect()) {
                good.say("ECHO").hear(4);
                for (Client client : silent) {
                    assertThat(client.isClosedSilently()).isTrue();
                    client.close();
                }
                assertThat(fixture.refused("echo", Refusal.TOO_SLOW)).isEqualTo(50);
                assertThat(fixture.complaints).hasSize(1);
                assertThat(good.say("still").hear(5)).isEqualTo("still");
            }
        }
    }

    @Test
    void connectionsBeyondTheNodesLimitAreClosedWithOneLine() throws Exception {
        try (Fixture fixture = new Fixture(with(ConnectionLimits.defaults().withConnectionsMax(2)))) {
            fixture.open(Fixture.plain(Fixture.ECHO), Fixture.plain(Fixture.SHOUT));
            try (Client first = fixture.connect();
                    Client second = new Client(fixture.listeners.bound().get(1).address())) {
                first.say("ECHO").hear(4);
                second.say("SHOUT").hear(5);
                for (int i = 0; i < 20; i++) {
                    try (Client refused = fixture.connect()) {
                        assertThat(refused.isClosedSilently()).isTrue();
                    }
                }
                assertThat(fixture.refused("echo", Refusal.NODE_FULL)).isEqualTo(20);
                assertThat(fixture.complaints)
                        .containsExactly("listener echo: there are 2 connections, the most that the node may have;"
                                + " new ones are closed");
                assertThat(first.say("still").hear(5)).isEqualTo("still");
            }
            Fixture.await("room is made", () -> fixture.listeners.connections() == 0);
            try (Client third = fixture.connect()) {
                assertThat(third.say("ECHO").hear(4)).isEqualTo("ECHO");
            }
        }
    }

    @Test
    void connectionsBeyondAnAddressesLimitAreClosedWithOneLine() throws Exception {
        try (Fixture fixture = new Fixture(with(ConnectionLimits.defaults().withPerAddressMax(1)))) {
            fixture.open(Fixture.plain(Fixture.ECHO));
            try (Client first = fixture.connect()) {
                first.say("ECHO").hear(4);
                for (int i = 0; i < 20; i++) {
                    try (Client refused = fixture.connect()) {
                        assertThat(refused.isClosedSilently()).isTrue();
                    }
                }
                assertThat(fixture.refused("echo", Refusal.ADDRESS_FULL)).isEqualTo(20);
                assertThat(fixture.complaints)
                        .singleElement()
                        .asString()
                        .endsWith("has 1 connections, the most that one address may have; closed");
                try (Client other = new Client(new Socket(
                        fixture.listeners.bound().get(0).address().getAddress(),
                        fixture.listeners.bound().get(0).address().getPort(),
                        InetAddress.getByAddress(new byte[] {127, 0, 0, 2}),
                        0))) {
                    assertThat(other.say("ECHO").hear(4)).isEqualTo("ECHO");
                }
            }
            Fixture.await("room is made", () -> fixture.listeners.connections() == 0);
            try (Client next = fixture.connect()) {
                assertThat(next.say("ECHO").hear(4)).isEqualTo("ECHO");
            }
        }
    }

    @Test
    void whenNothingCanBeAcceptedItIsTriedLaterAndSaidOnce() throws Exception {
        try (Fixture fixture = new Fixture()) {
            Acceptor acceptor = fixture.acceptor(Fixture.ECHO);
            EmbeddedChannel server = new EmbeddedChannel(acceptor);
            ChannelHandlerContext context = server.pipeline().context(acceptor);
            for (int i = 0; i < 3; i++) {
                acceptor.exceptionCaught(context, new IOException("accept(..) failed: Too many open files"));
                assertThat(server.config().isAutoRead()).isFalse();
                server.advanceTimeBy(Acceptor.PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                server.runScheduledPendingTasks();
                assertThat(server.config().isAutoRead()).isTrue();
            }
            assertThat(fixture.complaints)
                    .singleElement()
                    .asString()
                    .startsWith("listener echo: no connection can be accepted; trying again every 1000 ms")
                    .endsWith("(accept(..) failed: Too many open files)");
            server.close();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aProcessOutOfFileDescriptorsWaitsAndRecovers() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n 150 && exec \"$0\" -XX:-MaxFDLimit -XX:TieredStopAtLevel=1 -Xmx64m "
                                + "-Dlogback.configurationFile=\"$1\" -cp \"$2\" \"$3\"",
                        java,
                        System.getProperty("logback.configurationFile"),
                        System.getProperty("java.class.path"),
                        Exhausted.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said = process.inputReader()) {
            InetSocketAddress address = new InetSocketAddress(NetUtil.LOCALHOST4, Integer.parseInt(said.readLine()));
            // The first stays connected: its descriptor, were it freed late, would let the second one in.
            try (Client first = new Client(address)) {
                first.say("ECHO").hear(4);
                next(process);
                assertThat(said.readLine()).isEqualTo("full");
                try (Client second = new Client(address)) {
                    second.say("ECHO");
                    assertThat(said.readLine())
                            .contains("no connection can be accepted")
                            .contains("open files");
                    long failed = System.nanoTime();
                    assertThat(second.hear(4)).isEqualTo("ECHO");
                    // It did not try again and again meanwhile.
                    assertThat(System.nanoTime() - failed)
                            .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(Acceptor.PAUSE_MILLIS / 2));
                }
            }
            next(process);
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static void next(Process process) throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }
}
