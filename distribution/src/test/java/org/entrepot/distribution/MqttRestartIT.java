package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What MQTT promises to keep outlives the product's process. {@code -Dmqtt.sessions=10000} says of how many clients. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class MqttRestartIT {
    private static final int SESSIONS = Integer.getInteger("mqtt.sessions", 1_000);
    private static final int MESSAGES = 5;
    /** Clients in a row that have a topic in common. */
    private static final int OF_A_TOPIC = 10;

    private static final int WORKERS = 16;
    private static final int HOUR = 3_600;
    /** The time of a will that goes on while there is no broker. */
    private static final int SOON_SECONDS = 3;

    private static final int SECONDS_MAX = 20;

    private static final MqttClient.Options SHORT = new MqttClient.Options(5, "short", false, 1);

    @TempDir
    Path directory;

    private CrashingBroker broker;
    private int amqpPort;

    @BeforeEach
    void start() throws Exception {
        broker = new KilledBroker(directory, "file");
        amqpPort = broker.start();
    }

    @AfterEach
    void end() throws IOException {
        broker.close();
    }

    private void killAndStart() throws Exception {
        broker.crash();
        amqpPort = broker.start();
    }

    private MqttClient connect(MqttClient.Options options) throws IOException {
        return MqttClient.connect(broker.mqttPort(), options);
    }

    private MqttClient publisher() throws IOException {
        return connect(new MqttClient.Options(4, "publisher", true, 0));
    }

    /** Of every ten clients that have a topic in common every other one speaks MQTT 5, and one is connected at the end. */
    private static MqttClient.Options session(int number) {
        return new MqttClient.Options(number % 2 == 0 ? 4 : 5, "session-" + number, false, HOUR);
    }

    @Test
    void sessionsGoOnWithEverythingThatWasAcknowledged(TestReporter reporter) throws Exception {
        List<MqttClient> connected = Collections.synchronizedList(new ArrayList<>());
        forEachSession(number -> {
            MqttClient client = connect(session(number));
            assertThat(client.sessionPresent()).isFalse();
            client.subscribe("each/" + number / OF_A_TOPIC + "/#", 1);
            if (number % OF_A_TOPIC == 0) {
                connected.add(client);
            } else {
                client.disconnect();
            }
        });
        try (MqttClient publisher = publisher()) {
            for (int message = 0; message < MESSAGES; message++) {
                publishToAll(publisher, message);
            }
        }
        for (MqttClient client : connected) {
            // It has got them, and does not say so.
            assertThat(client.read().type()).isEqualTo(MqttClient.PUBLISH);
        }
        long before = System.nanoTime();
        killAndStart();
        long started = System.nanoTime();
        for (MqttClient client : connected) {
            client.close();
        }
        forEachSession(number -> {
            try (MqttClient client = connect(session(number))) {
                assertThat(client.sessionPresent()).as("session " + number).isTrue();
                for (int message = 0; message < MESSAGES; message++) {
                    MqttClient.Packet got = client.read();
                    assertThat(got.text()).as("for session " + number).isEqualTo(number / OF_A_TOPIC + ":" + message);
                    assertThat(got.qos()).isOne();
                    client.answer(MqttClient.PUBACK, got.id());
                }
                client.disconnect();
            }
        });
        long resumed = System.nanoTime();
        // What was answered is not delivered again; what is subscribed still is.
        try (MqttClient publisher = publisher();
                MqttClient last = connect(session(SESSIONS - 1))) {
            publisher.publishAndWait("each/" + (SESSIONS - 1) / OF_A_TOPIC + "/more", "more", false);
            assertThat(last.read().text()).isEqualTo("more");
        }
        reporter.publishEntry(
                "sessions",
                SESSIONS + " with " + SESSIONS * MESSAGES + " messages; started again in "
                        + TimeUnit.NANOSECONDS.toMillis(started - before) + " ms, all resumed in "
                        + TimeUnit.NANOSECONDS.toMillis(resumed - started) + " ms");
    }

    /** One message to every topic; all are acknowledged when this returns. */
    private static void publishToAll(MqttClient publisher, int message) throws IOException {
        int topics = (SESSIONS + OF_A_TOPIC - 1) / OF_A_TOPIC;
        for (int topic = 0; topic < topics; topic++) {
            byte[] text = (topic + ":" + message).getBytes(StandardCharsets.UTF_8);
            publisher.publish("each/" + topic + "/" + message, text, 1, topic + 1, false, false);
        }
        publisher.flush();
        for (int topic = 0; topic < topics; topic++) {
            MqttClient.Packet answer = publisher.read();
            assertThat(answer.type()).isEqualTo(MqttClient.PUBACK);
            assertThat(answer.id()).isEqualTo(topic + 1);
        }
    }

    /** Does something for one session. */
    private interface Step {
        void take(int number) throws IOException;
    }

    private static void forEachSession(Step step) throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int worker = 0; worker < WORKERS; worker++) {
                int first = worker;
                all.add(workers.submit(() -> {
                    for (int number = first; number < SESSIONS; number += WORKERS) {
                        step.take(number);
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(5, TimeUnit.MINUTES);
            }
        } finally {
            workers.shutdownNow();
        }
    }

    @Test
    void retainedMessagesWillsAndTheEndsOfSessionsAreKept() throws Exception {
        try (MqttClient publisher = publisher()) {
            publisher.publishAndWait("kept/stored", "stored", true);
            publisher.publishAndWait("kept/replaced", "old", true);
            publisher.publishAndWait("kept/replaced", "new", true);
            publisher.publishAndWait("kept/cleared", "cleared", true);
            publisher.publishAndWait("kept/cleared", "", true);
        }
        MqttClient.Options heir = new MqttClient.Options(5, "heir", false, HOUR);
        try (MqttClient client = connect(heir)) {
            client.subscribe("will/#", 1);
            client.disconnect();
        }
        connect(SHORT).disconnect();
        long left = System.nanoTime();
        leaveWill("soon", SOON_SECONDS);
        leaveWill("late", HOUR);
        awaitWills(2);

        killAndStart();
        long ready = System.nanoTime();
        try (MqttClient client = connect(heir)) {
            assertThat(client.sessionPresent()).isTrue();
            assertThat(client.read().text()).isEqualTo("soon");
            long arrived = System.nanoTime();
            assertThat(arrived - left).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(SOON_SECONDS));
            assertThat(arrived - ready)
                    .as("nanoseconds since the start, where what came before it counts")
                    .isLessThan(TimeUnit.SECONDS.toNanos(SOON_SECONDS));
            // By the broker's own clock: time enough for a session of a second to end.
            leaveWill("clock", 2);
            assertThat(client.read().text()).isEqualTo("clock");
            assertThat(MqttClient.isPong(ping(client))).isTrue();
        }
        try (MqttClient client = connect(SHORT)) {
            assertThat(client.sessionPresent()).isFalse();
        }
        try (MqttClient reader = connect(new MqttClient.Options(4, "reader", true, 0))) {
            reader.subscribe("kept/#", 1);
            List<String> kept = new ArrayList<>();
            for (MqttClient.Packet got = ping(reader); !MqttClient.isPong(got); got = reader.read()) {
                assertThat(got.retained()).isTrue();
                kept.add(got.text());
            }
            assertThat(kept).containsExactlyInAnyOrder("stored", "new");
        }
    }

    private static MqttClient.Packet ping(MqttClient client) throws IOException {
        client.ping();
        client.flush();
        return client.read();
    }

    private MqttClient.Options willOf(String name, int delaySeconds) {
        return new MqttClient.Options(
                5, "will-" + name, false, HOUR, new MqttClient.Will("will/" + name, name, delaySeconds));
    }

    /** A client goes without a goodbye. */
    private void leaveWill(String name, int delaySeconds) throws IOException {
        connect(willOf(name, delaySeconds)).close();
    }

    /** Waits until so many wills are stored. */
    private void awaitWills(int count) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setPort(amqpPort);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        try (Connection connection = factory.newConnection("wills")) {
            Channel channel = connection.createChannel();
            int stored;
            do {
                assertThat(System.nanoTime()).as("too late").isLessThan(deadline);
                stored = channel.queueDeclarePassive("mqtt-wills").getMessageCount();
            } while (stored < count);
        }
        // This goes the same way, later: when it is durable, they are.
        try (MqttClient publisher = publisher()) {
            publisher.publishAndWait("last", "last", true);
        }
    }
}
