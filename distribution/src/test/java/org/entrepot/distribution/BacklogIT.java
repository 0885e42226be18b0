package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A queue far longer than memory is taken in, is there after a restart, and is handed out in order; {@code
 * -Dbacklog.entries=50000000} says how long, {@code -Dbacklog.heap=512} with how many MiB of heap.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class BacklogIT {
    private static final long ENTRIES = Long.getLong("backlog.entries", 600_000);
    private static final int HEAP_MIB = Integer.getInteger("backlog.heap", 96);

    /** What a process takes besides its heap, at most: code, threads, buffers of sockets and files. */
    private static final long BESIDE_HEAP_MIB = 300;

    private static final int BODY_BYTES = 100;
    private static final int WINDOW = 5_000;
    private static final int PREFETCH = 2_000;
    private static final int ACKNOWLEDGED_AT_ONCE = 500;
    private static final String QUEUE = "backlog";

    @TempDir
    Path directory;

    @Test
    void aQueueLongerThanMemoryIsKeptAndHandedOut(TestReporter reporter) throws Exception {
        try (ProductProcess product = start()) {
            int port = ProductProcess.amqpPort(product.awaitReady());
            long began = System.nanoTime();
            try (Connection connection = connect(port)) {
                fill(connection);
            }
            report(reporter, "filled", began);
            mustBeSmall(product, reporter);
            product.terminate();
            assertThat(product.end().exitCode()).isZero();
        }
        long began = System.nanoTime();
        try (ProductProcess product = start()) {
            int port = ProductProcess.amqpPort(product.awaitReady());
            try (Connection connection = connect(port)) {
                assertThat(connection.createChannel().messageCount(QUEUE)).isEqualTo(ENTRIES);
                report(reporter, "started", began);
                began = System.nanoTime();
                drain(connection);
                report(reporter, "drained", began);
                assertThat(connection.createChannel().messageCount(QUEUE)).isZero();
            }
            mustBeSmall(product, reporter);
        }
    }

    private ProductProcess start() {
        return ProductProcess.start(
                ProductProcess.home(),
                Map.of("ENTREPOT_HEAP", HEAP_MIB + "m"),
                "start",
                "--data",
                directory.resolve("data").toString(),
                "--set",
                "listener.address=127.0.0.1",
                "--set",
                "listener.amqp.port=0");
    }

    private static Connection connect(int port) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    private static void fill(Connection connection) throws Exception {
        Channel channel = connection.createChannel();
        channel.queueDeclare(QUEUE, true, false, false, Map.of());
        channel.confirmSelect();
        byte[] body = new byte[BODY_BYTES];
        for (long number = 0; number < ENTRIES; number++) {
            channel.basicPublish(
                    "",
                    QUEUE,
                    MessageProperties.PERSISTENT_BASIC,
                    ByteBuffer.wrap(body).putLong(number).array());
            if (number % WINDOW == 0) {
                channel.waitForConfirmsOrDie();
            }
        }
        channel.waitForConfirmsOrDie();
    }

    private static void drain(Connection connection) throws Exception {
        Channel channel = connection.createChannel();
        channel.basicQos(PREFETCH);
        InOrder consumer = new InOrder(channel);
        channel.basicConsume(QUEUE, false, consumer);
        consumer.all.get();
        // Whatever was settled is settled when the broker has closed the channel.
        channel.close();
    }

    private static void report(TestReporter reporter, String what, long since) {
        reporter.publishEntry(what, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since) + " ms");
    }

    private static void mustBeSmall(ProductProcess product, TestReporter reporter) throws IOException {
        Path status = Path.of("/proc", Long.toString(product.pid()), "status");
        if (!Files.exists(status)) {
            return;
        }
        String line = Files.readAllLines(status).stream()
                .filter(any -> any.startsWith("VmHWM:"))
                .findFirst()
                .orElseThrow();
        long mib = Long.parseLong(line.replaceAll("[^0-9]", "")) >> 10;
        reporter.publishEntry("most memory", mib + " MiB with a heap of " + HEAP_MIB + " MiB");
        assertThat(mib).as("resident memory in MiB").isLessThan(HEAP_MIB + BESIDE_HEAP_MIB);
    }

    /** Takes messages whose numbers follow each other. */
    private static final class InOrder extends DefaultConsumer {
        private final CompletableFuture<Void> all = new CompletableFuture<>();
        private long next;

        InOrder(Channel channel) {
            super(channel);
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
                throws IOException {
            long number = ByteBuffer.wrap(body).getLong();
            if (number != next || envelope.isRedeliver()) {
                all.completeExceptionally(new AssertionError("message " + number + " in place of " + next
                        + (envelope.isRedeliver() ? ", said to come again" : "")));
                return;
            }
            next++;
            if (next % ACKNOWLEDGED_AT_ONCE == 0 || next == ENTRIES) {
                getChannel().basicAck(envelope.getDeliveryTag(), true);
            }
            if (next == ENTRIES) {
                all.complete(null);
            }
        }
    }
}
