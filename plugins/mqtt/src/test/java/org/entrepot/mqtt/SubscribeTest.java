package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

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

/** Subscribing, its options, and unsubscribing (specification 3.8 to 3.11, 4.7, 4.8). */
@Timeout(60)
class SubscribeTest {
    private static final int NO_LOCAL = 4;
    private static final int AS_PUBLISHED = 8;

    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin())
            .set("mqtt.anonymous=true")
            .set("mqtt.subscriptions-max=50")
            .set("mqtt.topic-levels-max=8"));

    @Test
    void everyFilterHasItsReasonCodeInOrder() {
        try (Client client = Client.open(broker, "codes")) {
            client.raw("82 [ 0007 [] `a` 00 `b/#` 01 `+` 02 `1/2/3/4/5/6/7/8/9` 00 ]");
            assertThat(client.expectSuback(7)).containsExactly(0, 1, 2, 0x8F);
            client.raw("a2 [ 0008 [] `b/#` `c` `a` `a` ]");
            assertThat(client.expect(Packets.UNSUBACK).rest()).containsExactly(0, 8, 0, 0, 0x11, 0, 0x11);
        }
        try (Client client = Client.open(broker, Client.connect().level(4).id("codes"))) {
            client.raw("82 [ 0007 `a` 00 `1/2/3/4/5/6/7/8/9` 00 `b/#` 01 `+` 02 ]");
            assertThat(client.expectSuback(7)).containsExactly(0, 0x80, 1, 2);
            client.raw("a2 [ 0008 `b/#` `c` ]");
            assertThat(client.expect(Packets.UNSUBACK).rest()).containsExactly(0, 8);
        }
    }

    @Test
    void thereAreNotMoreSubscriptionsThanAllowed() {
        try (Client client = Client.open(broker, "many")) {
            for (int i = 0; i < 50; i++) {
                assertThat(client.subscribe("many/" + i, 1)).isEqualTo(1);
            }
            assertThat(client.subscribe("many/50", 1)).isEqualTo(Reason.QUOTA_EXCEEDED);
            assertThat(client.subscribe("many/3", 0)).isZero();
            client.unsubscribe("many/7");
            assertThat(client.subscribe("many/50", 1)).isEqualTo(1);
            client.publish("many/50", "x");
            client.expectDelivery("x");
        }
    }

    @Test
    void unsubscribingEndsDeliveries() {
        for (int qos = 0; qos <= 2; qos++) {
            try (Client client = Client.open(broker, "unsubscribe" + qos)) {
                client.subscribe("unsubscribe/a", qos);
                client.subscribe("unsubscribe/b", qos);
                assertThat(client.unsubscribe("unsubscribe/a")).containsExactly(0);
                client.publish("unsubscribe/a", "wrong").publish("unsubscribe/b", "right");
                client.expectDelivery("right");
            }
        }
    }

    @Test
    void whatIsSaidAtOnceIsDoneInOrder() {
        for (int round = 0; round < 20; round++) {
            try (Client client = Client.open(broker, "pipeline")) {
                client.raw("82 [ 0001 [] `pipe` 01 ] a2 [ 0002 [] `pipe` ] 82 [ 0003 [] `pipe` 00 `pipe/2` 00 ]"
                        + " a2 [ 0004 [] `pipe` ]");
                assertThat(client.expectSuback(1)).containsExactly(1);
                assertThat(client.expect(Packets.UNSUBACK).rest()).containsExactly(0, 2, 0, 0);
                assertThat(client.expectSuback(3)).containsExactly(0, 0);
                assertThat(client.expect(Packets.UNSUBACK).rest()).containsExactly(0, 4, 0, 0);
                client.publish("pipe", "wrong").publish("pipe/2", "right");
                client.expectDelivery("right");
            }
        }
    }

    // 3.8.4-3
    @Test
    void aSubscriptionTakesThePlaceOfAnOlderOne() {
        for (boolean lasts : new boolean[] {false, true}) {
            Client.Connect connect = Client.connect().id("replace" + lasts);
            try (Client client = Client.open(broker, lasts ? connect.lasting(600) : connect)) {
                for (int qos : new int[] {0, 2, 1, 0, 1}) {
                    assertThat(client.subscribe("replace", qos, "0b 0" + (qos + 1)))
                            .isEqualTo(qos);
                    publishAtTwo("replace", "at " + qos);
                    Client.Delivery delivery = client.expectDelivery("at " + qos);
                    assertThat(delivery.qos()).isEqualTo(qos);
                    assertThat(delivery.all(Property.SUBSCRIPTION_ID)).containsExactly(qos + 1L);
                    client.settle(delivery);
                }
                client.publish("replace", "once").publish("replace", "and once");
                client.expectDelivery("once");
                client.expectDelivery("and once");
            }
        }
    }

    /** Publishes at QoS 2 by another client. */
    private static void publishAtTwo(String topic, String payload) {
        try (Client publisher = Client.open(broker, "at-two")) {
            publisher.publish(0x34, topic, 9, "", payload);
            publisher.expectAnswer(Packets.PUBREC, 9);
            publisher.answer(Packets.PUBREL, 9);
            publisher.expectAnswer(Packets.PUBCOMP, 9);
        }
    }

    // 3.3.4
    @ParameterizedTest
    @CsvSource({"0, 0, false", "0, 1, false", "1, 2, false", "0, 2, true", "2, 2, true", "0, 0, true"})
    void overlappingSubscriptionsAreDeliveredOnceAtTheHighestQos(int one, int other, boolean lasts) {
        Client.Connect connect = Client.connect().id("overlap" + one + other + lasts);
        try (Client client = Client.open(broker, lasts ? connect.lasting(600) : connect)) {
            client.subscribe("overlap/#", one, "0b 01");
            client.subscribe("overlap/+", other, "0b 02");
            client.subscribe("overlap/x", 0);
            publishAtTwo("overlap/x", "x");
            publishAtTwo("overlap/y", "y");
            Client.Delivery x = client.expectDelivery("x");
            Client.Delivery y = client.expectDelivery("y");

            assertThat(x.qos()).isEqualTo(Math.max(one, other));
            assertThat(x.all(Property.SUBSCRIPTION_ID)).containsExactlyInAnyOrder(1L, 2L);
            assertThat(y.qos()).isEqualTo(Math.max(one, other));
        }
    }

    // 3.8.2.1.2
    @Test
    void aSubscriptionIdentifierComesWithTheDelivery() {
        try (Client client = Client.open(broker, "identifier")) {
            client.subscribe("identifier/small", 0, "0b 01");
            client.subscribe("identifier/large", 1, "0b ffffff7f");
            client.subscribe("identifier/none", 1);
            client.publish("identifier/small", "s");
            assertThat(client.expectDelivery("s").property(Property.SUBSCRIPTION_ID))
                    .isEqualTo(1L);
            client.publish("identifier/large", "l");
            assertThat(client.expectDelivery("l").property(Property.SUBSCRIPTION_ID))
                    .isEqualTo(268_435_455L);
            client.publish("identifier/none", "n");
            assertThat(client.expectDelivery("n").property(Property.SUBSCRIPTION_ID))
                    .isNull();
        }
    }

    // 3.8.3.1
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void noLocalLeavesOutTheClientsOwn(int qos) {
        for (boolean lasts : new boolean[] {false, true}) {
            Client.Connect connect = Client.connect().id("local" + qos + lasts);
            try (Client client = Client.open(broker, lasts ? connect.lasting(600) : connect);
                    Client other = Client.open(broker, "local-other")) {
                client.subscribe("local", qos | NO_LOCAL);
                client.subscribe("both", qos | NO_LOCAL);
                client.subscribe("both/#", qos, "0b 05");
                assertThat(client.publishAnswered("local", "own")).isIn(0, 0x10);
                other.publish("local", "of another");
                client.expectDelivery("of another");

                // Another subscription may want it.
                client.publish("both", "own");
                assertThat(client.expectDelivery("own").all(Property.SUBSCRIPTION_ID))
                        .containsExactly(5L);
            }
        }
    }

    // 3.3.1.3, 3.8.3.1
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void retainIsShownAsPublishedWhereThatIsWanted(int qos) {
        try (Client plain = Client.open(broker, "plain" + qos);
                Client shown = Client.open(broker, "shown" + qos);
                Client publisher = Client.open(broker, "as-published")) {
            plain.subscribe("as-published/" + qos, qos);
            shown.subscribe("as-published/" + qos, qos | AS_PUBLISHED);
            publisher.retain("as-published/" + qos, "retained");
            assertThat(plain.expectDelivery("retained").retain()).isFalse();
            assertThat(shown.expectDelivery("retained").retain()).isTrue();
            publisher.publish("as-published/" + qos, "plain");
            assertThat(plain.expectDelivery("plain").retain()).isFalse();
            assertThat(shown.expectDelivery("plain").retain()).isFalse();
        }
    }

    @Test
    void aSessionThatLastsKeepsItsOptions() {
        Client.Connect connect = Client.connect().id("options").lasting(600);
        try (Client client = Client.open(broker, connect)) {
            client.subscribe("options/own", 1 | NO_LOCAL);
            client.subscribe("options/shown", 1 | AS_PUBLISHED, "0b 09");
        }
        try (Client client = Client.open(broker, connect);
                Client publisher = Client.open(broker, "options-publisher")) {
            client.publish("options/own", "own");
            publisher.retain("options/shown", "shown");
            Client.Delivery delivery = client.expectDelivery("shown");
            assertThat(delivery.retain()).isTrue();
            assertThat(delivery.property(Property.SUBSCRIPTION_ID)).isEqualTo(9L);
        }
    }

    @Test
    void aSubscriptionWithManyOthersMatchesAsEver() {
        try (Client client = Client.open(broker, "tree")) {
            for (int i = 0; i < 40; i++) {
                client.subscribe("tree/" + i + "/+", i % 3);
            }
            client.subscribe("tree/#", 1, "0b 05");
            publishAtTwo("tree/8/x", "eight");
            assertThat(client.expectDelivery("eight").qos()).isEqualTo(2);
            publishAtTwo("tree", "root");
            Client.Delivery root = client.expectDelivery("root");
            assertThat(root.qos()).isEqualTo(1);
            assertThat(root.all(Property.SUBSCRIPTION_ID)).containsExactly(5L);
        }
    }
}
