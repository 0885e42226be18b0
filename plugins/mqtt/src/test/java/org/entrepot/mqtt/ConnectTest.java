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

/** How a connection begins, lives and ends (specification 3.1, 3.2, 3.12 to 3.14, 4.13). */
@Timeout(60)
class ConnectTest {
    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("mqtt", new MqttPlugin()).set("mqtt.anonymous=true"));

    private static Client.Connect connect() {
        return Client.connect();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void everyVersionIsLetIn(int level) {
        try (Client client = Client.silent(broker)) {
            Client.Connack connack = client.send(connect().level(level).id("every-" + level));

            assertThat(connack.code()).isZero();
            assertThat(connack.sessionPresent()).isFalse();
            client.ping().disconnect();
        }
    }

    @Test
    void aBridgeOfMosquittoIsLetIn() {
        try (Client client = Client.silent(broker)) {
            client.raw("10 [ `MQTT` 84 02 0000 `bridge` ]");
            assertThat(client.expect(Packets.CONNACK).rest()).containsExactly(0, 0);
        }
    }

    // 3.1.2.2
    @Test
    void anUnknownLevelIsRefusedInTheWordsOfMqtt3() {
        try (Client client = Client.silent(broker)) {
            client.raw("10 [ `MQTT` 06 02 0000 [] `c` ]");
            assertThat(client.expect(Packets.CONNACK).rest()).containsExactly(0, 1);
            client.expectEnd();
        }
    }

    // 3.1.2.1, 3.1.2.3 and more: what is malformed is not answered
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10 [ `MQXX` 04 02 0000 `c` ]",
                "10 [ `MQTT` 04 03 0000 `c` ]",
                "10 [ `MQTT` 04 1e 0000 `c` `w` `` ]",
                "10 [ `MQTT` 04 42 0000 `c` `p` ]",
                "10 [ `MQTT` 04 02 0000 ]",
                "10 [ `MQTT` 05 02 0000 [ 21 0000 ] `c` ]",
                "10 ffffffffff",
                "1f [ `MQTT` 04 02 0000 `c` ]"
            })
    void aConnectThatIsNoneEndsTheConnection(String pattern) {
        try (Client client = Client.silent(broker)) {
            client.raw(pattern).expectEnd();
        }
    }

    // 3.1.0-1
    @ParameterizedTest
    @ValueSource(strings = {"c0 []", "e0 []", "30 [ `a` 'x' ]", "82 [ 0001 `a` 00 ]", "f0 []", "20 [ 0000 ]"})
    void theFirstPacketIsAConnect(String pattern) {
        try (Client client = Client.silent(broker)) {
            client.raw(pattern).expectEnd();
        }
    }

    // 3.1.0-2
    @Test
    void aSecondConnectIsAnError() {
        try (Client client = Client.open(broker, "second")) {
            client.raw(connect().id("second").bytes()).expectDisconnect(Reason.PROTOCOL_ERROR);
        }
        try (Client client = Client.open(broker, connect().level(4).id("second"))) {
            client.raw(connect().level(4).id("second").bytes()).expectEnd();
        }
    }

    // 3.1.3.1
    @Test
    void anEmptyIdentifierIsMadeUp() {
        try (Client client = Client.silent(broker);
                Client other = Client.silent(broker)) {
            Object first = client.send(connect()).property(Client.ASSIGNED_CLIENT_ID);
            Object second = other.send(connect()).property(Client.ASSIGNED_CLIENT_ID);

            assertThat(first).asString().isNotEmpty();
            assertThat(second).asString().isNotEmpty().isNotEqualTo(first);
            client.ping();
        }
        try (Client client = Client.silent(broker)) {
            assertThat(client.send(connect().level(4)).code()).isZero();
        }
    }

    @Test
    void anIdentifierThatIsGivenIsNotAssigned() {
        try (Client client = Client.silent(broker)) {
            assertThat(client.send(connect().id("given")).property(Client.ASSIGNED_CLIENT_ID))
                    .isNull();
        }
    }

    // 3.1.3-8 of MQTT 3.1.1
    @Test
    void anEmptyIdentifierOfASessionThatLastsIsRefusedBeforeMqtt5() {
        for (Client.Connect connect : new Client.Connect[] {
            connect().level(4).clean(false),
            connect().level(3),
            connect().level(3).clean(false)
        }) {
            try (Client client = Client.silent(broker)) {
                Client.Connack refusal = client.send(connect);
                assertThat(refusal.code()).isEqualTo(2);
                assertThat(refusal.sessionPresent()).isFalse();
                client.expectEnd();
            }
        }
    }

    @Test
    void anIdentifierMayBeLongAndOfAnyCharacters() {
        for (String id : new String[] {"x".repeat(1_000), "a/b+#$ é€😀", "."}) {
            for (int level : new int[] {3, 4, 5}) {
                try (Client client = Client.open(broker, connect().level(level).id(id))) {
                    client.ping();
                }
            }
        }
    }

    // 3.2.2.3
    @Test
    void theAnswerSaysWhatTheBrokerTakes() {
        try (Client client = Client.silent(broker)) {
            Client.Connack connack = client.send(connect().id("limits"));

            assertThat(connack.property(Client.RECEIVE_MAXIMUM)).isEqualTo(1_000L);
            assertThat(connack.property(Client.MAXIMUM_PACKET_SIZE)).isEqualTo(16L << 20);
            assertThat(connack.property(Client.TOPIC_ALIAS_MAXIMUM)).isEqualTo(100L);
            assertThat(connack.property(Client.SERVER_KEEP_ALIVE)).isNull();
            assertThat(connack.property(Client.SESSION_EXPIRY)).isNull();
            // No word about these means that they are there.
            for (int available : new int[] {0x24, 0x25, 0x28, 0x29, 0x2A}) {
                assertThat(connack.property(available)).isNull();
            }
        }
    }

    // 3.1.2.11.2
    @Test
    void aSessionExpiryThatIsTooLongIsCutAndSaid() {
        try (Client client = Client.silent(broker)) {
            assertThat(client.send(connect().id("long-expiry").lasting(0x7FFF_FFFF))
                            .property(Client.SESSION_EXPIRY))
                    .isEqualTo(86_400L);
        }
        try (Client client = Client.silent(broker)) {
            assertThat(client.send(connect().id("long-expiry").lasting(-1)).property(Client.SESSION_EXPIRY))
                    .isEqualTo(86_400L);
        }
    }

    // 3.1.4-3
    @Test
    void aNewConnectionTakesTheIdentifierOver() {
        for (int round = 0; round < 10; round++) {
            try (Client first = Client.open(broker, "taken");
                    Client second = Client.open(broker, "taken")) {
                first.expectDisconnect(Reason.SESSION_TAKEN_OVER);
                second.ping();
            }
        }
    }

    @Test
    void beforeMqtt5TheOldConnectionJustEnds() {
        try (Client first = Client.open(broker, connect().level(4).id("taken-4"));
                Client second = Client.open(broker, connect().level(4).id("taken-4"))) {
            first.expectEnd();
            second.ping();
        }
    }

    @Test
    void manyConnectionsForOneIdentifierLeaveOne() {
        Client[] clients = new Client[20];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = Client.silent(broker);
            clients[i].raw(connect().id("crowd").bytes());
        }
        try {
            for (Client client : clients) {
                Client.eventually(client::hasHeardSomething);
            }
            // Who is last is the brokers' business; whoever has it answers, all others are told to go.
            Client.eventually(() -> broker.broker().status().connections() == 1);
        } finally {
            for (Client client : clients) {
                client.close();
            }
        }
        try (Client client = Client.open(broker, "crowd")) {
            client.ping();
        }
    }

    // 3.1.4-5: packets may follow a CONNECT at once
    @Test
    void whatFollowsAConnectAtOnceIsTaken() {
        try (Client client = Client.silent(broker)) {
            byte[] connect = connect().id("at-once").bytes();
            byte[] rest = org.entrepot.mqtt.wire.Wire.bytes(
                    "82 [ 0001 [] `at/once` 00 ] 30 [ `at/once` [] 'x' ] c0 [] e0 []");
            byte[] all = java.util.Arrays.copyOf(connect, connect.length + rest.length);
            System.arraycopy(rest, 0, all, connect.length, rest.length);
            client.raw(all);

            assertThat(client.expectConnack().code()).isZero();
            // A subscription takes its time; a ping does not wait for it.
            assertThat(java.util.List.of(client.next().type(), client.next().type()))
                    .containsExactlyInAnyOrder(Packets.SUBACK, Packets.PINGRESP);
        }
    }

    @Test
    void aConnectMayComeByteByByte() {
        try (Client client = Client.silent(broker)) {
            for (byte b : connect().id("slow").user("guest", "guest").bytes()) {
                client.raw(new byte[] {b});
            }
            assertThat(client.expectConnack().code()).isZero();
        }
    }

    // 3.1.2.10
    @Test
    void whoIsSilentForOneAndAHalfIntervalsIsLetGo() {
        try (Client five = Client.open(broker, connect().id("silent-5").keepAlive(1));
                Client four =
                        Client.open(broker, connect().level(4).id("silent-4").keepAlive(1))) {
            long start = System.nanoTime();
            five.expectDisconnect(Reason.KEEP_ALIVE_TIMEOUT);
            four.expectEnd();
            assertThat(System.nanoTime() - start).isBetween(1_000_000_000L, 8_000_000_000L);
        }
    }

    // 3.1.2.11.7, 3.2.2.3.9
    @Test
    void reasonsAreForThoseWhoWantThem() {
        try (Client client = Client.open(broker, "why")) {
            client.raw("30 [ `a/#` [] ]");
            assertThat(client.expect(Packets.DISCONNECT).rest().length).isGreaterThan(3);
        }
        try (Client client = Client.open(broker, connect().id("why").properties("17 00"))) {
            client.raw("30 [ `a/#` [] ]");
            assertThat(client.expect(Packets.DISCONNECT).rest()[0]).isEqualTo((byte) Reason.TOPIC_NAME_INVALID);
        }
    }

    // 3.12
    @Test
    void pingsAreAnswered() {
        try (Client client = Client.open(broker, "pings")) {
            client.raw("c0 [] c0 [] c0 []");
            for (int i = 0; i < 3; i++) {
                assertThat(client.expect(Packets.PINGRESP).rest()).isEmpty();
            }
        }
    }

    // 3.14
    @Test
    void nothingIsHeardAfterADisconnect() {
        try (Client client = Client.open(broker, "gone")) {
            client.raw("e0 [] c0 []").expectEnd();
        }
    }

    // 4.13, [MQTT-2.1.3-1] and others
    @ParameterizedTest
    @ValueSource(
            strings = {
                "c1 []",
                "c0 [ 00 ]",
                "36 [ `a` 0001 [] ]",
                "38 [ `a` [] ]",
                "32 [ `a` 0000 [] ]",
                "80 [ 0001 [] `a` 00 ]",
                "82 [ 0000 [] `a` 00 ]",
                "82 [ 0001 [] `a` 03 ]",
                "60 [ 0001 ]",
                "42 [ 0001 ]",
                "40 [ 00 ]",
                "30 [ 0002 c328 [] ]",
                "30 [ `a` 05 ]",
                "82 ffffffffff",
                "e1 []"
            })
    void whatIsMalformedIsSaidSo(String pattern) {
        try (Client client = Client.open(broker, "malformed")) {
            client.raw(pattern).expectDisconnect(Reason.MALFORMED_PACKET);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "20 [ 00 00 [] ]",
                "90 [ 0001 [] 00 ]",
                "b0 [ 0001 [] 00 ]",
                "d0 []",
                "00 []",
                "82 [ 0001 [] ]",
                "a2 [ 0001 [] ]",
                "82 [ 0001 [ 0b 00 ] `a` 00 ]",
                "82 [ 0001 [] `$share/g/a` 04 ]",
                "30 [ `` [] ]",
                "30 [ `` [ 23 0001 ] ]",
                "30 [ `a` [ 0b 01 ] ]",
                "30 [ `a` [ 01 02 ] ]",
                "30 [ `a` [ 01 00 01 00 ] ]",
                "30 [ `a` [ 08 `b/+` ] ]",
                "40 [ 0001 01 ]",
                "e0 [ 8e ]"
            })
    void whatIsAgainstTheProtocolIsSaidSo(String pattern) {
        try (Client client = Client.open(broker, "error")) {
            client.raw(pattern).expectDisconnect(Reason.PROTOCOL_ERROR);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"30 [ `a/+` ]", "30 [ `` ]", "f0 []", "e0 [ 00 ]", "82 [ 0001 `a` 04 ]", "40 [ 0001 00 ]"})
    void beforeMqtt5TheConnectionJustEnds(String pattern) {
        try (Client client = Client.open(broker, connect().level(4).id("wrong-4"))) {
            client.raw(pattern).expectEnd();
        }
    }

    // 4.12
    @Test
    void aMethodThatIsNotOfferedIsRefused() {
        try (Client client = Client.silent(broker)) {
            assertThat(client.send(connect().id("method").properties("15 `MAGIC`"))
                            .code())
                    .isEqualTo(Reason.BAD_AUTHENTICATION_METHOD);
            client.expectEnd();
        }
    }

    @Test
    void aLoginWithoutAMethodIsNotDoneAgain() {
        try (Client client = Client.open(broker, "again")) {
            client.raw("f0 [ 19 [ 15 `PLAIN` ] ]").expectDisconnect(Reason.BAD_AUTHENTICATION_METHOD);
        }
    }
}
