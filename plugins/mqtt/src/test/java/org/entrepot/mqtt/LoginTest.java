package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.topology.DefinedArguments;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is let in, where to, and what they may do (specification 3.1.4, 4.12, 5.4). */
@Timeout(60)
class LoginTest {
    private static final String DEFINITIONS = """
            {
              "users": [
                {"name": "app", "password": "secret", "tags": []},
                {"name": "reader", "password": "secret", "tags": []},
                {"name": "writer", "password": "secret", "tags": []},
                {"name": "bare", "password": "secret", "tags": []}
              ],
              "vhosts": [{"name": "/"}, {"name": "shop"}, {"name": "a:b"}],
              "permissions": [
                {"user": "app", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
                {"user": "app", "vhost": "shop", "configure": ".*", "write": ".*", "read": ".*"},
                {"user": "app", "vhost": "a:b", "configure": ".*", "write": ".*", "read": ".*"},
                {"user": "reader", "vhost": "/", "configure": ".*", "write": "^mqtt", "read": ".*"},
                {"user": "writer", "vhost": "/", "configure": "", "write": "^amq\\\\.topic$", "read": ""},
                {"user": "bare", "vhost": "/", "configure": "", "write": "", "read": ""}
              ],
              "topic_permissions": [
                {"user": "app", "vhost": "/", "exchange": "amq.topic",
                 "write": "^(open|{client_id})\\\\.", "read": "^(open|{client_id})\\\\."}
              ]
            }
            """;

    /** Definitions are read in AMQP's words, which this module does not have; there are none in these. */
    private static final DefinedArguments NO_WORDS = new DefinedArguments() {
        @Override
        public QueueSpec queue(
                String virtualHost,
                Optional<String> defaultType,
                String name,
                boolean durable,
                boolean autoDelete,
                boolean exclusive,
                Map<String, Object> arguments) {
            return QueueSpec.plain(name, durable, exclusive, autoDelete);
        }

        @Override
        public ExchangeSpec exchange(
                String virtualHost,
                String name,
                String type,
                boolean durable,
                boolean autoDelete,
                boolean internal,
                Map<String, Object> arguments) {
            return ExchangeSpec.plain(name, type, durable);
        }
    };

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("definitions.json");
        Files.writeString(file, DEFINITIONS);
        broker = EmbeddedBroker.with("mqtt", new MqttPlugin())
                .plugin("words", new BrokerPlugin() {
                    @Override
                    public Optional<DefinedArguments> definedArguments() {
                        return Optional.of(NO_WORDS);
                    }
                })
                .set("definitions.file=" + file)
                .start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static Client silent() {
        return Client.silent(broker.port("mqtt"));
    }

    private static Client open(String id, String user, String password) {
        Client client = silent();
        assertThat(client.send(Client.connect().id(id).user(user, password)).code())
                .isZero();
        return client;
    }

    private static int code(Client.Connect connect) {
        try (Client client = silent()) {
            int code = client.send(connect).code();
            if (code != 0) {
                client.expectEnd();
            }
            return code;
        }
    }

    @Test
    void aPasswordIsNeededAndRight() {
        assertThat(code(Client.connect().id("c").user("app", "secret"))).isZero();
        assertThat(code(Client.connect().id("c").user("app", "wrong"))).isEqualTo(Reason.BAD_USER_NAME_OR_PASSWORD);
        assertThat(code(Client.connect().id("c").user("app", ""))).isEqualTo(Reason.BAD_USER_NAME_OR_PASSWORD);
        assertThat(code(Client.connect().id("c").user("app", null))).isEqualTo(Reason.BAD_USER_NAME_OR_PASSWORD);
        assertThat(code(Client.connect().id("c").user("stranger", "secret")))
                .isEqualTo(Reason.BAD_USER_NAME_OR_PASSWORD);
        assertThat(code(Client.connect().id("c").user("", ""))).isEqualTo(Reason.BAD_USER_NAME_OR_PASSWORD);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4})
    void olderVersionsHaveTheirOwnCodes(int level) {
        assertThat(code(Client.connect().level(level).id("c").user("app", "secret")))
                .isZero();
        assertThat(code(Client.connect().level(level).id("c").user("app", "wrong")))
                .isEqualTo(4);
        assertThat(code(Client.connect().level(level).id("c"))).isEqualTo(5);
        assertThat(code(Client.connect().level(level).id("c").user("nowhere:app", "secret")))
                .isEqualTo(5);
    }

    @Test
    void whoNamesNobodyIsRefusedUnlessThatIsAllowed() {
        assertThat(code(Client.connect().id("c"))).isEqualTo(Reason.NOT_AUTHORIZED);
        try (EmbeddedBroker open = EmbeddedBroker.with("mqtt", new MqttPlugin())
                        .set("mqtt.anonymous=true")
                        .start();
                Client client = Client.silent(open.port("mqtt"));
                Client guest = Client.silent(open.port("mqtt"));
                Client wrong = Client.silent(open.port("mqtt"))) {
            assertThat(client.send(Client.connect().id("c")).code()).isZero();
            assertThat(guest.send(Client.connect().id("g").user("guest", "guest"))
                            .code())
                    .isZero();
            assertThat(wrong.send(Client.connect().id("w").user("guest", "wrong"))
                            .code())
                    .isEqualTo(Reason.BAD_USER_NAME_OR_PASSWORD);
        }
    }

    @Test
    void aRefusalHasNoWordAboutWhy() {
        try (Client client = silent()) {
            Client.Connack refusal = client.send(Client.connect().id("c").user("app", "wrong"));
            assertThat(refusal.sessionPresent()).isFalse();
            assertThat(refusal.properties()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"shop:app, 0", "/:app, 0", "a:b:app, 0", "nowhere:app, 135", ":app, 135", "shop:stranger, 134"})
    void aUserNameMayBeginWithAVirtualHost(String user, int code) {
        assertThat(code(Client.connect().id("vhost").user(user, "secret"))).isEqualTo(code);
    }

    @Test
    void whoMayNotEnterAVirtualHostIsRefused() {
        assertThat(code(Client.connect().id("c").user("shop:reader", "secret"))).isEqualTo(Reason.NOT_AUTHORIZED);
    }

    @Test
    void virtualHostsHaveTheirOwnTopicsAndSessions() {
        try (Client here = open("same", "app", "secret");
                Client there = open("same", "shop:app", "secret")) {
            here.subscribe("open/a", 1);
            there.subscribe("open/a", 1);
            here.publish("open/a", "here");
            there.publish("open/a", "there");
            here.expectDelivery("here");
            there.expectDelivery("there");
            here.ping();
        }
    }

    @Test
    void aTopicThatMayNotBePublishedToIsRefused() {
        try (Client client = open("own", "app", "secret")) {
            assertThat(client.publishAnswered("open/x", "x")).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
            assertThat(client.publishAnswered("own/x", "x")).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
            assertThat(client.publishAnswered("other/x", "x")).isEqualTo(Reason.NOT_AUTHORIZED);
            assertThat(client.publishAnswered(0x33, "other/x", "", "x")).isEqualTo(Reason.NOT_AUTHORIZED);
            client.publish(0x34, "other/x", 9, "", "x");
            assertThat(client.expectAnswer(Packets.PUBREC, 9)).isEqualTo(Reason.NOT_AUTHORIZED);
            // A PUBREC that says no ends it: the identifier is free again.
            client.publish(0x34, "open/x", 9, "", "x");
            assertThat(client.expectAnswer(Packets.PUBREC, 9)).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
            client.publish("other/x", "x").expectDisconnect(Reason.NOT_AUTHORIZED);
        }
    }

    @Test
    void refusalsOfASessionThatLastsAreTheSame() {
        try (Client client = silent()) {
            client.send(Client.connect().id("lasts").user("app", "secret").lasting(600));
            for (int i = 0; i < 3; i++) {
                client.publish(0x34, "other/x", 9, "", "x");
                assertThat(client.expectAnswer(Packets.PUBREC, 9)).isEqualTo(Reason.NOT_AUTHORIZED);
            }
            client.publish(0x34, "open/x", 9, "", "x");
            assertThat(client.expectAnswer(Packets.PUBREC, 9)).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
            client.publish(0x34, "lasts/x", 10, "", "x");
            assertThat(client.expectAnswer(Packets.PUBREC, 10)).isEqualTo(Reason.NO_MATCHING_SUBSCRIBERS);
        }
    }

    @Test
    void beforeMqtt5ARefusedPublishEndsTheConnection() {
        for (int qos = 0; qos <= 2; qos++) {
            try (Client client = silent()) {
                client.send(Client.connect().level(4).id("own").user("app", "secret"));
                client.publish(0x30 | qos << 1, "other/x", 9, "", "x").expectEnd();
            }
        }
    }

    @Test
    void aTopicThatMayNotBeReadIsRefused() {
        try (Client client = open("own", "app", "secret")) {
            client.raw("82 [ 0007 [] `other/x` 01 `open/+` 01 `own/#` 00 `#` 02 ]");
            assertThat(client.expectSuback(7)).containsExactly(0x87, 1, 0, 0x87);
        }
        try (Client client = silent()) {
            client.send(Client.connect().level(4).id("own").user("app", "secret"));
            client.raw("82 [ 0007 `other/x` 01 `open/+` 01 ]");
            assertThat(client.expectSuback(7)).containsExactly(0x80, 1);
        }
    }

    @Test
    void whoMayNotWriteToTheExchangeMayOnlyListen() {
        try (Client reader = open("reader", "reader", "secret");
                Client publisher = open("publisher", "app", "secret")) {
            assertThat(reader.subscribe("open/listen", 1)).isEqualTo(1);
            publisher.publish("open/listen", "heard");
            reader.expectDelivery("heard");
            assertThat(reader.publishAnswered("open/listen", "x")).isEqualTo(Reason.NOT_AUTHORIZED);
        }
    }

    @Test
    void whoMayNothingIsToldSo() {
        try (Client client = open("bare", "bare", "secret")) {
            assertThat(client.subscribe("a", 0)).isEqualTo(Reason.NOT_AUTHORIZED);
            assertThat(client.subscribe("$share/g/a", 0)).isEqualTo(Reason.NOT_AUTHORIZED);
            assertThat(client.publishAnswered("a", "x")).isEqualTo(Reason.NOT_AUTHORIZED);
            client.ping();
        }
        assertThat(code(Client.connect().id("bare").user("bare", "secret").lasting(600)))
                .isEqualTo(Reason.NOT_AUTHORIZED);
        assertThat(code(Client.connect()
                        .level(4)
                        .id("bare")
                        .user("bare", "secret")
                        .lasting(600)))
                .isEqualTo(5);
    }

    @Test
    void whoMayOnlyWriteToTheExchangeMayPublish() {
        try (Client writer = open("writer", "writer", "secret");
                Client subscriber = open("subscriber", "app", "secret")) {
            subscriber.subscribe("open/writer", 1);
            assertThat(writer.publishAnswered("open/writer", "heard")).isZero();
            subscriber.expectDelivery("heard");
            assertThat(writer.subscribe("open/writer", 1)).isEqualTo(Reason.NOT_AUTHORIZED);
        }
    }

    @Test
    void aWillThatMayNotBePublishedIsNot() {
        try (Client watcher = open("watcher", "shop:app", "secret");
                Client here = open("here", "reader", "secret")) {
            here.subscribe("other/#", 1);
            here.subscribe("open/#", 1);
            try (Client client = silent()) {
                client.send(Client.connect()
                        .id("wills")
                        .user("app", "secret")
                        .will("other/will", "forbidden", 1, false, ""));
            }
            try (Client client = silent()) {
                client.send(Client.connect().id("wills").user("app", "secret").will("open/will", "bye", 1, false, ""));
            }
            here.expectDelivery("bye");
            watcher.ping();
        }
    }

    // 4.12
    @Test
    void aMethodThatTheBrokerHasLogsIn() {
        try (Client client = silent()) {
            Client.Connack connack =
                    client.send(Client.connect().id("plain").properties("15 `PLAIN` 16 000b 00 'app' 00 'secret'"));
            assertThat(connack.code()).isZero();
            assertThat(connack.property(0x15)).isEqualTo("PLAIN");
        }
        assertThat(code(Client.connect().id("plain").properties("15 `PLAIN` 16 000a 00 'app' 00 'wrong'")))
                .isEqualTo(Reason.NOT_AUTHORIZED);
    }

    @Test
    void aChallengeMustBeAnsweredByItsMethod() {
        for (String answer : new String[] {
            "f0 [ 18 [ 15 `PLAIN` 16 0001 00 ] ]",
            "f0 [ 18 [] ]",
            "f0 [ 19 [ 15 `SCRAM-SHA-256` ] ]",
            "c0 []",
            "30 [ `a` [] ]"
        }) {
            try (Client client = silent()) {
                client.raw(Client.connect()
                        .id("scram")
                        .properties("15 `SCRAM-SHA-256` 16 `n,,n=app,r=nonce`")
                        .bytes());
                assertThat(client.expect(Packets.AUTH).rest()[0]).isEqualTo((byte) Reason.CONTINUE_AUTHENTICATION);
                client.raw(answer);
                assertThat(client.expectConnack().code()).isEqualTo(Reason.PROTOCOL_ERROR);
                client.expectEnd();
            }
        }
    }
}
