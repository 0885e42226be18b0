package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
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

/** Retained messages (specification 3.3.1.3, 3.8.3.1). */
@Timeout(60)
class RetainedTest {
    private static final int IF_NEW = 0x10;
    private static final int NEVER = 0x20;

    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin())
            .set("mqtt.anonymous=true")
            .set("mqtt.retained-max=1000"));

    private static Client publisher() {
        return Client.open(broker, "");
    }

    /** What a new subscription is sent, the topics in order. */
    private static List<String> retained(String filter) {
        try (Client client = publisher()) {
            client.raw("82 [ 0001 [] `" + filter + "` 00 `end/of/all` 00 ]");
            assertThat(client.expectSuback(1)).containsExactly(0, 0);
            // What is retained comes right after the SUBACK, before what is published later.
            client.publish("end/of/all", "end");
            List<String> topics = new ArrayList<>();
            while (true) {
                Client.Delivery delivery = client.expectDelivery();
                if (delivery.text().equals("end")) {
                    topics.sort(null);
                    return topics;
                }
                assertThat(delivery.retain()).isTrue();
                topics.add(delivery.topic());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "1, 1", "2, 1", "1, 2", "2, 2", "0, 2", "2, 0"})
    void aNewSubscriptionIsSentWhatIsRetained(int published, int subscribed) {
        String topic = "new/" + published + subscribed;
        for (boolean lasts : new boolean[] {false, true}) {
            try (Client publisher = publisher()) {
                publisher.publish(0x31 | published << 1, topic, 9, "26 `k` `1` 26 `k` `2` 03 `text`", "kept");
                if (published > 0) {
                    assertThat(publisher.next().type()).isEqualTo(published == 1 ? 4 : 5);
                }
                // A retained message at QoS 0 is there when what comes after it is.
                publisher.retain("new/later", "x");
            }
            Client.Connect connect = Client.connect().id("new" + published + subscribed + lasts);
            try (Client client = Client.open(broker, lasts ? connect.lasting(600) : connect)) {
                client.subscribe(topic, subscribed, "0b 03");
                Client.Delivery delivery = client.expectDelivery("kept");
                assertThat(delivery.retain()).isTrue();
                assertThat(delivery.duplicate()).isFalse();
                assertThat(delivery.topic()).isEqualTo(topic);
                assertThat(delivery.qos()).isEqualTo(Math.min(published, subscribed));
                assertThat(delivery.all(Property.USER_PROPERTY)).containsExactly("k=1", "k=2");
                assertThat(delivery.property(Property.CONTENT_TYPE)).isEqualTo("text");
                assertThat(delivery.property(Property.SUBSCRIPTION_ID)).isEqualTo(3L);
                client.settle(delivery);
            }
        }
    }

    @Test
    void aTopicHasOneAndAnEmptyOneClearsIt() {
        try (Client publisher = publisher();
                Client client = Client.open(broker, "replace")) {
            publisher.retain("replace", "first").retain("replace", "second");
            client.subscribe("replace", 1);
            client.settle(client.expectDelivery("second"));

            publisher.retain("replace", "");
            // It is published as any other.
            assertThat(client.expectDelivery("").retain()).isFalse();
            assertThat(retained("replace")).isEmpty();
            publisher.retain("replace", "");
            publisher.retain("replace", "third");
            assertThat(retained("replace")).containsExactly("replace");
        }
    }

    @Test
    void whatIsNotToBeRetainedChangesNothing() {
        try (Client publisher = publisher()) {
            publisher.retain("unchanged", "kept");
            publisher.publishAnswered("unchanged", "passing");
            publisher.publishAnswered("unchanged", "");
        }
        assertThat(retained("unchanged")).containsExactly("unchanged");
    }

    @Test
    void wildcardsFindAllThatMatch() {
        try (Client publisher = publisher()) {
            for (String topic :
                    new String[] {"w", "w/", "w/a", "w/a/b", "w/a.b", "w/*/b", "w//b", "v/a/b", "$w/a", "$w/a/b"}) {
                publisher.retain(topic, "in " + topic);
            }
        }
        assertThat(retained("w/#")).containsExactly("w", "w/", "w/*/b", "w//b", "w/a", "w/a.b", "w/a/b");
        assertThat(retained("w/+")).containsExactly("w/", "w/a", "w/a.b");
        assertThat(retained("w/+/b")).containsExactly("w/*/b", "w//b", "w/a/b");
        assertThat(retained("+/a/b")).containsExactly("v/a/b", "w/a/b");
        assertThat(retained("w/a/#")).containsExactly("w/a", "w/a/b");
        assertThat(retained("w/a.b")).containsExactly("w/a.b");
        assertThat(retained("$w/#")).containsExactly("$w/a", "$w/a/b");
        assertThat(retained("w/*/b")).containsExactly("w/*/b");
        assertThat(retained("#")).contains("w", "v/a/b").noneMatch(topic -> topic.startsWith("$"));
        assertThat(retained("+/a")).contains("w/a").doesNotContain("$w/a");
    }

    @Test
    void theHandlingThatIsAskedForIsDone() {
        try (Client publisher = publisher();
                Client client = Client.open(broker, "handling")) {
            publisher.retain("handling/a", "a").retain("handling/b", "b");

            client.subscribe("handling/a", 0);
            client.expectDelivery("a");
            client.subscribe("handling/a", 0);
            client.expectDelivery("a");
            client.subscribe("handling/a", IF_NEW);
            client.subscribe("handling/a", 1 | IF_NEW);
            client.subscribe("handling/b", IF_NEW);
            client.expectDelivery("b");
            client.unsubscribe("handling/b");
            client.subscribe("handling/b", NEVER);
            client.subscribe("handling/a", 1 | NEVER);
            client.publish("handling/b", "end");
            assertThat(client.expectDelivery("end").retain()).isFalse();
        }
    }

    @Test
    void aSubscriptionThatIsMadeAgainBeforeMqtt5IsSentThemAgain() {
        try (Client publisher = publisher();
                Client client = Client.open(broker, Client.connect().level(4).id("handling-4"))) {
            publisher.retain("handling-4", "x");
            client.subscribe("handling-4", 1);
            client.settle(client.expectDelivery("x"));
            client.subscribe("handling-4", 1);
            assertThat(client.expectDelivery("x").retain()).isTrue();
        }
    }

    @Test
    void aSessionThatGoesOnIsNotSentThemAgain() {
        try (Client publisher = publisher()) {
            publisher.retain("goes-on", "x");
        }
        Client.Connect connect = Client.connect().id("goes-on").lasting(600);
        try (Client client = Client.open(broker, connect)) {
            client.subscribe("goes-on", 1);
            client.settle(client.expectDelivery("x")).ping();
        }
        try (Client client = Client.open(broker, connect)) {
            client.publish("goes-on", "end");
            client.expectDelivery("end");
        }
    }

    // 3.3.2.3.3
    @Test
    void aRetainedMessageExpires() {
        try (Client publisher = publisher()) {
            publisher.retain("expires/short", "02 00000001", "s").retain("expires/long", "02 00000258", "l");
            assertThat(retained("expires/long")).containsExactly("expires/long");
            Client.eventually(() -> retained("expires/short").isEmpty());
            try (Client client = Client.open(broker, "expires")) {
                client.subscribe("expires/#", 1);
                assertThat((Long) client.expectDelivery("l").property(Property.MESSAGE_EXPIRY))
                        .isBetween(570L, 599L);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void manyAreSentAsFastAsTheClientReads(int qos) {
        String topic = "crowd/" + qos + "/";
        try (Client publisher = publisher();
                Client client = Client.open(broker, "crowd" + qos)) {
            String payload = "x".repeat(5_000);
            for (int i = 0; i < 300; i++) {
                publisher.retain(topic + i, payload);
            }
            client.subscribe(topic + "+", qos);
            List<String> topics = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                Client.Delivery delivery = client.expectDelivery(payload);
                assertThat(delivery.retain()).isTrue();
                topics.add(delivery.topic());
                client.settle(delivery);
            }
            assertThat(topics).doesNotHaveDuplicates();
            for (int i = 0; i < 300; i++) {
                publisher.retain(topic + i, "");
            }
            assertThat(retained(topic + "#")).isEmpty();
        }
    }

    @Test
    void whereThereAreTooManyNewTopicsAreRefusedAndOldOnesAreNot() {
        try (EmbeddedBroker small = EmbeddedBroker.with("mqtt", new MqttPlugin())
                        .set("mqtt.anonymous=true")
                        .set("mqtt.retained-max=2")
                        .start();
                Client publisher = Client.silent(small.port("mqtt"));
                Client old = Client.silent(small.port("mqtt"))) {
            publisher.send(Client.connect().id("p"));
            publisher.retain("few/1", "x").retain("few/2", "x");
            assertThat(publisher.publishAnswered(0x33, "few/3", "", "x")).isEqualTo(Reason.QUOTA_EXCEEDED);
            publisher.retain("few/2", "y").retain("few/1", "").retain("few/3", "x");
            // Before MQTT 5 there is no answer that says no.
            old.send(Client.connect().level(4).id("old"));
            old.publish(0x33, "few/4", 1, "", "x").expectEnd();
        }
    }
}
