package org.entrepot.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.MqttCallbackExtended;
import org.eclipse.paho.client.mqttv3.MqttClient;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.MqttSecurityException;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Eclipse Paho's client of MQTT 3.1.1. */
@Timeout(60)
final class PahoIT {
    @RegisterExtension
    static final StartedProduct PRODUCT = new StartedProduct("mqtt");

    private static final int QUIET_SECONDS = 20;
    private static final int MESSAGES = 300;
    private static final int AT_ONCE = 50;

    private final Sockets sockets = new Sockets();
    private final List<Peer> peers = new ArrayList<>();

    @AfterEach
    void close() throws MqttException {
        for (Peer peer : List.copyOf(peers)) {
            peer.close();
        }
    }

    @Test
    void refusesAWrongPassword() {
        MqttConnectOptions options = options(true);
        options.setPassword("wrong".toCharArray());
        assertThatThrownBy(() -> new Peer("wrong", options))
                .isInstanceOf(MqttSecurityException.class)
                .extracting(refused -> ((MqttException) refused).getReasonCode())
                .isIn((int) MqttException.REASON_CODE_FAILED_AUTHENTICATION, (int)
                        MqttException.REASON_CODE_NOT_AUTHORIZED);
    }

    @Test
    void publishesAtEachQosInOrder() throws Exception {
        Peer subscriber = new Peer("subscriber", options(true));
        Peer publisher = new Peer("publisher", options(true));
        subscriber.client.subscribe("check/paho-java/+", 2);
        for (int qos = 0; qos <= 2; qos++) {
            List<String> sent = new ArrayList<>();
            for (int number = 0; number < MESSAGES; number++) {
                sent.add("message " + number);
                publisher.publish("check/paho-java/qos", "message " + number, qos, false);
            }
            for (String payload : sent) {
                Received received = subscriber.take();
                assertThat(received).isEqualTo(new Received("check/paho-java/qos", payload, qos, false));
            }
        }
    }

    @Test
    void keepsRetainedMessages() throws Exception {
        Peer publisher = new Peer("publisher", options(true));
        publisher.publish("check/paho-java/retained", "first", 1, true);
        publisher.publish("check/paho-java/retained", "latest", 1, true);
        Peer late = new Peer("late", options(true));
        late.client.subscribe("check/paho-java/retained/#", 1);
        assertThat(late.take()).isEqualTo(new Received("check/paho-java/retained", "latest", 1, true));
        publisher.publish("check/paho-java/retained", "", 1, true);
        Peer later = new Peer("later", options(true));
        later.client.subscribe("check/paho-java/retained/#", 1);
        publisher.publish("check/paho-java/retained/other", "marker", 1, false);
        assertThat(later.take().payload).isEqualTo("marker");
    }

    @Test
    void keepsWhatComesWhileItIsAway() throws Exception {
        new Peer("away", options(true)).close();
        Peer away = new Peer("away", options(false));
        assertThat(away.sessionPresent).isFalse();
        away.client.subscribe("check/paho-java/away", 2);
        away.close();
        Peer publisher = new Peer("publisher", options(true));
        for (int number = 0; number < AT_ONCE; number++) {
            publisher.publish("check/paho-java/away", "message " + number, 2, false);
        }
        Peer back = new Peer("away", options(false));
        assertThat(back.sessionPresent).isTrue();
        for (int number = 0; number < AT_ONCE; number++) {
            assertThat(back.take().payload).isEqualTo("message " + number);
        }
        back.close();
        new Peer("away", options(true)).close();
    }

    @Test
    void leavesAWillWhenItIsLost() throws Exception {
        Peer watcher = new Peer("watcher", options(true));
        watcher.client.subscribe("check/paho-java/will", 1);
        MqttConnectOptions options = options(true);
        options.setWill("check/paho-java/will", "orderly".getBytes(UTF_8), 1, false);
        new Peer("orderly", options).close();
        options.setWill("check/paho-java/will", "lost".getBytes(UTF_8), 1, false);
        options.setSocketFactory(new SocketsFactory(sockets));
        Peer lost = new Peer("lost", options);
        sockets.cut();
        assertThat(watcher.take()).isEqualTo(new Received("check/paho-java/will", "lost", 1, false));
        assertThat(lost.lost.await(QUIET_SECONDS, SECONDS)).isTrue();
    }

    @Test
    void sharesASubscription() throws Exception {
        Peer one = new Peer("one", options(true));
        Peer two = new Peer("two", options(true), one.received);
        for (Peer member : List.of(one, two)) {
            member.client.subscribe("$share/workers/check/paho-java/jobs", 1);
        }
        Peer publisher = new Peer("publisher", options(true));
        List<String> sent = new ArrayList<>();
        for (int number = 0; number < MESSAGES; number++) {
            sent.add("job " + number);
            publisher.publish("check/paho-java/jobs", "job " + number, 1, false);
        }
        List<String> got = new ArrayList<>();
        for (int number = 0; number < MESSAGES; number++) {
            got.add(one.take().payload);
        }
        assertThat(got).containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    void goesOnByItselfAfterItsConnectionWasDropped() throws Exception {
        new Peer("again", options(true)).close();
        MqttConnectOptions options = options(false);
        options.setSocketFactory(new SocketsFactory(sockets));
        options.setAutomaticReconnect(true);
        Peer peer = new Peer("again", options);
        peer.client.subscribe("check/paho-java/again", 1);
        Peer publisher = new Peer("publisher", options(true));
        publisher.publish("check/paho-java/again", "before", 1, false);
        assertThat(peer.take().payload).isEqualTo("before");
        sockets.cut();
        assertThat(peer.lost.await(QUIET_SECONDS, SECONDS)).isTrue();
        publisher.publish("check/paho-java/again", "meanwhile", 1, false);
        String next = peer.take().payload;
        if (next.equals("before")) {
            // Its acknowledgement was lost with the connection.
            next = peer.take().payload;
        }
        assertThat(next).isEqualTo("meanwhile");
        assertThat(peer.reconnected.await(QUIET_SECONDS, SECONDS)).isTrue();
        peer.publish("check/paho-java/again", "after", 1, false);
        assertThat(peer.take().payload).isEqualTo("after");
    }

    private static MqttConnectOptions options(boolean clean) {
        MqttConnectOptions options = new MqttConnectOptions();
        options.setUserName("guest");
        options.setPassword("guest".toCharArray());
        options.setCleanSession(clean);
        options.setMaxInflight(MESSAGES);
        return options;
    }

    private record Received(String topic, String payload, int qos, boolean retained) {}

    /** A connected client and what has come to it, on the client's own thread. */
    private final class Peer implements MqttCallbackExtended {
        final MqttClient client;
        final boolean sessionPresent;
        final BlockingQueue<Received> received;
        final CountDownLatch lost = new CountDownLatch(1);
        final CountDownLatch reconnected = new CountDownLatch(1);

        Peer(String name, MqttConnectOptions options) throws MqttException {
            this(name, options, new LinkedBlockingQueue<>());
        }

        Peer(String name, MqttConnectOptions options, BlockingQueue<Received> received) throws MqttException {
            this.received = received;
            client = new MqttClient(
                    "tcp://" + StartedProduct.HOST + ":" + PRODUCT.port(),
                    "check paho java " + name,
                    new MemoryPersistence());
            client.setTimeToWait(SECONDS.toMillis(QUIET_SECONDS));
            client.setCallback(this);
            sessionPresent = client.connectWithResult(options).getSessionPresent();
            peers.add(this);
        }

        void publish(String topic, String payload, int qos, boolean retained) throws MqttException {
            client.publish(topic, payload.getBytes(UTF_8), qos, retained);
        }

        Received take() throws InterruptedException {
            Received next = received.poll(QUIET_SECONDS, SECONDS);
            assertThat(next).as("a message within %d s", QUIET_SECONDS).isNotNull();
            return next;
        }

        void close() throws MqttException {
            peers.remove(this);
            if (client.isConnected()) {
                client.disconnect();
            }
            client.close(true);
        }

        @Override
        public void messageArrived(String topic, MqttMessage message) {
            received.add(new Received(
                    topic, new String(message.getPayload(), UTF_8), message.getQos(), message.isRetained()));
        }

        @Override
        public void connectComplete(boolean again, String server) {
            if (again) {
                reconnected.countDown();
            }
        }

        @Override
        public void connectionLost(Throwable cause) {
            lost.countDown();
        }

        @Override
        public void deliveryComplete(IMqttDeliveryToken token) {}
    }
}
