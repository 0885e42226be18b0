package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Property;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishing and delivering at each QoS (specification 3.3 to 3.7, 4.3 to 4.6). */
@Timeout(60)
class DeliveryTest {
    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin()).set("mqtt.anonymous=true"));

    private static Client.Connect lasting(int level, String id) {
        return Client.connect().level(level).id(id).lasting(600);
    }

    /** Publishes at QoS 2 to the end. */
    private static void publishOnce(Client client, String topic, int id, String payload) {
        client.publish(0x34, topic, id, "", payload);
        assertThat(client.expectAnswer(Packets.PUBREC, id)).isIn(0, 0x10);
        client.answer(Packets.PUBREL, id);
        assertThat(client.expectAnswer(Packets.PUBCOMP, id)).isZero();
    }

    private static void publish(Client client, int qos, String topic, String payload) {
        switch (qos) {
            case 0 -> client.publish(topic, payload);
            case 1 -> assertThat(client.publishAnswered(topic, payload)).isZero();
            default -> publishOnce(client, topic, 77, payload);
        }
    }

    // 4.3, 3.8.4: the lower of the two
    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void aDeliveryHasTheLowerQos(int level) {
        for (int subscribed = 0; subscribed <= 2; subscribed++) {
            for (boolean lasts : new boolean[] {false, true}) {
                String id = "lower-" + level + subscribed + lasts;
                Client.Connect connect = Client.connect().level(level).id(id);
                try (Client client = Client.open(broker, lasts ? connect.lasting(600) : connect);
                        Client publisher = Client.open(
                                broker, Client.connect().level(level).id("publisher"))) {
                    assertThat(client.subscribe(id + "/#", subscribed)).isEqualTo(subscribed);
                    for (int published = 0; published <= 2; published++) {
                        publish(publisher, published, id + "/x", "at " + published);
                        Client.Delivery delivery = client.expectDelivery("at " + published);
                        assertThat(delivery.qos()).isEqualTo(Math.min(subscribed, published));
                        assertThat(delivery.topic()).isEqualTo(id + "/x");
                        assertThat(delivery.duplicate()).isFalse();
                        assertThat(delivery.retain()).isFalse();
                        client.settle(delivery);
                    }
                    client.disconnect();
                }
            }
        }
    }

    @Test
    void topicsOfAnyCharactersArriveAsTheyAre() {
        try (Client client = Client.open(broker, "characters")) {
            client.subscribe("#", 1);
            for (String topic :
                    new String[] {"/", "//", "a//b/", " ", "a.b/c.d", ".", "*", "a/*/b", "é/€/😀", "x/$SYS", "a b/c"}) {
                client.publish(topic, "in " + topic);
                assertThat(client.expectDelivery("in " + topic).topic()).isEqualTo(topic);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"a.b, a/b", "a/b, a.b", "a/*, a/b", "*, b", "a/+, a.b", "a/#, a.b", "+, a/b"})
    void topicsThatOnlyLookAlikeAreNotMixedUp(String filter, String other) {
        try (Client client = Client.open(broker, "alike")) {
            client.subscribe(filter, 1);
            client.subscribe("alike/end", 1);
            client.publish(other, "wrong").publish("alike/end", "right");
            client.expectDelivery("right");
        }
    }

    // 4.7.2
    @Test
    void wildcardsAtTheBeginningDoNotMatchDollarTopics() {
        for (int qos = 0; qos <= 1; qos++) {
            for (boolean lasts : new boolean[] {false, true}) {
                Client.Connect connect = Client.connect().id("dollar" + qos + lasts);
                try (Client client = Client.open(broker, lasts ? connect.lasting(600) : connect);
                        Client named = Client.open(broker, "dollar-named")) {
                    client.subscribe("#", qos);
                    client.subscribe("+/x", qos);
                    named.subscribe("$own/#", qos);
                    named.publish("$own/x", "hidden").publish("own/x", "seen");
                    named.expectDelivery("hidden");
                    client.expectDelivery("seen");
                }
            }
        }
    }

    // 3.3.1.1
    @Test
    void whatWasNotAnsweredComesAgainInOrderWithTheSameIdentifiers() {
        try (Client publisher = Client.open(broker, "again-publisher");
                Client client = Client.open(broker, lasting(5, "again"))) {
            client.subscribe("again", 2);
            List<Client.Delivery> first = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                publish(publisher, 1 + i % 2, "again", "m" + i);
                Client.Delivery delivery = client.expectDelivery("m" + i);
                assertThat(delivery.duplicate()).isFalse();
                first.add(delivery);
            }
            // Out of order, and not all.
            client.answer(Packets.PUBACK, first.get(2).packetId());
            client.answer(Packets.PUBACK, first.get(0).packetId());
            client.ping().close();

            try (Client back = Client.silent(broker)) {
                assertThat(back.send(lasting(5, "again")).sessionPresent()).isTrue();
                for (int i : new int[] {1, 3, 4, 5, 6, 7, 8, 9}) {
                    Client.Delivery delivery = back.expectDelivery("m" + i);
                    assertThat(delivery.packetId()).isEqualTo(first.get(i).packetId());
                    assertThat(delivery.duplicate()).isTrue();
                    assertThat(delivery.qos()).isEqualTo(first.get(i).qos());
                }
                publish(publisher, 1, "again", "fresh");
                assertThat(back.expectDelivery("fresh").duplicate()).isFalse();
            }
        }
    }

    @Test
    void whatWasAnsweredDoesNotComeAgain() {
        try (Client client = Client.open(broker, lasting(4, "answered"))) {
            client.subscribe("answered", 1);
            client.publish("answered", "zero");
            client.expectDelivery("zero");
            client.publish(0x32, "answered", 5, "", "one");
            Client.Delivery one = delivery(client, Packets.PUBACK);
            client.settle(one).ping().disconnect();
        }
        try (Client client = Client.open(broker, lasting(4, "answered"))) {
            client.publish("answered", "two");
            client.expectDelivery("two");
        }
    }

    /** The next delivery; an answer of this type may come before or after it. */
    private static Client.Delivery delivery(Client client, int answer) {
        Client.Packet first = client.next();
        Client.Packet second = client.next();
        assertThat(List.of(first.type(), second.type())).containsExactlyInAnyOrder(Packets.PUBLISH, answer);
        return client.delivery(first.type() == Packets.PUBLISH ? first : second);
    }

    // 4.3.3: once the client has said PUBREC, it is not sent the message again
    @Test
    void aDeliveryAtQosTwoIsNotSentAgainOnceItWasReceived() {
        try (Client publisher = Client.open(broker, "twice-publisher");
                Client client = Client.open(broker, lasting(5, "twice"))) {
            client.subscribe("twice", 2);
            publish(publisher, 2, "twice", "one");
            publish(publisher, 2, "twice", "two");
            Client.Delivery one = client.expectDelivery("one");
            Client.Delivery two = client.expectDelivery("two");
            client.answer(Packets.PUBREC, one.packetId());
            assertThat(client.expectAnswer(Packets.PUBREL, one.packetId())).isZero();
            client.drop();

            try (Client back = Client.open(broker, lasting(5, "twice"))) {
                // 4.4: PUBREL comes again, and the other PUBLISH.
                assertThat(back.expectAnswer(Packets.PUBREL, one.packetId())).isZero();
                Client.Delivery again = back.expectDelivery("two");
                assertThat(again.packetId()).isEqualTo(two.packetId());
                assertThat(again.duplicate()).isTrue();
                back.answer(Packets.PUBCOMP, one.packetId()).settle(again);
                publish(publisher, 2, "twice", "three");
                back.expectDelivery("three");
            }
        }
    }

    @Test
    void aPubrecThatIsSaidTwiceIsAnsweredTwice() {
        try (Client client = Client.open(broker, "pubrec")) {
            client.subscribe("pubrec", 2);
            client.publish(0x34, "pubrec", 9, "", "x");
            Client.Delivery delivery = delivery(client, Packets.PUBREC);
            client.answer(Packets.PUBREC, delivery.packetId()).answer(Packets.PUBREC, delivery.packetId());
            assertThat(client.expectAnswer(Packets.PUBREL, delivery.packetId())).isZero();
            assertThat(client.expectAnswer(Packets.PUBREL, delivery.packetId())).isZero();
            client.answer(Packets.PUBCOMP, delivery.packetId()).answer(Packets.PUBCOMP, delivery.packetId());
            client.ping();
        }
    }

    // 4.3.3, reason codes of PUBREC and PUBREL
    @Test
    void aDeliveryThatTheClientRefusesIsOver() {
        try (Client client = Client.open(broker, lasting(5, "refuses"))) {
            client.subscribe("refuses", 2);
            client.publish(0x34, "refuses", 9, "", "x");
            Client.Delivery two = delivery(client, Packets.PUBREC);
            client.raw(String.format("50 [ %04x 97 ]", two.packetId())).ping();
            client.publish(0x32, "refuses", 10, "", "y");
            Client.Delivery one = delivery(client, Packets.PUBACK);
            client.raw(String.format("40 [ %04x 80 ]", one.packetId())).ping().close();
        }
        try (Client client = Client.open(broker, lasting(5, "refuses"))) {
            client.publish("refuses", "next");
            client.expectDelivery("next");
        }
    }

    @Test
    void answersToWhatWasNotSentAreNoHarm() {
        try (Client client = Client.open(broker, "unasked")) {
            client.raw("50 [ 0007 ]");
            assertThat(client.expectAnswer(Packets.PUBREL, 7)).isEqualTo(Reason.PACKET_ID_NOT_FOUND);
            client.raw("62 [ 0007 ]");
            assertThat(client.expectAnswer(Packets.PUBCOMP, 7)).isEqualTo(Reason.PACKET_ID_NOT_FOUND);
            client.raw("40 [ 0007 ] 70 [ 0007 ]").ping();
        }
        try (Client client = Client.open(broker, Client.connect().level(4).id("unasked"))) {
            client.raw("50 [ 0007 ]");
            assertThat(client.expectAnswer(Packets.PUBREL, 7)).isZero();
            client.raw("62 [ 0007 ]");
            assertThat(client.expectAnswer(Packets.PUBCOMP, 7)).isZero();
        }
    }

    // 4.3.3: exactly once from client to broker
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPublishAtQosTwoThatIsRepeatedIsPublishedOnce(boolean lasts) {
        Client.Connect connect = Client.connect().id("once" + lasts);
        try (Client subscriber = Client.open(broker, "once-subscriber");
                Client client = Client.open(broker, lasts ? connect.lasting(600) : connect)) {
            subscriber.subscribe("once", 1);
            client.publish(0x34, "once", 9, "", "first");
            assertThat(client.expectAnswer(Packets.PUBREC, 9)).isZero();
            client.publish(0x3C, "once", 9, "", "first");
            assertThat(client.expectAnswer(Packets.PUBREC, 9)).isZero();
            client.answer(Packets.PUBREL, 9);
            assertThat(client.expectAnswer(Packets.PUBCOMP, 9)).isZero();
            client.answer(Packets.PUBREL, 9);
            assertThat(client.expectAnswer(Packets.PUBCOMP, 9)).isEqualTo(Reason.PACKET_ID_NOT_FOUND);
            publishOnce(client, "once", 9, "second");

            subscriber.settle(subscriber.expectDelivery("first"));
            subscriber.expectDelivery("second");
        }
    }

    @Test
    void repeatsBeforeTheFirstAnswerArePublishedOnce() {
        try (Client subscriber = Client.open(broker, "hasty-subscriber");
                Client client = Client.open(broker, lasting(5, "hasty"))) {
            subscriber.subscribe("hasty", 1);
            byte[] publish = client.publishBytes(0x34, "hasty", 9, "", "first");
            byte[] three = new byte[3 * publish.length];
            for (int i = 0; i < 3; i++) {
                System.arraycopy(publish, 0, three, i * publish.length, publish.length);
            }
            client.raw(three);
            for (int i = 0; i < 3; i++) {
                assertThat(client.expectAnswer(Packets.PUBREC, 9)).isZero();
            }
            client.answer(Packets.PUBREL, 9);
            assertThat(client.expectAnswer(Packets.PUBCOMP, 9)).isZero();
            client.publish("hasty", "second");

            subscriber.expectDelivery("first");
            subscriber.expectDelivery("second");
        }
    }

    @Test
    void aPublishAtQosTwoIsKnownAgainOnANewConnection() {
        try (Client subscriber = Client.open(broker, "reconnect-subscriber")) {
            subscriber.subscribe("reconnect", 1);
            try (Client client = Client.open(broker, lasting(5, "reconnect"))) {
                client.publish(0x34, "reconnect", 9, "", "first");
                assertThat(client.expectAnswer(Packets.PUBREC, 9)).isZero();
            }
            try (Client client = Client.open(broker, lasting(5, "reconnect"))) {
                client.publish(0x3C, "reconnect", 9, "", "first");
                assertThat(client.expectAnswer(Packets.PUBREC, 9)).isZero();
                client.answer(Packets.PUBREL, 9);
                assertThat(client.expectAnswer(Packets.PUBCOMP, 9)).isZero();
                client.publish("reconnect", "second");
            }
            subscriber.expectDelivery("first");
            subscriber.expectDelivery("second");
        }
    }

    // 4.6
    @Test
    void answersComeInTheOrderOfThePublishes() {
        try (Client subscriber = Client.open(broker, lasting(5, "order-subscriber"));
                Client client = Client.open(broker, lasting(5, "order"))) {
            subscriber.subscribe("order/#", 2);
            for (int i = 1; i <= 100; i++) {
                client.publish(i % 3 == 0 ? 0x34 : 0x32, "order/" + i % 5, i, "", "m" + i);
            }
            for (int i = 1; i <= 100; i++) {
                client.expectAnswer(i % 3 == 0 ? Packets.PUBREC : Packets.PUBACK, i);
            }
            for (int i = 1; i <= 100; i++) {
                subscriber.expectDelivery("m" + i);
            }
        }
    }

    // 3.4.2.1
    @Test
    void whereNobodySubscribesThePublisherIsToldSo() {
        try (Client client = Client.open(broker, "nobody")) {
            assertThat(client.publishAnswered("nobody", "x")).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
            client.publish(0x34, "nobody", 9, "", "x");
            assertThat(client.expectAnswer(Packets.PUBREC, 9)).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
            client.answer(Packets.PUBREL, 9);
            assertThat(client.expectAnswer(Packets.PUBCOMP, 9)).isZero();
        }
        try (Client client = Client.open(broker, Client.connect().level(4).id("nobody"))) {
            assertThat(client.publishAnswered("nobody", "x")).isZero();
        }
    }

    // 3.3.2.3
    @Test
    void propertiesArriveAsTheyWereSent() {
        String properties =
                "01 01 03 `text/plain` 08 `re/ply` 09 0003 00ff80 26 `b` `1` 26 `a` `2` 26 `b` `3` 26 `` ``";
        for (int qos = 0; qos <= 2; qos++) {
            try (Client client = Client.open(broker, "properties")) {
                client.subscribe("properties", qos);
                client.publish(0x30 | qos << 1, "properties", 9, properties, "payload");
                Client.Delivery delivery = qos == 0
                        ? client.expectDelivery()
                        : delivery(client, qos == 1 ? Packets.PUBACK : Packets.PUBREC);

                assertThat(delivery.text()).isEqualTo("payload");
                assertThat(delivery.property(Property.PAYLOAD_FORMAT)).isEqualTo(1L);
                assertThat(delivery.property(Property.CONTENT_TYPE)).isEqualTo("text/plain");
                assertThat(delivery.property(Property.RESPONSE_TOPIC)).isEqualTo("re/ply");
                assertThat(delivery.property(Property.CORRELATION_DATA)).isEqualTo("00ff80");
                assertThat(delivery.all(Property.USER_PROPERTY)).containsExactly("b=1", "a=2", "b=3", "=");
                assertThat(delivery.properties()).hasSize(8);
            }
        }
    }

    @Test
    void olderClientsGetThePayloadWithoutProperties() {
        try (Client old = Client.open(broker, Client.connect().level(4).id("older"));
                Client client = Client.open(broker, "newer")) {
            old.subscribe("older", 1);
            client.publishAnswered(0x32, "older", "01 01 26 `k` `v`", "payload");
            old.expectDelivery("payload");
        }
    }

    // 3.3.2.3.3
    @Test
    void aMessageThatHasExpiredIsNotDelivered() {
        try (Client client = Client.open(broker, lasting(5, "expiry"))) {
            client.subscribe("expiry", 1);
        }
        try (Client publisher = Client.open(broker, "expiry-publisher")) {
            publisher.publishAnswered(0x32, "expiry", "02 00000001", "short");
            publisher.publishAnswered(0x32, "expiry", "02 00000258", "long");
            publisher.publishAnswered("expiry", "for ever");
            // The clock of the broker goes on: another session that is kept for a second is over after it.
            try (Client other =
                    Client.open(broker, Client.connect().id("expiry-clock").lasting(1))) {
                other.subscribe("expiry-clock", 1);
            }
            Client.eventually(() -> publisher.publishAnswered("expiry-clock", "x") == Reason.NO_MATCHING_SUBSCRIBERS);
        }
        try (Client client = Client.open(broker, lasting(5, "expiry"))) {
            Client.Delivery delivery = client.expectDelivery("long");
            assertThat((Long) delivery.property(Property.MESSAGE_EXPIRY)).isBetween(580L, 599L);
            assertThat(client.expectDelivery("for ever").property(Property.MESSAGE_EXPIRY))
                    .isNull();
        }
    }

    @Test
    void anEmptyAndALargePayloadArriveWhole() {
        try (Client client = Client.open(broker, "sizes")) {
            client.subscribe("sizes", 0);
            client.publish("sizes", "");
            client.expectDelivery("");
            String large = "x".repeat(1 << 20);
            client.publish("sizes", large);
            client.expectDelivery(large);
        }
    }
}
