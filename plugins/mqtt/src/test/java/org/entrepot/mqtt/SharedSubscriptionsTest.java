package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Property;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups that share deliveries (specification 4.8.2), in all versions. */
@Timeout(60)
class SharedSubscriptionsTest {
    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin()).set("mqtt.anonymous=true"));

    private static Client open(String id) {
        return Client.open(broker, id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"$share/g/", "$queue/"})
    void everyMessageGoesToOneMember(String prefix) {
        for (int qos = 0; qos <= 2; qos++) {
            for (int level = 4; level <= 5; level++) {
                String topic = "one-of/" + qos + level;
                try (Client first = Client.open(
                                broker, Client.connect().level(level).id("first"));
                        Client second = Client.open(
                                broker, Client.connect().level(level).id("second"));
                        Client publisher = open("publisher")) {
                    assertThat(first.subscribe(prefix + topic, qos)).isEqualTo(qos);
                    assertThat(second.subscribe(prefix + topic, qos)).isEqualTo(qos);
                    Set<String> heard = new HashSet<>();
                    for (int i = 0; i < 40; i++) {
                        assertThat(publisher.publishAnswered(topic, "m" + i)).isZero();
                    }
                    int[] shares = new int[2];
                    Client[] members = {first, second};
                    while (heard.size() < 40) {
                        int before = heard.size();
                        for (int i = 0; i < 2; i++) {
                            while (members[i].hasHeardSomething()) {
                                Client.Delivery delivery = members[i].expectDelivery();
                                assertThat(delivery.qos()).isEqualTo(Math.min(qos, 1));
                                assertThat(heard.add(delivery.text()))
                                        .as("%s once", delivery)
                                        .isTrue();
                                shares[i]++;
                                members[i].settle(delivery);
                            }
                        }
                        Client.eventually(
                                () -> heard.size() > before || first.hasHeardSomething() || second.hasHeardSomething());
                    }
                    assertThat(shares[0]).as("qos %s level %s", qos, level).isPositive();
                    assertThat(shares[1]).as("qos %s level %s", qos, level).isPositive();
                    first.disconnect();
                }
            }
        }
    }

    @Test
    void groupsAndPlainSubscriptionsHaveTheirOwnCopies() {
        try (Client first = open("first");
                Client second = open("second");
                Client plain = open("plain")) {
            first.subscribe("$share/g/copies/+", 1, "0b 01");
            second.subscribe("$share/h/copies/+", 1, "0b 02");
            plain.subscribe("copies/#", 1, "0b 03");
            plain.publish("copies/x", "to all");

            assertThat(first.expectDelivery("to all").all(Property.SUBSCRIPTION_ID))
                    .containsExactly(1L);
            assertThat(second.expectDelivery("to all").all(Property.SUBSCRIPTION_ID))
                    .containsExactly(2L);
            assertThat(plain.expectDelivery("to all").all(Property.SUBSCRIPTION_ID))
                    .containsExactly(3L);
        }
    }

    @Test
    void groupsOfOneNameAndOtherFiltersAreOthers() {
        try (Client first = open("first");
                Client second = open("second")) {
            first.subscribe("$share/g/filters/a", 1);
            second.subscribe("$share/g/filters/+", 1);
            second.publish("filters/a", "to both");

            first.expectDelivery("to both");
            second.expectDelivery("to both");
        }
    }

    // 4.8.2: what the one has not answered the other gets
    @Test
    void whatALeavingMemberHasNotAnsweredGoesToAnother() {
        try (Client publisher = open("publisher");
                Client second = open("second")) {
            try (Client first = open("first")) {
                first.subscribe("$share/g/leaves", 1);
                publisher.publishAnswered("leaves", "one");
                publisher.publishAnswered("leaves", "two");
                first.settle(first.expectDelivery("one"));
                first.expectDelivery("two");
                second.subscribe("$share/g/leaves", 1);
                first.ping();
            }
            second.settle(second.expectDelivery("two"));
            publisher.publishAnswered("leaves", "three");
            second.expectDelivery("three");
        }
    }

    @Test
    void whoUnsubscribesIsOutAndTheRestGoesOn() {
        try (Client first = open("first");
                Client second = open("second")) {
            first.subscribe("$share/g/out", 1);
            second.subscribe("$share/g/out", 1);
            assertThat(first.unsubscribe("$share/g/out")).containsExactly(0);
            for (int i = 0; i < 10; i++) {
                second.publish("out", "m" + i);
                second.settle(second.expectDelivery("m" + i));
            }
            assertThat(first.unsubscribe("$share/g/out")).containsExactly(Reason.NO_SUBSCRIPTION_EXISTED);
            assertThat(second.unsubscribe("$share/g/out")).containsExactly(0);
            assertThat(second.publishAnswered("out", "nobody")).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
        }
    }

    @Test
    void aGroupIsOverWhenItsLastMemberIsGone() {
        try (Client first = open("first");
                Client publisher = open("publisher")) {
            first.subscribe("$share/g/over", 1);
            first.disconnect();
            Client.eventually(() -> publisher.publishAnswered("over", "x") == Reason.NO_MATCHING_SUBSCRIBERS);
        }
    }

    @Test
    void aGroupOfSessionsThatLastKeepsMessages() {
        Client.Connect connect = Client.connect().id("lasting").lasting(600);
        try (Client member = Client.open(broker, connect)) {
            member.subscribe("$share/g/lasting", 1, "0b 04");
        }
        try (Client publisher = open("publisher")) {
            assertThat(publisher.publishAnswered("lasting", "kept")).isZero();
        }
        try (Client member = Client.open(broker, connect)) {
            Client.Delivery delivery = member.expectDelivery("kept");
            assertThat(delivery.all(Property.SUBSCRIPTION_ID)).containsExactly(4L);
            member.settle(delivery);
            assertThat(member.unsubscribe("$share/g/lasting")).containsExactly(0);
        }
        try (Client publisher = open("publisher")) {
            assertThat(publisher.publishAnswered("lasting", "x")).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
        }
    }

    @Test
    void retainedMessagesAreNotForGroups() {
        try (Client publisher = open("publisher");
                Client member = open("member")) {
            publisher.retain("not-for-groups", "kept");
            member.subscribe("$share/g/not-for-groups", 1);
            member.publish("not-for-groups", "live");
            member.expectDelivery("live");
        }
    }

    @Test
    void aGroupsWildcardDoesNotMatchDollarTopics() {
        try (Client member = open("member")) {
            member.subscribe("$share/g/+/dollar", 1);
            member.publish("$x/dollar", "hidden").publish("x/dollar", "seen");
            member.expectDelivery("seen");
        }
    }

    @Test
    void deliveriesOfSeveralQueuesHaveDifferentIdentifiers() {
        try (Client member = open("member");
                Client publisher = open("publisher")) {
            member.subscribe("$share/g/ids", 1);
            member.subscribe("$share/h/ids", 1);
            member.subscribe("ids", 1);
            Set<Integer> ids = new HashSet<>();
            for (int i = 0; i < 30; i++) {
                publisher.publishAnswered("ids", "m" + i);
            }
            for (int i = 0; i < 90; i++) {
                ids.add(member.expectDelivery().packetId());
            }
            assertThat(ids).hasSize(90);
            for (int id : ids) {
                member.answer(Packets.PUBACK, id);
            }
            member.ping();
        }
    }
}
