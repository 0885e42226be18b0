package org.entrepot.abuse;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that behaves: publishes small messages with confirms at a fixed rate, consumes them, and measures how long after
 * its time each was both delivered and confirmed. A publish that is held up makes those behind it late too, as it does in
 * an application. Its publishing thread is its own; whoever made it may call it.
 */
final class Neighbour {
    static final int MESSAGES_PER_SECOND = 200;

    private static final long INTERVAL_NANOS = 1_000_000_000L / MESSAGES_PER_SECOND;
    private static final long PATIENCE_NANOS = 20_000_000_000L;
    private static final int BODY_BYTES = 256;

    private final Connection connection;
    private final Channel publishing;
    private final String queue;
    private final Thread publisher = new Thread(this::publish, "a neighbour publishes");

    /** When each message was due that is not both delivered and confirmed, by its number. */
    private final ConcurrentNavigableMap<Long, Pending> pending = new ConcurrentSkipListMap<>();

    private final List<Long> taken = new ArrayList<>();
    private volatile boolean ended;

    /** A message that is on its way. Thread-safe. */
    private static final class Pending {
        final long number;
        final long dueNanos;
        private boolean delivered;
        private boolean confirmed;

        Pending(long number, long dueNanos) {
            this.number = number;
            this.dueNanos = dueNanos;
        }

        /** Takes in one of the two things that are to happen; whether it is the last. */
        synchronized boolean isDoneBy(boolean confirm) {
            boolean before = delivered && confirmed;
            if (confirm) {
                confirmed = true;
            } else {
                delivered = true;
            }
            return !before && delivered && confirmed;
        }
    }

    /** What is measured while it runs. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    Neighbour(String host, int port) throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(host);
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        connection = factory.newConnection("neighbour");
        publishing = connection.createChannel();
        publishing.confirmSelect();
        publishing.addConfirmListener(this::confirmed, (number, multiple) -> {});
        queue = publishing.queueDeclare("", false, true, false, Map.of()).getQueue();
        Channel consuming = connection.createChannel();
        consuming.basicConsume(
                queue,
                true,
                (tag, delivery) ->
                        happened(pending.get(ByteBuffer.wrap(delivery.getBody()).getLong()), false),
                tag -> {});
        publisher.setDaemon(true);
        publisher.start();
    }

    /** How long the messages took whose time came while the work ran; all of them must have come through. */
    Latencies during(Work work) throws Exception {
        synchronized (taken) {
            taken.clear();
        }
        work.run();
        awaitAllUntil(System.nanoTime());
        synchronized (taken) {
            return new Latencies(taken.stream().mapToLong(nanos -> nanos).toArray());
        }
    }

    /** How long they take while nothing happens, for so long. */
    Latencies undisturbed(long millis) throws Exception {
        return during(() -> {
            long end = System.nanoTime() + millis * 1_000_000;
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        });
    }

    /** Waits until everything that was due at a time has come through. */
    private void awaitAllUntil(long nanos) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            Map.Entry<Long, Pending> oldest = pending.firstEntry();
            if (oldest == null || oldest.getValue().dueNanos - nanos > 0) {
                return;
            }
            if (ended || !connection.isOpen() || System.nanoTime() - deadline > 0) {
                throw new AssertionError("a neighbour's message was not delivered and confirmed within "
                        + (System.nanoTime() - oldest.getValue().dueNanos) / 1_000_000 + " ms; its connection is "
                        + connection + ", closed because of " + connection.getCloseReason());
            }
            LockSupport.parkNanos(INTERVAL_NANOS);
        }
    }

    private void publish() {
        long due = System.nanoTime();
        long number = 0;
        try {
            while (!ended) {
                due += INTERVAL_NANOS;
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                number++;
                pending.put(number, new Pending(number, due));
                byte[] body = new byte[BODY_BYTES];
                ByteBuffer.wrap(body).putLong(number);
                publishing.basicPublish("", queue, null, body);
            }
        } catch (IOException e) {
            if (!ended) {
                throw new UncheckedIOException(e);
            }
        } finally {
            ended = true;
        }
    }

    private void confirmed(long number, boolean multiple) {
        if (multiple) {
            pending.headMap(number, true).values().forEach(message -> happened(message, true));
        } else {
            happened(pending.get(number), true);
        }
    }

    private void happened(Pending message, boolean confirm) {
        if (message != null && message.isDoneBy(confirm)) {
            pending.remove(message.number);
            synchronized (taken) {
                taken.add(System.nanoTime() - message.dueNanos);
            }
        }
    }

    void stop() throws InterruptedException {
        ended = true;
        publisher.join();
        connection.abort();
    }
}
