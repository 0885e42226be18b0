package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.mqtt.wire.Property;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is published for clients that go without a goodbye (specification 3.1.2.5, 3.1.3.2). */
@Timeout(60)
class WillTest {
    private static final String DELAY_1 = "18 00000001";
    private static final String DELAY_600 = "18 00000258";

    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin()).set("mqtt.anonymous=true"));

    private Client watcher;

    @BeforeEach
    void watch() {
        watcher = Client.open(broker, "watcher");
        watcher.subscribe("will/#", 2);
    }

    @AfterEach
    void stopWatching() {
        watcher.close();
    }

    private static Client.Connect connect(String id) {
        return connect(id, "");
    }

    /** A client whose will is "will/" and its identifier. */
    private static Client.Connect connect(String id, String willProperties) {
        return Client.connect().id(id).will("will/" + id, "bye", 1, false, willProperties);
    }

    /** Nothing was published for anybody up to now, but what is published now. */
    private void expectNoWill() {
        try (Client other = Client.open(broker, Client.connect().id("end").will("will/end", "end", 0, false, ""))) {
            other.ping();
        }
        assertThat(watcher.expectDelivery("end").topic()).isEqualTo("will/end");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void aClientThatHangsUpLeavesItsWill(int level) {
        for (int qos = 0; qos <= 2; qos++) {
            try (Client client = Client.open(
                    broker, Client.connect().level(level).id("hangs-up").will("will/a", "bye", qos, false, ""))) {
                client.ping();
            }
            Client.Delivery will = watcher.expectDelivery("bye");
            assertThat(will.topic()).isEqualTo("will/a");
            assertThat(will.qos()).isEqualTo(qos);
            assertThat(will.retain()).isFalse();
            watcher.settle(will);
        }
    }

    @Test
    void aGoodbyeTakesTheWillBack() {
        Client.open(broker, connect("goodbye")).disconnect();
        Client.open(broker, Client.connect().level(4).id("goodbye").will("will/x", "bye", 0, false, ""))
                .disconnect();
        try (Client client = Client.open(broker, connect("goodbye"))) {
            client.raw("e0 [ 00 [] ]").expectEnd();
        }
        expectNoWill();
    }

    // 3.14.2.1
    @Test
    void aGoodbyeMayAskForTheWill() {
        try (Client client = Client.open(broker, connect("asks"))) {
            client.raw("e0 [ 04 ]").expectEnd();
        }
        watcher.expectDelivery("bye");
        try (Client client = Client.open(broker, connect("asks"))) {
            client.raw("e0 [ 80 ]").expectEnd();
        }
        watcher.expectDelivery("bye");
    }

    @Test
    void whoBreaksTheProtocolLeavesItsWill() {
        try (Client client = Client.open(broker, connect("breaks"))) {
            client.raw("30 [ `a/#` [] ]").expectDisconnect(Reason.TOPIC_NAME_INVALID);
        }
        watcher.expectDelivery("bye");
        try (Client client = Client.open(broker, connect("raises"))) {
            client.raw("e0 [ 00 [ 11 00000005 ] ]").expectDisconnect(Reason.PROTOCOL_ERROR);
        }
        watcher.expectDelivery("bye");
    }

    @Test
    void whoIsSilentLeavesItsWill() {
        try (Client client = Client.open(broker, connect("silent").keepAlive(1))) {
            watcher.expectDelivery("bye");
            client.expectDisconnect(Reason.KEEP_ALIVE_TIMEOUT);
        }
    }

    @Test
    void aTakeoverLeavesTheWill() {
        try (Client first = Client.open(broker, connect("taken"));
                Client second = Client.open(broker, Client.connect().id("taken"))) {
            first.expectDisconnect(Reason.SESSION_TAKEN_OVER);
            assertThat(watcher.expectDelivery("bye").topic()).isEqualTo("will/taken");
            second.disconnect();
        }
    }

    @Test
    void theWillIsThatOfTheLastConnection() {
        Client.open(broker, connect("last").lasting(600)).disconnect();
        try (Client client = Client.open(broker, Client.connect().id("last").lasting(600))) {
            client.ping();
        }
        expectNoWill();
    }

    // 3.1.3.2
    @Test
    void aWillHasProperties() {
        try (Client client = Client.open(
                broker,
                connect(
                        "properties",
                        "01 01 02 00000258 03 `text` 08 `re/ply` 09 0002 00ff 26 `b` `1` 26 `a` `2` 26 `b` `3`"))) {
            client.ping();
        }
        Client.Delivery will = watcher.expectDelivery("bye");
        assertThat(will.property(Property.PAYLOAD_FORMAT)).isEqualTo(1L);
        assertThat((Long) will.property(Property.MESSAGE_EXPIRY)).isBetween(590L, 600L);
        assertThat(will.property(Property.CONTENT_TYPE)).isEqualTo("text");
        assertThat(will.property(Property.RESPONSE_TOPIC)).isEqualTo("re/ply");
        assertThat(will.property(Property.CORRELATION_DATA)).isEqualTo("00ff");
        assertThat(will.all(Property.USER_PROPERTY)).containsExactly("b=1", "a=2", "b=3");
        assertThat(will.property(0x18)).isNull();
    }

    @Test
    void aWillMayBeEmptyAndOfAnyBytes() {
        try (Client client = Client.silent(broker)) {
            client.raw("10 [ `MQTT` 04 06 0000 `bytes` `will/bytes` `` ]").expect(2);
        }
        watcher.expectDelivery("");
    }

    @Test
    void aWillThatIsRetainedIsThere() {
        try (Client client = Client.open(
                broker, Client.connect().id("retained").will("will/retained", "bye", 1, true, "26 `k` `v`"))) {
            client.ping();
        }
        assertThat(watcher.expectDelivery("bye").retain()).isFalse();
        Client.eventually(() -> {
            try (Client late = Client.open(broker, "late")) {
                late.raw("82 [ 0001 [] `will/retained` 00 `end` 00 ] ");
                late.expectSuback(1);
                late.publish("end", "end");
                Client.Delivery delivery = late.expectDelivery();
                return delivery.retain() && delivery.text().equals("bye") && "k=v".equals(delivery.property(0x26));
            }
        });
        watcher.publish(0x31, "will/retained", 0, "", "");
    }

    // 3.1.3.2.2
    @Test
    void aDelayedWillComesWhenItsTimeIsUp() {
        long start = System.nanoTime();
        try (Client client = Client.open(broker, connect("delayed", DELAY_1).lasting(600))) {
            client.ping();
        }
        assertThat(watcher.expectDelivery("bye").topic()).isEqualTo("will/delayed");
        assertThat(System.nanoTime() - start).isGreaterThan(990_000_000L);
    }

    @Test
    void aDelayedWillComesWithTheEndOfTheSession() {
        try (Client client = Client.open(broker, connect("session", DELAY_600))) {
            client.ping();
        }
        assertThat(watcher.expectDelivery("bye").topic()).isEqualTo("will/session");
        try (Client client = Client.open(broker, connect("session", DELAY_600).lasting(1))) {
            client.ping();
        }
        assertThat(watcher.expectDelivery("bye").topic()).isEqualTo("will/session");
    }

    @Test
    void aDelayedWillIsTakenBackWhenTheSessionGoesOn() {
        try (Client client = Client.open(broker, connect("back", DELAY_1).lasting(600))) {
            client.ping();
        }
        try (Client back = Client.open(broker, Client.connect().id("back").lasting(600))) {
            // Another's will of the same delay comes, this one does not.
            try (Client other = Client.open(broker, connect("other", DELAY_1).lasting(600))) {
                other.ping();
            }
            assertThat(watcher.expectDelivery("bye").topic()).isEqualTo("will/other");
            back.disconnect();
        }
        expectNoWill();
    }

    @Test
    void aCleanStartEndsTheSessionAndSoTheDelay() {
        try (Client client = Client.open(broker, connect("clean", DELAY_600).lasting(600))) {
            client.ping();
        }
        try (Client back = Client.open(broker, Client.connect().id("clean"))) {
            assertThat(watcher.expectDelivery("bye").topic()).isEqualTo("will/clean");
            back.disconnect();
        }
    }

    @Test
    void aTakeoverTakesADelayedWillBack() {
        try (Client first = Client.open(broker, connect("over", DELAY_600).lasting(600));
                Client second = Client.open(broker, Client.connect().id("over").lasting(600))) {
            first.expectDisconnect(Reason.SESSION_TAKEN_OVER);
            second.disconnect();
        }
        expectNoWill();
    }

    @Test
    void aDelayedWillThatIsReplacedComesOnce() {
        for (int i = 0; i < 3; i++) {
            try (Client client =
                    Client.open(broker, connect("replaced", DELAY_1).lasting(600))) {
                client.ping();
            }
        }
        watcher.settle(watcher.expectDelivery("bye"));
        try (Client other = Client.open(broker, connect("other", DELAY_1).lasting(600))) {
            other.ping();
        }
        assertThat(watcher.expectDelivery("bye").topic()).isEqualTo("will/other");
    }

    @Test
    void refusedConnectionsLeaveNoWill() {
        try (Client client = Client.silent(broker)) {
            assertThat(client.send(connect("refused").user("guest", "wrong")).code())
                    .isEqualTo(Reason.BAD_USER_NAME_OR_PASSWORD);
            client.expectEnd();
        }
        expectNoWill();
    }
}
