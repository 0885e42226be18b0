package org.entrepot.distribution;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Crashes a broker under its MQTT clients, again and again, lets them finish, and compares what publishers were told with what
 * subscribers got. Used by one thread, once.
 */
final class MqttCycles {
    private static final int[] PUBLISHERS = {1, 2, 2, 1};
    private static final int[] SUBSCRIBERS = {1, 2, 2, 1};
    /** A crash comes after so many acknowledged messages of a cycle at most. */
    private static final int ACKNOWLEDGED_MAX = 3_000;

    private static final int MILLIS_MAX = 60_000;

    private final CrashingBroker broker;
    private final SplittableRandom random;
    private final MqttLedger ledger = new MqttLedger(PUBLISHERS, SUBSCRIBERS);
    private final List<MqttPublisher> publishers = new ArrayList<>();
    private final List<MqttSubscriber> subscribers = new ArrayList<>();

    MqttCycles(CrashingBroker broker, long seed) {
        this.broker = broker;
        this.random = new SplittableRandom(seed);
        for (int number = 0; number < PUBLISHERS.length; number++) {
            publishers.add(new MqttPublisher(ledger, number, 4 + number % 2, PUBLISHERS[number], random.nextLong()));
        }
        for (int number = 0; number < SUBSCRIBERS.length; number++) {
            subscribers.add(new MqttSubscriber(ledger, number, 4 + number % 2, SUBSCRIBERS[number], random.nextLong()));
        }
    }

    /** Crashes the broker so often. */
    MqttLedger.Result run(int cycles) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(PUBLISHERS.length + SUBSCRIBERS.length);
        try {
            for (int cycle = 0; cycle < cycles; cycle++) {
                broker.start();
                if (cycle == 0) {
                    begin();
                }
                List<Future<?>> running = go(threads);
                long until = ledger.acknowledged() + 1 + random.nextInt(ACKNOWLEDGED_MAX);
                if (!ledger.awaitAcknowledged(until, MILLIS_MAX)) {
                    broker.crash();
                    end(running);
                    throw new AssertionError("only " + ledger.acknowledged() + " messages of " + until
                            + " were acknowledged within " + MILLIS_MAX + " ms in cycle " + cycle);
                }
                broker.crash();
                end(running);
            }
            finish(threads);
            return ledger.result();
        } finally {
            threads.shutdownNow();
        }
    }

    private void begin() throws IOException {
        for (MqttSubscriber subscriber : subscribers) {
            subscriber.begin(broker.mqttPort());
        }
        for (MqttPublisher publisher : publishers) {
            publisher.begin(broker.mqttPort());
        }
    }

    private List<Future<?>> go(ExecutorService threads) {
        int port = broker.mqttPort();
        List<Future<?>> running = new ArrayList<>();
        for (MqttParty party : parties()) {
            running.add(threads.submit(() -> {
                party.run(port);
                return null;
            }));
        }
        return running;
    }

    private List<MqttParty> parties() {
        List<MqttParty> all = new ArrayList<>(publishers);
        all.addAll(subscribers);
        return all;
    }

    private static void end(List<Future<?>> running) throws InterruptedException, ExecutionException, TimeoutException {
        for (Future<?> each : running) {
            each.get(MILLIS_MAX, TimeUnit.MILLISECONDS);
        }
    }

    /** Has everything delivered, and then one message more: what comes again for no reason comes before that. */
    private void finish(ExecutorService threads) throws Exception {
        subscribers.forEach(MqttSubscriber::calm);
        for (int messages = 0; messages < 2; messages++) {
            int more = messages;
            broker.start();
            publishers.forEach(publisher -> publisher.finish(more));
            List<Future<?>> running = go(threads);
            ledger.awaitAll(MILLIS_MAX);
            broker.crash();
            end(running);
        }
    }
}
