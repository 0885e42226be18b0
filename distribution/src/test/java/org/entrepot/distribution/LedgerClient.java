package org.entrepot.distribution;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A client of a broker that may crash at any time: publishes with confirms to several queues and consumes from one, all on
 * one connection, and tells a {@link ConfirmLedger}. One thread publishes, those of the connection do the rest; ends with
 * the connection.
 */
final class LedgerClient {
    /** Messages that may be on the way, not confirmed yet. */
    private static final int WINDOW = 200;

    private static final int PREFETCH = 50;
    /** As many deliveries are kept before they are given back. */
    private static final int HELD_MAX = 20;

    private final ConfirmLedger ledger;
    private final int publisher;
    private final List<String> queues;
    private final SplittableRandom random;
    private final Connection connection;
    private final Channel publishing;
    private final Channel consuming;
    private final Semaphore window = new Semaphore(WINDOW);
    private final Thread thread;

    /** Guarded by this client, as are those below: what was published and not confirmed, by the channel's number. */
    private final TreeMap<Long, Unconfirmed> unconfirmed = new TreeMap<>();
    /** What was settled in the queue that this client consumes from, and not for sure. */
    private final Deque<Settled> settled = new ArrayDeque<>();

    private final List<Long> held = new ArrayList<>();

    private record Unconfirmed(LedgerBody message, int queues) {}

    /** Settled before the message of this number was published. */
    private record Settled(LedgerBody message, long before) {}

    LedgerClient(Connection connection, ConfirmLedger ledger, int publisher, List<String> queues, long seed)
            throws IOException {
        this.ledger = ledger;
        this.publisher = publisher;
        this.queues = queues;
        this.random = new SplittableRandom(seed);
        this.connection = connection;
        this.publishing = connection.createChannel();
        this.consuming = connection.createChannel();
        this.thread = new Thread(this::publish, "publisher " + publisher);
        publishing.confirmSelect();
        publishing.addConfirmListener(this::confirmed, this::refused);
        consuming.basicQos(PREFETCH);
    }

    void start() throws IOException {
        thread.start();
        consuming.basicConsume(queues.get(queue()), false, this::delivered, tag -> {});
    }

    /** The queue that this client consumes from. */
    private int queue() {
        return publisher % queues.size();
    }

    /** Waits until the connection is gone and nothing will be told to the ledger any more. */
    void join(long millisMax) throws InterruptedException {
        connection.abort((int) millisMax);
        thread.join(millisMax);
        if (thread.isAlive()) {
            throw new AssertionError("publisher " + publisher + " has not ended");
        }
    }

    private void publish() {
        try {
            while (connection.isOpen()) {
                if (window.tryAcquire(100, TimeUnit.MILLISECONDS)) {
                    publishOne();
                }
            }
        } catch (IOException | AlreadyClosedException crashed) {
            // What was on the way is not confirmed, and that is all there is to say.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void publishOne() throws IOException {
        boolean toAll = random.nextInt(5) == 0;
        int queue = random.nextInt(queues.size());
        int bits = toAll ? (1 << queues.size()) - 1 : 1 << queue;
        LedgerBody message = ledger.published(publisher, bits);
        int filler = random.nextInt(20) == 0 ? random.nextInt(20_000) : random.nextInt(400);
        unconfirmed.put(publishing.getNextPublishSeqNo(), new Unconfirmed(message, bits));
        publishing.basicPublish(
                toAll ? CrashCycles.EXCHANGE : "",
                toAll ? "" : queues.get(queue),
                MessageProperties.PERSISTENT_BASIC,
                message.encoded(filler));
    }

    private synchronized void confirmed(long number, boolean multiple) {
        while (!unconfirmed.isEmpty()) {
            Long first = multiple ? unconfirmed.firstKey() : Long.valueOf(number);
            Unconfirmed confirmed = first > number ? null : unconfirmed.remove(first);
            if (confirmed == null) {
                return;
            }
            ledger.confirmed(confirmed.message());
            window.release();
            if ((confirmed.queues() >> queue() & 1) != 0) {
                settledForSure(first);
            }
            if (!multiple) {
                return;
            }
        }
    }

    private void settledForSure(long number) {
        while (!settled.isEmpty() && settled.peek().before() <= number) {
            ledger.settledForSure(settled.remove().message(), queue());
        }
    }

    /** A broker in trouble may refuse: such a message may be there or not. */
    private synchronized void refused(long number, boolean multiple) {
        TreeMap<Long, Unconfirmed> refused = new TreeMap<>(
                multiple ? unconfirmed.headMap(number, true) : unconfirmed.subMap(number, true, number, true));
        unconfirmed.keySet().removeAll(refused.keySet());
        window.release(refused.size());
    }

    private synchronized void delivered(String tag, Delivery delivery) throws IOException {
        LedgerBody message = ledger.delivered(queue(), delivery.getBody());
        long delivered = delivery.getEnvelope().getDeliveryTag();
        if (random.nextInt(10) == 0) {
            hold(delivered);
            return;
        }
        ledger.settled(message, queue());
        settled.add(new Settled(message, publishing.getNextPublishSeqNo()));
        consuming.basicAck(delivered, false);
    }

    private void hold(long tag) throws IOException {
        held.add(tag);
        if (held.size() == HELD_MAX) {
            for (long one : held) {
                consuming.basicReject(one, true);
            }
            held.clear();
        }
    }
}
