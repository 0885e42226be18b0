package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.entrepot.distribution.ProductProcess.Ended;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The packed product from outside: start, stop, status, exit codes. */
@Timeout(180)
class ProductIT {
    private static final String ANY_PORT = "listener.amqp.port=0";

    @TempDir
    Path directory;

    private ProductProcess broker;

    @AfterEach
    void close() {
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void aClientOfRabbitmqWorksWithWhatStartStarts() throws Exception {
        String ready = start();

        assertThat(ready)
                .matches(
                        "\\S+Z INFO  Entrepot \\d+\\.\\d+\\.\\d+ ready in \\d+\\.\\d\\d s: amqp on 127\\.0\\.0\\.1:\\d+,"
                                + " mqtt on 127\\.0\\.0\\.1:\\d+, mqtt\\.ws on 127\\.0\\.0\\.1:\\d+,"
                                + " stomp on 127\\.0\\.0\\.1:\\d+, stomp\\.ws on 127\\.0\\.0\\.1:\\d+;"
                                + " storage file \\(confirms mean disk: what is durable survives a power cut\\)");
        try (Connection connection = connect(ready);
                Channel channel = connection.createChannel()) {
            channel.confirmSelect();
            channel.queueDeclare("orders", true, false, false, Map.of());
            channel.basicPublish("", "orders", null, "one".getBytes(StandardCharsets.UTF_8));
            channel.waitForConfirmsOrDie(10_000);
            GetResponse message = channel.basicGet("orders", true);
            assertThat(message.getBody()).asString().isEqualTo("one");
        }
    }

    @Test
    void sigtermClosesConnectionsInGoodOrderAndEndsWithZero() throws Exception {
        String ready = start();
        CompletableFuture<ShutdownSignalException> reason = new CompletableFuture<>();
        Connection connection = connect(ready);
        connection.addShutdownListener(reason::complete);

        broker.terminate();

        assertThat(reason.get(20, TimeUnit.SECONDS).getMessage())
                .contains("320", "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'");
        Ended ended = broker.end();
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(directory.resolve("data/control.socket")).doesNotExist();
    }

    @Test
    void statusShowsWhatIsThere() throws Exception {
        String ready = start();
        try (Connection connection = connect(ready);
                Channel channel = connection.createChannel()) {
            channel.queueDeclare("unused", true, false, false, Map.of());
            channel.confirmSelect();
            channel.queueDeclare("busy", true, false, false, Map.of());
            for (int i = 0; i < 5; i++) {
                channel.basicPublish("", "busy", null, new byte[10]);
            }
            channel.waitForConfirmsOrDie(10_000);
            channel.basicGet("busy", false);
            channel.basicConsume("unused", (tag, message) -> {}, tag -> {});

            Ended text = run("status");
            Ended json = run("status", "--json");

            assertThat(text.exitCode()).isZero();
            assertThat(text.out())
                    .contains("process " + broker.pid())
                    .contains("amqp on 127.0.0.1:" + ProductProcess.amqpPort(ready))
                    .contains("connections  1", "queues       4")
                    .containsPattern("/ +busy +4 +1 +0\n")
                    .containsPattern("/ +unused +0 +0 +1\n");
            assertThat(json.exitCode()).isZero();
            assertThat(json.out())
                    .startsWith("{")
                    .contains("\"connections\" : 1")
                    .contains("\"ready\" : 4", "\"unsettled\" : 1", "\"consumers\" : 1");
        }
    }

    @Test
    void stopEndsTheBrokerAndReturnsWhenItHasEnded() throws Exception {
        start();

        Ended stop = run("stop");

        assertThat(stop.exitCode()).isZero();
        assertThat(broker.end().exitCode()).isZero();
        Ended again = run("stop");
        assertThat(again.exitCode()).isEqualTo(69);
        assertThat(again.err())
                .isEqualTo(
                        "entrepot: no broker is running with the data directory " + directory.resolve("data") + "\n");
    }

    @Test
    void aDataDirectoryServesOneBrokerOnly() throws Exception {
        start();

        Ended second = run("start", "--set", ANY_PORT);

        assertThat(second.exitCode()).isEqualTo(69);
        assertThat(second.err())
                .isEqualTo("entrepot: the data directory " + directory.resolve("data")
                        + " is in use by another broker, process " + broker.pid() + "\n");
        assertThat(run("status").exitCode()).isZero();
    }

    @Test
    void aBrokerThatWasKilledLeavesNothingInTheWayOfTheNext() throws Exception {
        start();
        broker.kill();
        assertThat(run("status").exitCode()).isEqualTo(69);

        start();

        assertThat(run("status").exitCode()).isZero();
    }

    @Test
    void aPortInUseIsToldWithItsListener() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Ended ended = run(
                    "start",
                    "--set",
                    "listener.address=127.0.0.1",
                    "--set",
                    "listener.amqp.port=" + taken.getLocalPort());

            assertThat(ended.exitCode()).isEqualTo(69);
            assertThat(ended.err())
                    .isEqualTo("entrepot: listener amqp cannot listen on 127.0.0.1:" + taken.getLocalPort()
                            + ": another process uses this port\n");
        }
    }

    @Test
    void everythingWrongWithTheConfigurationIsToldAtOnce() throws Exception {
        Path file = Files.writeString(directory.resolve("my.conf"), """
                # a file
                listener.amqp.prot = 5672
                shutdown.grace = 10 parsecs
                """);

        Ended ended = run("start", "--conf", file.toString(), "--set", "nothing=1");

        assertThat(ended.exitCode()).isEqualTo(64);
        assertThat(ended.err())
                .startsWith("entrepot: 3 problems in the configuration:\n")
                .contains("my.conf:2: unknown key 'listener.amqp.prot'", "listener.amqp.port")
                .contains("my.conf:3: shutdown.grace", "--set nothing");
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void fileEnvironmentAndCommandLineConfigureInThisOrder() throws Exception {
        Path file = Files.writeString(directory.resolve("my.conf"), """
                listener.address = 192.0.2.1
                listener.amqp.port = 1
                node.name = of-the-file
                """);
        broker = ProductProcess.start(
                ProductProcess.home(),
                Map.of("ENTREPOT_CONF", file.toString(), "ENTREPOT_LISTENER_AMQP_PORT", "0"),
                "start",
                "--data",
                directory.resolve("data").toString(),
                "--set",
                "listener.address=127.0.0.1");

        assertThat(broker.awaitReady()).contains("amqp on 127.0.0.1:");
        assertThat(run("status").out()).contains("node of-the-file");
    }

    @Test
    void theLogIsJsonWhereThatIsWanted() throws Exception {
        start("--set", "log.format=json", "--set", "log.level=warn");
        broker.terminate();

        Ended ended = broker.end();

        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out().lines())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("{\"time\":\"") && line.endsWith("}"))
                .anyMatch(line -> line.contains("\"msg\":\"Entrepot ") && line.contains(" ready in "));
    }

    @Test
    void commandsThatAreNotThereAreRefused() throws Exception {
        Ended ended = ProductProcess.run("dance");

        assertThat(ended.exitCode()).isEqualTo(64);
        assertThat(ended.err()).contains("'dance'");
        assertThat(ProductProcess.run().exitCode()).isEqualTo(64);
        assertThat(ProductProcess.run("start", "--no-such-option").exitCode()).isEqualTo(64);
        assertThat(ProductProcess.run("help").out()).contains("start", "stop", "status", "plugins");
        assertThat(ProductProcess.run("start", "--help").exitCode()).isZero();
    }

    private String start(String... options) throws InterruptedException {
        broker = ProductProcess.start(
                arguments("start", List.of("--set", ANY_PORT, "--set", "listener.address=127.0.0.1"), options));
        return broker.awaitReady();
    }

    private Ended run(String command, String... options) throws InterruptedException {
        return ProductProcess.run(arguments(command, List.of(), options));
    }

    private String[] arguments(String command, List<String> first, String... options) {
        List<String> arguments = new java.util.ArrayList<>(
                List.of(command, "--data", directory.resolve("data").toString()));
        arguments.addAll(first);
        arguments.addAll(List.of(options));
        return arguments.toArray(String[]::new);
    }

    private static Connection connect(String ready) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(ProductProcess.amqpPort(ready));
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }
}
