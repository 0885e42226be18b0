package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What outlives a connection, and for how long (specification 3.1.2.4, 3.1.2.11.2, 3.2.2.1.1, 4.1). */
@Timeout(60)
class SessionTest {
    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin()).set("mqtt.anonymous=true"));

    private static Client.Connect connect(int level, String id) {
        return Client.connect().level(level).id(id);
    }

    private static boolean sessionPresent(Client.Connect connect) {
        try (Client client = Client.silent(broker)) {
            Client.Connack connack = client.send(connect);
            assertThat(connack.code()).isZero();
            client.disconnect();
            return connack.sessionPresent();
        }
    }

    /** Publishes until nobody is there who wants it. */
    private static void untilNobodyWants(String topic) {
        try (Client publisher = Client.open(broker, "asks-" + topic)) {
            Client.eventually(() -> publisher.publishAnswered(topic, "x") == Reason.NO_MATCHING_SUBSCRIBERS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void aSessionIsPresentWhereOneWasKept(int level) {
        String id = "present-" + level;
        // MQTT 3.1 does not tell.
        boolean told = level > 3;
        assertThat(sessionPresent(connect(level, id).lasting(600))).isFalse();
        assertThat(sessionPresent(connect(level, id).lasting(600))).isEqualTo(told);
        assertThat(sessionPresent(connect(level, id).lasting(600))).isEqualTo(told);
        assertThat(sessionPresent(connect(level, id).clean(true))).isFalse();
        assertThat(sessionPresent(connect(level, id).clean(false))).isFalse();
    }

    @Test
    void aSessionWithoutAnExpiryEndsWithItsConnection() {
        assertThat(sessionPresent(connect(5, "no-expiry").clean(false))).isFalse();
        assertThat(sessionPresent(connect(5, "no-expiry").clean(false))).isFalse();
    }

    @Test
    void aCleanStartMayBeginASessionThatLasts() {
        assertThat(sessionPresent(connect(5, "clean-lasting").properties("11 00000258")))
                .isFalse();
        assertThat(sessionPresent(connect(5, "clean-lasting").lasting(600))).isTrue();
        assertThat(sessionPresent(connect(5, "clean-lasting").properties("11 00000258")))
                .isFalse();
        assertThat(sessionPresent(connect(5, "clean-lasting").lasting(600))).isTrue();
    }

    @Test
    void aSessionGoesFromOneVersionToAnother() {
        try (Client old = Client.open(broker, connect(4, "versions").lasting(0))) {
            assertThat(old.subscribe("versions/+", 1)).isEqualTo(1);
            old.disconnect();
        }
        try (Client publisher = Client.open(broker, "versions-publisher")) {
            assertThat(publisher.publishAnswered(0x32, "versions/a", "26 `k` `v`", "for five"))
                    .isZero();
        }
        try (Client five = Client.silent(broker)) {
            assertThat(five.send(connect(5, "versions").lasting(600)).sessionPresent())
                    .isTrue();
            Client.Delivery delivery = five.expectDelivery("for five");
            assertThat(delivery.property(0x26)).isEqualTo("k=v");
            five.settle(delivery).disconnect();
        }
        assertThat(sessionPresent(connect(4, "versions").lasting(0))).isTrue();
    }

    @Test
    void subscriptionsAndMessagesAreKept() {
        try (Client client = Client.open(broker, connect(5, "kept").lasting(600))) {
            assertThat(client.subscribe("kept/one", 1)).isEqualTo(1);
            assertThat(client.subscribe("kept/two/#", 2, "0b 07")).isEqualTo(2);
            assertThat(client.subscribe("kept/zero", 0)).isZero();
            client.disconnect();
        }
        try (Client publisher = Client.open(broker, "kept-publisher")) {
            publisher.publishAnswered("kept/one", "1");
            publisher.publish(0x34, "kept/two/x", 9, "", "2");
            assertThat(publisher.expectAnswer(Packets.PUBREC, 9)).isZero();
            publisher.publishAnswered("kept/zero", "3");
        }
        try (Client client = Client.silent(broker)) {
            assertThat(client.send(connect(5, "kept").lasting(600)).sessionPresent())
                    .isTrue();
            Client.Delivery one = client.expectDelivery("1");
            Client.Delivery two = client.expectDelivery("2");
            Client.Delivery three = client.expectDelivery("3");
            assertThat(one.qos()).isEqualTo(1);
            assertThat(one.duplicate()).isFalse();
            assertThat(two.qos()).isEqualTo(2);
            assertThat(two.property(0x0B)).isEqualTo(7L);
            assertThat(three.qos()).isZero();
            client.settle(one).settle(two);

            // The subscriptions go on.
            client.publish("kept/two/y", "4");
            assertThat(client.expectDelivery("4").property(0x0B)).isEqualTo(7L);
        }
    }

    @Test
    void aCleanStartThrowsSubscriptionsAndMessagesAway() {
        try (Client client = Client.open(broker, connect(5, "thrown").lasting(600))) {
            client.subscribe("thrown", 1);
        }
        try (Client publisher = Client.open(broker, "thrown-publisher")) {
            assertThat(publisher.publishAnswered("thrown", "lost")).isZero();
            try (Client client = Client.open(broker, connect(5, "thrown"))) {
                assertThat(publisher.publishAnswered("thrown", "lost")).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
                client.subscribe("thrown", 1);
                publisher.publishAnswered("thrown", "new");
                client.expectDelivery("new");
            }
        }
    }

    @Test
    void whatWasUnsubscribedIsNotThereAgain() {
        try (Client client = Client.open(broker, connect(5, "unsubscribed").lasting(600))) {
            client.subscribe("unsubscribed/a", 1);
            client.subscribe("unsubscribed/b", 1);
            assertThat(client.unsubscribe("unsubscribed/a")).containsExactly(0);
            client.disconnect();
        }
        try (Client client = Client.open(broker, connect(5, "unsubscribed").lasting(600))) {
            client.publish("unsubscribed/a", "no").publish("unsubscribed/b", "yes");
            client.expectDelivery("yes");
            assertThat(client.unsubscribe("unsubscribed/a")).containsExactly(Reason.NO_SUBSCRIPTION_EXISTED);
            assertThat(client.unsubscribe("unsubscribed/b")).containsExactly(0);
        }
    }

    // 3.1.2.11.2
    @Test
    void aSessionEndsWhenItsTimeIsOver() {
        try (Client client = Client.open(broker, connect(5, "expiring").lasting(1))) {
            client.subscribe("expiring", 1);
        }
        untilNobodyWants("expiring");
        assertThat(sessionPresent(connect(5, "expiring").lasting(1))).isFalse();
    }

    @Test
    void aSessionOfAConnectionThatLivesDoesNotExpire() {
        try (Client client = Client.open(broker, connect(5, "alive").lasting(1));
                Client other = Client.open(broker, connect(5, "alive-other").lasting(1))) {
            client.subscribe("alive", 1);
            other.subscribe("alive-other", 1);
            other.drop();
            untilNobodyWants("alive-other");

            client.publish("alive", "still there");
            client.expectDelivery("still there");
        }
    }

    @Test
    void aNewConnectionMayLetTheSessionEndWithIt() {
        try (Client client = Client.open(broker, connect(5, "shorter").lasting(600))) {
            client.subscribe("shorter", 1);
        }
        try (Client client = Client.silent(broker)) {
            assertThat(client.send(connect(5, "shorter").clean(false)).sessionPresent())
                    .isTrue();
            client.publish("shorter", "goes on");
            client.expectDelivery("goes on");
        }
        untilNobodyWants("shorter");
        assertThat(sessionPresent(connect(5, "shorter").clean(false))).isFalse();
    }

    // 3.14.2.2.2
    @Test
    void aDisconnectMayChangeTheExpiry() {
        try (Client client = Client.open(broker, connect(5, "changed").lasting(600))) {
            client.subscribe("changed", 1);
            client.raw("e0 [ 00 [ 11 00000000 ] ]").expectEnd();
        }
        untilNobodyWants("changed");
        assertThat(sessionPresent(connect(5, "changed").lasting(1))).isFalse();
        try (Client client = Client.open(broker, connect(5, "changed").lasting(1))) {
            client.subscribe("changed", 1);
            client.raw("e0 [ 00 [ 11 00000258 ] ]").expectEnd();
        }
        try (Client other = Client.open(broker, connect(5, "changed-other").lasting(1))) {
            other.subscribe("changed-other", 1);
        }
        untilNobodyWants("changed-other");
        assertThat(sessionPresent(connect(5, "changed").lasting(1))).isTrue();
    }

    @Test
    void anExpiryOfZeroIsNotRaisedByADisconnect() {
        try (Client client = Client.open(broker, "raised")) {
            client.raw("e0 [ 00 [ 11 00000258 ] ]").expectDisconnect(Reason.PROTOCOL_ERROR);
        }
    }

    @Test
    void aTakeoverGoesOnWithTheSession() {
        try (Client first = Client.open(broker, connect(5, "taken").lasting(600))) {
            first.subscribe("taken", 1);
            try (Client second = Client.silent(broker)) {
                assertThat(second.send(connect(5, "taken").lasting(600)).sessionPresent())
                        .isTrue();
                first.expectDisconnect(Reason.SESSION_TAKEN_OVER);
                second.publish("taken", "to the second");
                second.expectDelivery("to the second");
            }
        }
    }

    @Test
    void aTakeoverOfASessionThatDoesNotLastBeginsAnew() {
        try (Client first = Client.open(broker, "volatile")) {
            first.subscribe("volatile", 1);
            try (Client second = Client.silent(broker)) {
                assertThat(second.send(connect(5, "volatile").clean(false)).sessionPresent())
                        .isFalse();
                assertThat(second.publishAnswered("volatile", "x")).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
            }
        }
    }

    @Test
    void clientsWithSimilarIdentifiersHaveTheirOwn() {
        for (String id : new String[] {"similar", "similarq", "similarqos1", "similar ", "Similar", "similar/a"}) {
            assertThat(sessionPresent(connect(5, id).lasting(600))).as(id).isFalse();
            assertThat(sessionPresent(connect(5, id).lasting(600))).as(id).isTrue();
        }
    }
}
