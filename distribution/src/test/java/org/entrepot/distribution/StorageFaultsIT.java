package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.entrepot.distribution.ProductProcess.Ended;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Faults around the files that only the whole product shows. */
@Timeout(300)
@EnabledOnOs(value = OS.LINUX, disabledReason = "Disks of their own, limits and signals are made as on Linux.")
class StorageFaultsIT {
    private static final byte[] BODY = new byte[10_000];

    @TempDir
    Path directory;

    private static Connection connect(int port) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    /** The arguments of a start with the file engine and these keys. */
    private List<String> start(Path data, String... keys) {
        List<String> arguments = new ArrayList<>(List.of("start", "--data", data.toString()));
        for (String key : List.of(
                "storage.engine=file", "listener.address=127.0.0.1", "listener.amqp.port=0", "disk.free-min=0 B")) {
            arguments.addAll(List.of("--set", key));
        }
        for (String key : keys) {
            arguments.addAll(List.of("--set", key));
        }
        return arguments;
    }

    private static ProductProcess run(List<String> arguments) {
        return ProductProcess.start(arguments.toArray(String[]::new));
    }

    @Test
    void aProcessThatIsHaltedConfirmsNothingMeanwhileAndGoesOn() throws Exception {
        List<String> arguments = start(directory.resolve("data"));
        try (ProductProcess broker = run(arguments)) {
            int port = ProductProcess.amqpPort(broker.awaitReady());
            try (Connection connection = connect(port);
                    Channel channel = connection.createChannel()) {
                channel.confirmSelect();
                channel.queueDeclare("kept", true, false, false, Map.of());
                signal("STOP", broker);
                for (int i = 0; i < 10; i++) {
                    channel.basicPublish("", "kept", MessageProperties.PERSISTENT_BASIC, new byte[] {(byte) i});
                }
                boolean confirmed;
                try {
                    confirmed = channel.waitForConfirms(1_500);
                } catch (TimeoutException none) {
                    confirmed = false;
                }
                assertThat(confirmed).isFalse();

                signal("CONT", broker);
                assertThat(channel.waitForConfirms(30_000)).isTrue();
            }
            broker.kill();
        }
        try (ProductProcess again = run(arguments);
                Connection connection = connect(ProductProcess.amqpPort(again.awaitReady()));
                Channel channel = connection.createChannel()) {
            for (int i = 0; i < 10; i++) {
                assertThat(channel.basicGet("kept", true).getBody()).containsExactly(i);
            }
        }
    }

    private static void signal(String name, ProductProcess broker) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(broker.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void aStoreServesOneBrokerWhateverItsDataDirectory() throws Exception {
        String shared = "storage-file.directory=" + directory.resolve("store");
        try (ProductProcess broker = run(start(directory.resolve("data"), shared))) {
            broker.awaitReady();
            try (ProductProcess second = run(start(directory.resolve("other"), shared))) {
                Ended ended = second.end();
                assertThat(ended.exitCode()).isEqualTo(69);
                assertThat(ended.err()).contains("is in use by another process");
            }
        }
    }

    @Test
    void aDirectoryThatIsEmptyWhereAStoreWasKeepsTheBrokerFromStarting() throws Exception {
        Path store = directory.resolve("store");
        List<String> arguments = start(directory.resolve("data"), "storage-file.directory=" + store);
        try (ProductProcess broker = run(arguments)) {
            broker.awaitReady();
            broker.terminate();
            assertThat(broker.end().exitCode()).isZero();
        }
        Files.move(store, directory.resolve("elsewhere"));

        try (ProductProcess broker = run(arguments)) {
            Ended ended = broker.end();
            assertThat(ended.exitCode()).isEqualTo(65);
            assertThat(ended.err()).contains("Is the right disk mounted?");
        }
    }

    @Test
    void whoTakesAllFilesThatMayBeOpenDoesNotTakeThoseOfTheStore() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                "ulimit -n 400 && exec \"$0\" \"$@\"",
                ProductProcess.home().resolve("bin").resolve("entrepot").toString()));
        command.addAll(start(
                directory.resolve("data"), "storage-file.segment-size=32 MiB", "storage-file.journal-size=64 MiB"));
        List<Socket> idle = new ArrayList<>();
        try (ProductProcess broker = ProductProcess.startCommand(Map.of(), command)) {
            int port = ProductProcess.amqpPort(broker.awaitReady());
            try (Connection connection = connect(port);
                    Channel channel = connection.createChannel()) {
                channel.confirmSelect();
                channel.queueDeclare("kept", true, false, false, Map.of());
                for (int i = 0; i < 450; i++) {
                    idle.add(new Socket(InetAddress.getLoopbackAddress(), port));
                }
                // Files of the journal are made, and tables.
                byte[] large = new byte[100_000];
                for (int i = 0; i < 1_500; i++) {
                    channel.basicPublish("", "kept", MessageProperties.PERSISTENT_BASIC, large);
                }
                assertThat(channel.waitForConfirms(60_000)).isTrue();
            }
            Ended status = ProductProcess.run(
                    "status", "--data", directory.resolve("data").toString());
            assertThat(status.out()).contains("alarms       none");
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void whatAConfirmMeansIsSaidAtTheStart() throws Exception {
        for (String sync : Arrays.asList("always", "interval", "os")) {
            try (ProductProcess broker = run(start(directory.resolve(sync), "storage-file.sync=" + sync))) {
                String ready = broker.awaitReady();
                assertThat(ready).contains("storage file (confirms mean ");
                assertThat(ready.contains("the system's memory")).as(ready).isNotEqualTo(sync.equals("always"));
                int port = ProductProcess.amqpPort(ready);
                try (Connection connection = connect(port);
                        Channel channel = connection.createChannel()) {
                    channel.confirmSelect();
                    channel.queueDeclare("kept", true, false, false, Map.of());
                    channel.basicPublish("", "kept", MessageProperties.PERSISTENT_BASIC, BODY);
                    assertThat(channel.waitForConfirms(30_000)).isTrue();
                }
                broker.kill();
            }
            try (ProductProcess again = run(start(directory.resolve(sync), "storage-file.sync=" + sync));
                    Connection connection = connect(ProductProcess.amqpPort(again.awaitReady()));
                    Channel channel = connection.createChannel()) {
                assertThat(channel.basicGet("kept", true)).as(sync).isNotNull();
            }
        }
    }
}
