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
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that runs full holds publishers back, and loses nothing; {@code -Dfull.rounds=20} says how often it runs full while
 * the same product goes on.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FullDiskIT {
    private static final int ROUNDS = Integer.getInteger("full.rounds", 2);
    private static final long DISK_BYTES = 512L << 20;
    private static final int BODY_BYTES = 16 << 10;
    private static final int PREFETCH = 200;
    private static final int PATIENCE_SECONDS = 120;
    private static final String QUEUE = "filled";

    @TempDir
    Path directory;

    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private volatile boolean full;
    private volatile int published;

    @Test
    void nothingIsLostHoweverOftenTheDiskRunsFull() throws Exception {
        try (OwnDisk disk = OwnDisk.orSkip(directory, DISK_BYTES, "a full disk loses nothing");
                ProductProcess product = start(disk)) {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setHost("127.0.0.1");
            factory.setPort(ProductProcess.amqpPort(product.awaitReady()));
            factory.setAutomaticRecoveryEnabled(false);
            try (Connection publishing = factory.newConnection();
                    Connection consuming = factory.newConnection()) {
                publishing.addBlockedListener(this::blocked, () -> heard.add("unblocked"));
                for (int round = 0; round < ROUNDS; round++) {
                    fillAndDrain(publishing, consuming);
                }
            } finally {
                product.kill();
            }
        }
    }

    /** The product, for which no alarm but that of the full disk itself comes first. */
    private static ProductProcess start(OwnDisk disk) {
        return ProductProcess.start(
                "start",
                "--data",
                disk.path().resolve("data").toString(),
                "--set",
                "disk.free-min=0 B",
                "--set",
                "listener.address=127.0.0.1",
                "--set",
                "listener.amqp.port=0");
    }

    private void blocked(String reason) {
        full = true;
        heard.add("blocked: " + reason);
    }

    private void fillAndDrain(Connection publishing, Connection consuming) throws Exception {
        full = false;
        published = 0;
        try (Channel publisher = publishing.createChannel();
                Channel consumer = consuming.createChannel()) {
            publisher.queueDeclare(QUEUE, true, false, false, Map.of());
            publisher.confirmSelect();
            CompletableFuture<Void> filled = CompletableFuture.runAsync(() -> fill(publisher));

            assertThat(heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("after " + published + " messages")
                    .startsWith("blocked: ");

            Received received = new Received(consumer);
            consumer.basicQos(PREFETCH);
            consumer.basicConsume(QUEUE, false, received);
            filled.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            publisher.waitForConfirmsOrDie(PATIENCE_SECONDS * 1_000L);
            received.all(published).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(received.twice).isZero();
            assertThat(heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("unblocked");
        }
    }

    /** Publishes until the broker says that it has no room; the last of it waits in the socket until it has. */
    private void fill(Channel publisher) {
        byte[] body = new byte[BODY_BYTES];
        try {
            for (int number = 0; !full; number++) {
                ByteBuffer.wrap(body).putInt(number);
                publisher.basicPublish("", QUEUE, MessageProperties.PERSISTENT_BASIC, body);
                published = number + 1;
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What one round's consumer gets, and settles at once. */
    private static final class Received extends DefaultConsumer {
        private final BitSet numbers = new BitSet();
        private final CompletableFuture<Void> complete = new CompletableFuture<>();
        private int expected = Integer.MAX_VALUE;
        private int twice;

        Received(Channel channel) {
            super(channel);
        }

        /** Completes when so many have come. */
        synchronized CompletableFuture<Void> all(int count) {
            expected = count;
            completeIfAll();
            return complete;
        }

        private void completeIfAll() {
            if (numbers.cardinality() == expected) {
                complete.complete(null);
            }
        }

        @Override
        public synchronized void handleDelivery(
                String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) throws IOException {
            int number = ByteBuffer.wrap(body).getInt();
            if (numbers.get(number)) {
                twice++;
            }
            numbers.set(number);
            getChannel().basicAck(envelope.getDeliveryTag(), false);
            completeIfAll();
        }
    }
}
