package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Flow control, packet sizes and what else is limited (specification 3.1.2.11, 3.2.2.3, 4.9). */
@Timeout(60)
class LimitsTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin())
            .set("mqtt.anonymous=true")
            .set("mqtt.receive-max=5")
            .set("mqtt.window=8")
            .set("mqtt.packet-max=2KiB")
            .set("mqtt.keep-alive-max=2s")
            .set("mqtt.session-expiry-max=1h")
            .set("mqtt.topic-alias-max=0")
            .set("mqtt.topic-levels-max=4"));

    @Test
    void limitsAreTold() {
        try (Client client = Client.silent(broker)) {
            Client.Connack connack = client.send(Client.connect().id("told").lasting(7_200));
            assertThat(connack.property(Client.RECEIVE_MAXIMUM)).isEqualTo(5L);
            assertThat(connack.property(Client.MAXIMUM_PACKET_SIZE)).isEqualTo(2_048L);
            assertThat(connack.property(Client.SERVER_KEEP_ALIVE)).isEqualTo(2L);
            assertThat(connack.property(Client.SESSION_EXPIRY)).isEqualTo(3_600L);
            assertThat(connack.property(Client.TOPIC_ALIAS_MAXIMUM)).isNull();
        }
        try (Client client = Client.silent(broker)) {
            Client.Connack connack = client.send(Client.connect().id("told").keepAlive(1));
            assertThat(connack.property(Client.SERVER_KEEP_ALIVE)).isNull();
        }
    }

    // 3.2.2.3.14
    @Test
    void theBrokersKeepAliveGoes() {
        try (Client client = Client.open(broker, "keep-alive")) {
            client.expectDisconnect(Reason.KEEP_ALIVE_TIMEOUT);
        }
    }

    // 4.9: what the client has not answered
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8, 20})
    void aClientHasNoMoreUnansweredThanItWants(int wanted) {
        int window = Math.min(wanted, 8);
        for (int qos = 1; qos <= 2; qos++) {
            String topic = "window/" + wanted + qos;
            Client.Connect connect =
                    Client.connect().id("window" + wanted + qos).properties(String.format("21 %04x", wanted));
            try (Client client = Client.open(broker, connect);
                    Client publisher = Client.open(broker, "publisher")) {
                client.subscribe(topic, qos);
                for (int i = 0; i < 30; i++) {
                    if (qos == 1) {
                        assertThat(publisher.publishAnswered(topic, "m" + i)).isZero();
                    } else {
                        publisher.publish(0x34, topic, 9, "", "m" + i);
                        assertThat(publisher.expectAnswer(Packets.PUBREC, 9)).isZero();
                        publisher.answer(Packets.PUBREL, 9);
                        assertThat(publisher.expectAnswer(Packets.PUBCOMP, 9)).isZero();
                    }
                }
                Deque<Client.Delivery> unanswered = new ArrayDeque<>();
                for (int i = 0; i < 30; i++) {
                    if (unanswered.size() == window) {
                        assertThat(client.ping().hasHeardSomething()).isFalse();
                        Client.Delivery first = unanswered.remove();
                        client.settle(first);
                    }
                    unanswered.add(client.expectDelivery("m" + i));
                }
            }
        }
    }

    @Test
    void whatNeedsNoAnswerIsNotHeldBack() {
        Client.Connect connect = Client.connect().id("zero").properties("21 0001");
        try (Client client = Client.open(broker, connect)) {
            client.subscribe("zero/#", 1);
            client.publish(0x32, "zero/one", 1, "", "unanswered");
            Client.Packet one = client.next();
            Client.Packet other = client.next();
            assertThat(java.util.List.of(one.type(), other.type()))
                    .containsExactlyInAnyOrder(Packets.PUBLISH, Packets.PUBACK);
            client.unsubscribe("zero/#");
            client.subscribe("zero/#", 0);
            client.publish("zero/zero", "x");
            client.expectDelivery("x");
        }
    }

    // 3.3.4-7: what the broker has not answered
    @Test
    void aClientThatPublishesMoreThanAllowedIsLetGo() {
        try (Client client = Client.open(broker, "receive")) {
            for (int i = 1; i <= 5; i++) {
                client.publish(0x34, "receive", i, "", "x");
                client.expectAnswer(Packets.PUBREC, i);
            }
            client.publish("receive", "at QoS 0 is not counted").ping();
            client.answer(Packets.PUBREL, 3);
            assertThat(client.expectAnswer(Packets.PUBCOMP, 3)).isZero();
            client.publish(0x34, "receive", 6, "", "x");
            client.expectAnswer(Packets.PUBREC, 6);
            client.publish(0x34, "receive", 7, "", "x").expectDisconnect(Reason.RECEIVE_MAXIMUM_EXCEEDED);
        }
    }

    @Test
    void answeredPublishesAreNotCountedForEver() {
        try (Client client = Client.open(broker, Client.connect().id("counted").lasting(600))) {
            for (int i = 1; i <= 30; i++) {
                client.publish(0x34, "counted", i, "", "x");
                client.expectAnswer(Packets.PUBREC, i);
                client.answer(Packets.PUBREL, i);
                assertThat(client.expectAnswer(Packets.PUBCOMP, i)).isZero();
                client.publishAnswered("counted", "y");
            }
        }
    }

    // 3.1.2.11.4
    @Test
    void whatIsLargerThanAClientTakesIsNotSent() {
        Client.Connect connect = Client.connect().id("size").properties("27 00000040");
        for (int qos = 0; qos <= 2; qos++) {
            try (Client client = Client.open(broker, connect);
                    Client publisher = Client.open(broker, "publisher")) {
                client.subscribe("size", qos);
                // A first byte, a length, the topic, the identifier, no properties.
                int most = 0x40 - 2 - 6 - (qos > 0 ? 2 : 0) - 1;
                for (int size : new int[] {most + 1, most, 1_000, most}) {
                    publisher.publish(0x30 | qos << 1, "size", 5, "", "x".repeat(size));
                    if (qos == 2) {
                        publisher.expectAnswer(Packets.PUBREC, 5);
                        publisher.answer(Packets.PUBREL, 5);
                        publisher.expectAnswer(Packets.PUBCOMP, 5);
                    } else if (qos == 1) {
                        publisher.expectAnswer(Packets.PUBACK, 5);
                    }
                }
                Client.Delivery first = client.expectDelivery("x".repeat(most));
                Client.Delivery second = client.expectDelivery("x".repeat(most));
                client.settle(first).settle(second).disconnect();
            }
        }
    }

    // 3.2.2.3.6
    @Test
    void aPacketThatIsLargerThanTheBrokerTakesEndsTheConnection() {
        try (Client client = Client.open(broker, "packet")) {
            client.subscribe("packet", 0);
            // A first byte, two of length, the topic, no properties.
            String largest = "x".repeat(2_048 - 3 - 8 - 1);
            client.publish("packet", largest);
            client.expectDelivery(largest);
            client.publish("packet", largest + "x").expectDisconnect(Reason.PACKET_TOO_LARGE);
        }
        try (Client client = Client.open(broker, Client.connect().level(4).id("packet"))) {
            client.publish("packet", "x".repeat(3_000)).expectEnd();
        }
    }

    @Test
    void aTopicHasNotMoreLevelsThanAllowed() {
        try (Client client = Client.open(broker, "levels")) {
            client.publish("a/b/c/d", "x").ping();
            client.publish("a/b/c/d/e", "x").expectDisconnect(Reason.TOPIC_NAME_INVALID);
        }
        try (Client client = Client.silent(broker)) {
            Client.Connect connect = Client.connect().id("levels").will("a/b/c/d/e", "x", 0, false, "");
            assertThat(client.send(connect).code()).isEqualTo(Reason.TOPIC_NAME_INVALID);
            client.expectEnd();
        }
    }

    @Test
    void anAliasIsInvalidWhereNoneIsAllowed() {
        try (Client client = Client.open(broker, "alias")) {
            client.publish(0x30, "a", 0, "23 0001", "x").expectDisconnect(Reason.TOPIC_ALIAS_INVALID);
        }
    }
}
