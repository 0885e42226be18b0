package org.entrepot.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3BlockingClient;
import com.hivemq.client.mqtt.mqtt3.message.publish.Mqtt3Publish;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient.Mqtt5Publishes;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** HiveMQ's client, in MQTT 5 and 3.1.1. */
@Timeout(60)
final class HiveMqClientIT {
    @RegisterExtension
    static final StartedProduct PRODUCT = new StartedProduct("mqtt");

    private static final int QUIET_SECONDS = 20;
    private static final int KEPT_SECONDS = 600;
    private static final int MESSAGES = 300;

    private final List<Mqtt5BlockingClient> clients = new ArrayList<>();

    @AfterEach
    void disconnect() {
        for (Mqtt5BlockingClient client : clients) {
            if (client.getState().isConnected()) {
                client.disconnect();
            }
        }
    }

    @Test
    void refusesAWrongPassword() {
        assertThatThrownBy(() -> client("wrong")
                        .connectWith()
                        .simpleAuth()
                        .username("guest")
                        .password("wrong".getBytes(UTF_8))
                        .applySimpleAuth()
                        .send())
                .isInstanceOfSatisfying(
                        Mqtt5ConnAckException.class,
                        refused -> assertThat(refused.getMqttMessage().getReasonCode())
                                .isIn(
                                        Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD,
                                        Mqtt5ConnAckReasonCode.NOT_AUTHORIZED));
    }

    @Test
    void publishesAtEachQosWithoutWaitingForEach() throws Exception {
        Mqtt5BlockingClient subscriber = connected("subscriber");
        Mqtt5BlockingClient publisher = connected("publisher");
        try (Mqtt5Publishes received = subscriber.publishes(MqttGlobalPublishFilter.ALL)) {
            subscribe(subscriber, "check/hivemq/qos");
            for (MqttQos qos : MqttQos.values()) {
                // More at once than may be unanswered: the client and the broker keep to each other's receive maximum.
                List<CompletableFuture<Mqtt5PublishResult>> publishing = new ArrayList<>();
                for (int number = 0; number < MESSAGES; number++) {
                    publishing.add(publisher.toAsync().publish(publish("check/hivemq/qos", "message " + number, qos)));
                }
                for (CompletableFuture<Mqtt5PublishResult> each : publishing) {
                    assertThat(each.get(QUIET_SECONDS, SECONDS).getError()).isEmpty();
                }
                for (int number = 0; number < MESSAGES; number++) {
                    Mqtt5Publish next = next(received);
                    assertThat(text(next)).isEqualTo("message " + number);
                    assertThat(next.getQos()).isEqualTo(qos);
                }
            }
        }
    }

    @Test
    void keepsWhatComesWhileItIsAway() throws Exception {
        connected("away").disconnect();
        Mqtt5BlockingClient away = client("away");
        assertThat(resume(away).isSessionPresent()).isFalse();
        subscribe(away, "check/hivemq/away");
        away.disconnect();
        Mqtt5BlockingClient publisher = connected("publisher");
        for (int number = 0; number < MESSAGES; number++) {
            publisher.publish(publish("check/hivemq/away", "message " + number, MqttQos.AT_LEAST_ONCE));
        }
        Mqtt5BlockingClient back = client("away");
        try (Mqtt5Publishes received = back.publishes(MqttGlobalPublishFilter.ALL)) {
            assertThat(resume(back).isSessionPresent()).isTrue();
            for (int number = 0; number < MESSAGES; number++) {
                assertThat(text(next(received))).isEqualTo("message " + number);
            }
        }
        back.disconnect();
        connected("away").disconnect();
    }

    @Test
    void callsOverAResponseTopicWithProperties() throws Exception {
        Mqtt5BlockingClient server = connected("server");
        Mqtt5BlockingClient caller = connected("caller");
        try (Mqtt5Publishes questions = server.publishes(MqttGlobalPublishFilter.ALL);
                Mqtt5Publishes answers = caller.publishes(MqttGlobalPublishFilter.ALL)) {
            subscribe(server, "$share/servers/check/hivemq/sum");
            subscribe(caller, "check/hivemq/answers");
            caller.publishWith()
                    .topic("check/hivemq/sum")
                    .qos(MqttQos.EXACTLY_ONCE)
                    .payload("20 22".getBytes(UTF_8))
                    .responseTopic("check/hivemq/answers")
                    .correlationData(new byte[] {0, 1, -1})
                    .contentType("text/plain")
                    .userProperties()
                    .add("kind", "check")
                    .add("kind", "twice")
                    .applyUserProperties()
                    .send();
            Mqtt5Publish question = next(questions);
            assertThat(text(question)).isEqualTo("20 22");
            assertThat(question.getUserProperties().asList())
                    .extracting(property -> property.getName() + "=" + property.getValue())
                    .containsExactly("kind=check", "kind=twice");
            server.publishWith()
                    .topic(question.getResponseTopic().orElseThrow())
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload("42".getBytes(UTF_8))
                    .correlationData(question.getCorrelationData().orElseThrow())
                    .send();
            Mqtt5Publish answer = next(answers);
            assertThat(text(answer)).isEqualTo("42");
            assertThat(answer.getCorrelationData()).contains(ByteBuffer.wrap(new byte[] {0, 1, -1}));
        }
    }

    @Test
    void talksToAnotherThatSpeaksMqtt3() throws Exception {
        Mqtt5BlockingClient subscriber = connected("subscriber");
        Mqtt3BlockingClient older = MqttClient.builder()
                .useMqttVersion3()
                .identifier("check hivemq older")
                .serverHost(StartedProduct.HOST)
                .serverPort(PRODUCT.port())
                .simpleAuth()
                .username("guest")
                .password("guest".getBytes(UTF_8))
                .applySimpleAuth()
                .buildBlocking();
        older.connect();
        try (Mqtt5Publishes toNewer = subscriber.publishes(MqttGlobalPublishFilter.ALL);
                Mqtt3BlockingClient.Mqtt3Publishes toOlder = older.publishes(MqttGlobalPublishFilter.ALL)) {
            subscribe(subscriber, "check/hivemq/from/older");
            older.subscribeWith()
                    .topicFilter("check/hivemq/+/newer")
                    .qos(MqttQos.AT_MOST_ONCE)
                    .send();
            older.publishWith()
                    .topic("check/hivemq/from/older")
                    .qos(MqttQos.EXACTLY_ONCE)
                    .payload("old".getBytes(UTF_8))
                    .send();
            assertThat(text(next(toNewer))).isEqualTo("old");
            subscriber.publish(publish("check/hivemq/from/newer", "new", MqttQos.AT_LEAST_ONCE));
            Mqtt3Publish got = toOlder.receive(QUIET_SECONDS, SECONDS).orElseThrow();
            assertThat(new String(got.getPayloadAsBytes(), UTF_8)).isEqualTo("new");
            assertThat(got.getQos()).isEqualTo(MqttQos.AT_MOST_ONCE);
        } finally {
            older.disconnect();
        }
    }

    private Mqtt5BlockingClient client(String name) {
        Mqtt5BlockingClient client = MqttClient.builder()
                .useMqttVersion5()
                .identifier("check hivemq " + name)
                .serverHost(StartedProduct.HOST)
                .serverPort(PRODUCT.port())
                .simpleAuth()
                .username("guest")
                .password("guest".getBytes(UTF_8))
                .applySimpleAuth()
                .buildBlocking();
        clients.add(client);
        return client;
    }

    private Mqtt5BlockingClient connected(String name) {
        Mqtt5BlockingClient client = client(name);
        client.connect();
        return client;
    }

    private static Mqtt5ConnAck resume(Mqtt5BlockingClient client) {
        return client.connectWith()
                .cleanStart(false)
                .sessionExpiryInterval(KEPT_SECONDS)
                .send();
    }

    private static void subscribe(Mqtt5BlockingClient client, String filter) {
        client.subscribeWith().topicFilter(filter).qos(MqttQos.EXACTLY_ONCE).send();
    }

    private static Mqtt5Publish publish(String topic, String payload, MqttQos qos) {
        return Mqtt5Publish.builder()
                .topic(topic)
                .qos(qos)
                .payload(payload.getBytes(UTF_8))
                .build();
    }

    private static Mqtt5Publish next(Mqtt5Publishes received) throws InterruptedException {
        return received.receive(QUIET_SECONDS, SECONDS).orElseThrow();
    }

    private static String text(Mqtt5Publish publish) {
        return new String(publish.getPayloadAsBytes(), UTF_8);
    }
}
