package org.entrepot.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.SessionListener.Receipt;
import org.entrepot.spi.session.Transaction;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.TopologyChange;
import org.entrepot.testkit.DirectClient;
import org.entrepot.testkit.DirectClients;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tables of a whole broker, in files. */
@Timeout(120)
class TableInFilesTest {
    private static final int READ_BYTES = 1 << 20;

    @TempDir
    private Path directory;

    private final DirectClients clients = new DirectClients();

    @Test
    void whatWasConfirmedIsThereAfterARestartAndNothingElse() {
        try (EmbeddedBroker broker = start(directory);
                DirectClient client = clients.connect(broker)) {
            declare(client);
            client.publish("t", "a", "1");
            client.publish("t", "b", "2");
            client.publish("t", "a", "3");
            client.publish("t", "c", "4");
            assertThat(client.publish("t", "b", "")).isEqualTo(Receipt.STORED);
            assertThat(client.read("t", READ_BYTES)).containsExactly("a=3", "c=4");
        }

        try (EmbeddedBroker broker = start(directory);
                DirectClient client = clients.connect(broker)) {
            assertThat(client.read("t", READ_BYTES)).containsExactly("a=3", "c=4");
            client.publish("t", "b", "5");
            client.publish("t", "a", "6");
            assertThat(client.read("t", 1)).containsExactly("c=4", "b=5", "a=6");
        }
    }

    /** What is in the files as soon as it is confirmed is what a process that is killed leaves. */
    @Test
    void whatWasConfirmedIsThereAfterAKill() throws IOException {
        Path killed = directory.resolve("killed");
        try (EmbeddedBroker broker = start(directory.resolve("alive"));
                DirectClient client = clients.connect(broker)) {
            declare(client);
            client.publish("t", "a", "1");
            client.publish("t", "b", "2");
            client.publish("t", "a", "3");
            client.publish("t", "b", "");
            copy(directory.resolve("alive"), killed);
        }

        try (EmbeddedBroker broker = start(killed);
                DirectClient client = clients.connect(broker)) {
            assertThat(client.read("t", READ_BYTES)).containsExactly("a=3");
        }
    }

    @Test
    void aTransactionOverAQueueAndATableIsThereAsAWhole() throws IOException {
        Path killed = directory.resolve("killed");
        try (EmbeddedBroker broker = start(directory.resolve("alive"));
                DirectClient client = clients.connect(broker)) {
            declare(client);
            client.publish("t", "packet", "1");
            client.publish("t", "gone", "2");
            Transaction transaction = client.call(() -> {
                Transaction begun = client.session().begin();
                publish(client, begun, "q", "k", "message");
                publish(client, begun, "t", "packet", "3");
                publish(client, begun, "t", "gone", "");
                return begun;
            });
            assertThat(client.await(transaction::commit)).isTrue();
            copy(directory.resolve("alive"), killed);
        }

        try (EmbeddedBroker broker = start(killed);
                DirectClient client = clients.connect(broker)) {
            assertThat(client.read("t", READ_BYTES)).containsExactly("packet=3");
            assertThat(client.read("q", READ_BYTES)).containsExactly("k=message");
        }
    }

    /** Long enough that the engine wants checkpoints, and moves what is old. */
    @Test
    void aTableThatIsWrittenToForLongHoldsTheNewestOfEachKey() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Map<String, String> model = new HashMap<>();
        for (int life = 0; life < 3; life++) {
            try (EmbeddedBroker broker = start(directory);
                    DirectClient client = clients.connect(broker)) {
                declare(client);
                for (int batch = 0; batch < 30; batch++) {
                    write(client, random, model);
                }
                assertThat(client.read("t", READ_BYTES)).as("seed %d", seed).hasSameElementsAs(lines(model));
            }
        }
        try (EmbeddedBroker broker = start(directory);
                DirectClient client = clients.connect(broker)) {
            List<String> read = client.read("t", 10_000);
            assertThat(read).as("seed %d", seed).doesNotHaveDuplicates().hasSameElementsAs(lines(model));
        }
    }

    private static void write(DirectClient client, Random random, Map<String, String> model) {
        int count = 500;
        client.call(() -> {
            for (int i = 0; i < count; i++) {
                String key = "key" + random.nextInt(300);
                String text = random.nextInt(5) == 0
                        ? ""
                        : Integer.toString(random.nextInt()).repeat(200);
                if (text.isEmpty()) {
                    model.remove(key);
                } else {
                    model.put(key, text);
                }
                RoutingKey routingKey = RoutingKey.of(key);
                client.session()
                        .publish(
                                client.session().queueAddress("t", routingKey),
                                client.message(text),
                                Envelope.of("", routingKey, true));
            }
            return null;
        });
        for (int i = 0; i < count; i++) {
            assertThat(client.receipt()).isEqualTo(Receipt.STORED);
        }
    }

    private static List<String> lines(Map<String, String> model) {
        List<String> lines = new ArrayList<>();
        model.forEach((key, text) -> lines.add(key + "=" + text));
        return lines;
    }

    private static void publish(DirectClient client, Transaction to, String queue, String key, String text) {
        RoutingKey routingKey = RoutingKey.of(key);
        to.publish(
                client.session().queueAddress(queue, routingKey),
                client.message(text),
                Envelope.of("", routingKey, true));
    }

    private static void declare(DirectClient client) {
        client.await(() -> client.session()
                .change(List.of(
                        new TopologyChange.DeclareQueue(QueueSpec.table("t", true, QueueLimits.NONE)),
                        new TopologyChange.DeclareQueue(QueueSpec.plain("q", true, false, false)))));
    }

    private EmbeddedBroker start(Path data) {
        return EmbeddedBroker.with("direct", clients)
                .plugin("storage-file", new FileStoragePlugin())
                .set("storage.engine=file")
                .set("storage-file.segment-size=32 MiB")
                .set("storage-file.journal-size=64 MiB")
                .dataDirectory(data)
                .start();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else if (Files.isRegularFile(path)) {
                    Files.copy(path, target);
                }
            }
        }
    }
}
