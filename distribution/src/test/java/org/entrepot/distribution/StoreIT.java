package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.entrepot.distribution.ProductProcess.Ended;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code entrepot store} as docs/storage.md shows it, on what the packed product has left. */
@Timeout(300)
class StoreIT {
    private static final int MESSAGES = 300;
    /** Its message is the one that gets damaged. */
    private static final int VICTIM = 150;

    private static final Pattern COMMAND = Pattern.compile("(?m)^    \\./bin/entrepot (store .*)$");

    @TempDir
    Path directory;

    @Test
    void theCommandsOfThePageLookIntoAStoreAndMendIt() throws Exception {
        List<String> commands = commandsOfThePage();
        assertThat(commands)
                .containsExactly(
                        "store verify data", "store report data", "store repair data", "store repair --yes data");
        String verify = commands.get(0);

        fillAndCheckThatItIsInUse(verify);
        Ended sound = run(verify);
        assertThat(sound.exitCode()).as(sound.toString()).isZero();
        assertThat(sound.out()).contains("engine  file, format 1, number ").endsWith("sound   nothing is damaged\n");
        Ended report = run(commands.get(1));
        assertThat(report.exitCode()).isZero();
        assertThat(report.out())
                .containsPattern("(?m)^/ +orders +\\d+ +" + MESSAGES + " +\\d+ +0 +" + (MESSAGES - 1) + " +")
                .containsPattern("(?m)^- +\\(the topology\\) +0 +0 +")
                .containsPattern("(?m)^journal-0000000000000001 +journal +\\d+ +\\d+ +\\d+ +batches 1 to \\d+$")
                .contains("sound   nothing is damaged");
        Ended json = run(commands.get(1) + " --json");
        assertThat(json.out()).startsWith("{").contains("\"sound\" : true", "\"queue\" : \"orders\"");
        assertThat(run(commands.get(2)).out()).isEqualTo("nothing is to be mended\n");

        damage();
        Ended broken = run(verify);
        assertThat(broken.exitCode()).isEqualTo(65);
        assertThat(broken.out()).containsPattern("(?m)^damage +journal-0000000000000001 +.* is damaged at ");
        assertThat(startAndDrain()).as("what a start has to say").contains("is damaged");

        assertThat(run(commands.get(2)).exitCode()).isEqualTo(65);
        assertThat(run(verify).exitCode()).as("nothing was done yet").isEqualTo(65);
        Ended repaired = run(commands.get(3));
        assertThat(repaired.exitCode()).as(repaired.toString()).isZero();
        assertThat(repaired.out()).contains(" is written anew", "and this account of it, is in ");
        assertThat(run(verify).exitCode()).isZero();
        assertThat(startAndDrain()).doesNotContain("is damaged");
    }

    @Test
    void whatIsNoStoreIsToldAndSoIsWhatIsAsked() throws Exception {
        Ended nowhere = ProductProcess.run("store", "verify", directory.toString());
        assertThat(nowhere.exitCode()).isEqualTo(64);
        assertThat(nowhere.err()).contains("there is no store in " + directory).contains("file");
        assertThat(ProductProcess.run("store").exitCode()).isEqualTo(64);
        assertThat(ProductProcess.run("store", "verify").exitCode()).isEqualTo(64);
        assertThat(ProductProcess.run("help").out()).contains("store");
    }

    private void fillAndCheckThatItIsInUse(String verify) throws Exception {
        try (ProductProcess broker = start()) {
            int port = ProductProcess.amqpPort(broker.awaitReady());
            try (Connection connection = connect(port);
                    Channel channel = connection.createChannel()) {
                channel.confirmSelect();
                channel.queueDeclare("orders", true, false, false, Map.of());
                for (int i = 0; i < MESSAGES; i++) {
                    channel.basicPublish("", "orders", MessageProperties.PERSISTENT_BASIC, body(i));
                }
                channel.waitForConfirmsOrDie(30_000);
            }
            Ended inUse = run(verify);
            assertThat(inUse.exitCode()).isEqualTo(69);
            assertThat(inUse.err()).contains("is in use");
            broker.terminate();
            assertThat(broker.end().exitCode()).isZero();
        }
    }

    private static byte[] body(int number) {
        return ("message number " + number + ".").getBytes(StandardCharsets.UTF_8);
    }

    /** Changes a letter of a message in a file, as a bad disk does. */
    private void damage() throws IOException {
        Path segment = data().resolve("plugins/storage-file/store/journal-0000000000000001");
        byte[] bytes = Files.readAllBytes(segment);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int at = text.indexOf("message number " + VICTIM + ".");
        assertThat(at).isPositive();
        bytes[at] ^= 1;
        Files.write(segment, bytes);
    }

    /** Starts the product, gives back all messages unsettled, and tells what it said. */
    private String startAndDrain() throws Exception {
        try (ProductProcess broker = start()) {
            int port = ProductProcess.amqpPort(broker.awaitReady());
            List<String> bodies = new ArrayList<>();
            try (Connection connection = connect(port);
                    Channel channel = connection.createChannel()) {
                for (GetResponse got = channel.basicGet("orders", false);
                        got != null;
                        got = channel.basicGet("orders", false)) {
                    bodies.add(new String(got.getBody(), StandardCharsets.UTF_8));
                }
            }
            assertThat(bodies).hasSize(MESSAGES - 1).doesNotContain("message number " + VICTIM + ".");
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(bodies.contains(new String(body(i), StandardCharsets.UTF_8)))
                        .isEqualTo(i != VICTIM);
            }
            String status =
                    ProductProcess.run("status", "--data", data().toString()).out();
            broker.terminate();
            return status + broker.end().out();
        }
    }

    private Path data() {
        return directory.resolve("data");
    }

    private ProductProcess start() {
        return KilledBroker.startProduct(data(), "file");
    }

    private static Connection connect(int port) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    /** Runs a command of the page, on this test's data directory. */
    private Ended run(String command) throws InterruptedException {
        String[] arguments = Stream.of(command.split(" "))
                .map(word -> word.equals("data") ? data().toString() : word)
                .toArray(String[]::new);
        return ProductProcess.run(arguments);
    }

    private static List<String> commandsOfThePage() throws IOException {
        Path page = Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .normalize()
                .resolveSibling("docs")
                .resolve("storage.md");
        List<String> commands = new ArrayList<>();
        Matcher command = COMMAND.matcher(Files.readString(page));
        while (command.find()) {
            commands.add(command.group(1));
        }
        return commands;
    }
}
