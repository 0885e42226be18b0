package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.entrepot.mqtt.wire.Property;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topic aliases, both ways (specification 3.3.2.3.4). */
@Timeout(60)
class TopicAliasTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin())
            .set("mqtt.anonymous=true")
            .set("mqtt.topic-alias-max=10")
            .set("mqtt.topic-aliases-out=4"));

    @Test
    void aClientsAliasStandsForTheTopicThatItCameWithLast() {
        try (Client client = Client.open(broker, "client")) {
            client.subscribe("in/#", 0);
            client.publish(0x30, "in/a", 0, "23 0001", "1");
            client.publish(0x30, "", 0, "23 0001", "2");
            client.publish(0x30, "in/bb", 0, "23 000a", "3");
            client.publish(0x30, "in/c", 0, "", "4");
            client.publish(0x30, "", 0, "23 0001", "5");
            client.publish(0x30, "in/d", 0, "23 0001", "6");
            client.publish(0x30, "", 0, "23 0001", "7");
            client.publish(0x30, "", 0, "23 000a", "8");
            client.publish(0x30, "in/e", 0, "", "9");
            client.publish(0x30, "in/e", 0, "23 0002", "10");
            client.publish(0x30, "in/f", 0, "", "11");
            client.publish(0x30, "", 0, "23 0002", "12");
            String[] topics = {"a", "a", "bb", "c", "a", "d", "d", "bb", "e", "e", "f", "e"};
            for (int i = 0; i < topics.length; i++) {
                Client.Delivery delivery = client.expectDelivery(String.valueOf(i + 1));
                assertThat(delivery.topic()).as("message %d", i + 1).isEqualTo("in/" + topics[i]);
                assertThat(delivery.property(Property.TOPIC_ALIAS)).isNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"23 0000", "23 000b", "23 ffff"})
    void anAliasThatIsNotAllowedIsInvalid(String alias) {
        try (Client client = Client.open(broker, "invalid")) {
            client.publish(0x30, "a", 0, alias, "x").expectDisconnect(Reason.TOPIC_ALIAS_INVALID);
        }
    }

    @Test
    void aliasesEndWithTheConnection() {
        Client.Connect connect = Client.connect().id("ends").lasting(600);
        try (Client client = Client.open(broker, connect)) {
            client.publish(0x30, "a", 0, "23 0001", "x").disconnect();
        }
        try (Client client = Client.open(broker, connect)) {
            client.publish(0x30, "", 0, "23 0001", "x").expectDisconnect(Reason.PROTOCOL_ERROR);
        }
    }

    @Test
    void whoAllowsNoneIsSentNone() {
        try (Client client = Client.open(broker, "none")) {
            client.subscribe("none", 1);
            for (int i = 0; i < 5; i++) {
                client.publish("none", "x");
                Client.Delivery delivery = client.expectDelivery("x");
                assertThat(delivery.topic()).isEqualTo("none");
                assertThat(delivery.property(Property.TOPIC_ALIAS)).isNull();
            }
        }
    }

    /** Hears a topic as a client does that knows its aliases. */
    private static String topic(Map<Object, String> aliases, Client.Delivery delivery) {
        Object alias = delivery.property(Property.TOPIC_ALIAS);
        if (alias == null) {
            assertThat(delivery.topic()).isNotEmpty();
            return delivery.topic();
        }
        if (delivery.topic().isEmpty()) {
            assertThat(aliases).containsKey(alias);
            return aliases.get(alias);
        }
        aliases.put(alias, delivery.topic());
        return delivery.topic();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 20})
    void theBrokerUsesAsManyAsBothAllow(int allowed) {
        Client.Connect connect = Client.connect().id("out" + allowed).properties(String.format("22 %04x", allowed));
        try (Client client = Client.open(broker, connect)) {
            client.subscribe("out/#", 1);
            Map<Object, String> aliases = new HashMap<>();
            int known = 0;
            for (int i = 0; i < 60; i++) {
                String topic = "out/" + i % 6;
                client.publish(topic, "m" + i);
                Client.Delivery delivery = client.expectDelivery("m" + i);
                assertThat(topic(aliases, delivery)).isEqualTo(topic);
                known += delivery.topic().isEmpty() ? 1 : 0;
            }
            assertThat(aliases).hasSize(Math.min(allowed, 4));
            assertThat(aliases.keySet()).allMatch(alias -> (Long) alias >= 1 && (Long) alias <= Math.min(allowed, 4));
            assertThat(known).isPositive();
        }
    }

    @Test
    void anAliasIsNotSpentOnWhatIsTooLarge() {
        Client.Connect connect = Client.connect().id("large").properties("22 0004 27 00000040");
        try (Client client = Client.open(broker, connect)) {
            client.subscribe("large/#", 1);
            Map<Object, String> aliases = new HashMap<>();
            client.publish("large/topic", "x".repeat(100)).publish("large/topic", "small");
            assertThat(topic(aliases, client.expectDelivery("small"))).isEqualTo("large/topic");
            client.publish("large/topic", "again");
            assertThat(topic(aliases, client.expectDelivery("again"))).isEqualTo("large/topic");
        }
    }

    @Test
    void whatFitsWithoutAnAliasIsSentWithoutOne() {
        // 2 of header, 2 and 11 of topic, 1 of properties, and the payload.
        for (int payload : new int[] {47, 48}) {
            Client.Connect connect = Client.connect().id("fits").properties("22 0004 27 00000040");
            try (Client client = Client.open(broker, connect)) {
                client.subscribe("large/#", 0);
                Map<Object, String> aliases = new HashMap<>();
                client.publish("large/topic", "x".repeat(payload)).publish("large/topic", "end");
                assertThat(topic(aliases, client.expectDelivery("x".repeat(payload))))
                        .isEqualTo("large/topic");
                assertThat(topic(aliases, client.expectDelivery("end"))).isEqualTo("large/topic");
                // With the alias that it knows by now more fits than before.
                client.publish("large/topic", "y".repeat(56)).publish("large/topic", "end");
                assertThat(topic(aliases, client.expectDelivery("y".repeat(56))))
                        .isEqualTo("large/topic");
                client.expectDelivery("end");
            }
        }
    }

    @Test
    void aliasesGoWithEveryQos() {
        Client.Connect connect =
                Client.connect().id("qos").properties("22 0004").lasting(600);
        try (Client client = Client.open(broker, connect);
                Client publisher = Client.open(broker, "publisher")) {
            client.subscribe("qos", 2);
            Map<Object, String> aliases = new HashMap<>();
            for (int i = 0; i < 9; i++) {
                publisher.publish(0x30 | i % 3 << 1, "qos", 1 + i, "26 `k` `v`", "m" + i);
                Client.Delivery delivery = client.expectDelivery("m" + i);
                assertThat(topic(aliases, delivery)).isEqualTo("qos");
                assertThat(delivery.property(Property.USER_PROPERTY)).isEqualTo("k=v");
                client.settle(delivery);
            }
            client.ping();
        }
    }
}
