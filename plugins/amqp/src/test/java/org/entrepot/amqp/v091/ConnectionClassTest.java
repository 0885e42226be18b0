package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.spi.message.Bytes;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Class connection (specification 1.4), and how a connection begins and ends (2.2.4). */
class ConnectionClassTest {
    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()).set("amqp.refusal-delay=500 ms"));

    private static byte[] header(int... version) {
        return new byte[] {
            'A', 'M', 'Q', 'P', (byte) version[0], (byte) version[1], (byte) version[2], (byte) version[3]
        };
    }

    // 4.2.2 protocol header

    @Test
    void bothHeadersOf09AreServed() {
        for (byte[] header : List.of(header(0, 0, 9, 1), header(1, 1, 0, 9))) {
            try (Client client = Client.silent(broker)) {
                client.raw(header);
                Method.ConnectionStart start = client.expect(0, Method.ConnectionStart.class);
                assertThat(start.versionMajor()).isZero();
                assertThat(start.versionMinor()).isEqualTo(9);
            }
        }
    }

    @Test
    void aHeaderMayComeByteByByte() {
        try (Client client = Client.silent(broker)) {
            for (byte one : Client.PROTOCOL_HEADER) {
                client.raw(new byte[] {one});
            }
            client.expect(0, Method.ConnectionStart.class);
        }
    }

    @Test
    void otherVersionsAreToldWhichOneIsServed() {
        for (byte[] header : List.of(
                header(0, 0, 8, 0), header(0, 1, 0, 0), header(3, 1, 0, 0), header(0, 0, 9, 0), header(9, 9, 9, 9))) {
            try (Client client = Client.silent(broker)) {
                client.raw(header);
                assertThat(client.read(8)).isEqualTo(Client.PROTOCOL_HEADER);
                client.expectEnd();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "SSH-2.0-OpenSSH_9.0\r\n", "AMQX\0\0\u0009\u0001"})
    void strangersAreToldWhatIsSpokenHere(String said) {
        try (Client client = Client.silent(broker)) {
            client.raw(said.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
            assertThat(client.read(8)).isEqualTo(Client.PROTOCOL_HEADER);
            client.expectEnd();
        }
    }

    // 1.4.2.1 start

    @Test
    void startSaysWhatRabbitMqSaysAndWhoItReallyIs() {
        try (Client client = Client.silent(broker)) {
            client.raw(Client.PROTOCOL_HEADER);
            Method.ConnectionStart start = client.expect(0, Method.ConnectionStart.class);
            Map<String, Object> properties = start.serverProperties().values();
            assertThat(properties)
                    .containsEntry("product", "RabbitMQ")
                    .containsEntry("version", "4.3.0")
                    .containsEntry("cluster_name", "entrepot")
                    .containsEntry("entrepot_product", "Entrepot")
                    .containsEntry("entrepot_version", "0.1.0")
                    .containsKeys("copyright", "information", "platform");
            assertThat(properties.get("capabilities"))
                    .isEqualTo(Map.of(
                            "publisher_confirms", true,
                            "exchange_exchange_bindings", true,
                            "basic.nack", true,
                            "consumer_cancel_notify", true,
                            "connection.blocked", true,
                            "consumer_priorities", true,
                            "authentication_failure_close", true,
                            "per_consumer_qos", true,
                            "direct_reply_to", true));
            assertThat(start.mechanisms().toUtf8()).isEqualTo("PLAIN AMQPLAIN SCRAM-SHA-256");
            assertThat(start.locales().toUtf8()).isEqualTo("en_US");
        }
    }

    // 1.4.2.2 start-ok

    @Test
    void amqplainLogsInAsPlainDoes() {
        try (Client client = Client.silent(broker).greet()) {
            FieldTable login = FieldTable.of(Map.of("LOGIN", "guest", "PASSWORD", "guest"));
            io.netty.buffer.ByteBuf table = io.netty.buffer.Unpooled.buffer();
            login.writeTo(table);
            table.skipBytes(4);
            client.send(0, Client.startOk("AMQPLAIN", Bytes.wrap(Client.array(table)), FieldTable.EMPTY));
            client.tuneAndOpen("/");
        }
    }

    @Test
    void aRefusedLoginIsSaidToThoseWhoCanHearIt() {
        try (Client client = Client.silent(broker).greet()) {
            client.send(0, Client.startOk("PLAIN", Client.plain("guest", "wrong"), Client.allCapabilities()));
            Method.ConnectionClose close = client.expect(0, Method.ConnectionClose.class);
            assertThat(close.replyCode()).isEqualTo(403);
            assertThat(close.replyText())
                    .isEqualTo(
                            "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN. For details see"
                                    + " the broker logfile.");
            client.expectEnd();
        }
    }

    @Test
    void aRefusedLoginIsSilenceForOthersAndTakesItsTime() {
        try (Client client = Client.silent(broker).greet()) {
            client.send(0, Client.startOk("PLAIN", Client.plain("guest", "wrong"), FieldTable.EMPTY));
            assertThat(Client.millisUntil(client::expectEnd)).isGreaterThanOrEqualTo(450);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CRAM-MD5", "", "EXTERNAL"})
    void anUnknownMechanismIsSilence(String mechanism) {
        try (Client client = Client.silent(broker).greet()) {
            client.send(0, Client.startOk(mechanism, Client.plain("guest", "guest"), Client.allCapabilities()));
            assertThat(Client.millisUntil(client::expectEnd)).isGreaterThanOrEqualTo(450);
        }
    }

    @Test
    void anUnexpectedMethodDuringTheLoginIsSilence() {
        try (Client client = Client.silent(broker).greet()) {
            client.send(0, new Method.ConnectionOpen("/"));
            client.expectEnd();
        }
        try (Client client = Client.silent(broker).greet()) {
            client.send(1, new Method.ChannelOpen());
            client.expectEnd();
        }
    }

    @Test
    void aFrameOverTheInitialLimitIsSilence() {
        try (Client client = Client.silent(broker).greet()) {
            client.send(
                    0,
                    Client.startOk(
                            "PLAIN", Client.plain("guest", "guest"), FieldTable.of(Map.of("long", "x".repeat(9_000)))));
            client.expectEnd();
        }
    }

    // 1.4.2.5 tune, 1.4.2.6 tune-ok

    @Test
    void tuneProposesRabbitMqsLimits() {
        try (Client client = Client.silent(broker).greet()) {
            client.send(0, Client.startOk("PLAIN", Client.plain("guest", "guest"), FieldTable.EMPTY));
            assertThat(client.expect(0, Method.ConnectionTune.class))
                    .isEqualTo(new Method.ConnectionTune(2047, 131_072, 60));
        }
    }

    private static Client tuned(int channelMax, long frameMax) {
        Client client = Client.silent(broker).greet();
        client.send(0, Client.startOk("PLAIN", Client.plain("guest", "guest"), FieldTable.EMPTY));
        client.expect(0, Method.ConnectionTune.class);
        return client.send(0, new Method.ConnectionTuneOk(channelMax, frameMax, 0));
    }

    @Test
    void tuneOkMustStayWithinTheLimits() {
        tuned(2048, 131_072)
                .expectConnectionClose(
                        530,
                        "NOT_ALLOWED - negotiated channel_max = 2048 is higher than the maximum allowed value (2047)",
                        Methods.CONNECTION_TUNE);
        tuned(0, 131_072)
                .expectConnectionClose(
                        530,
                        "NOT_ALLOWED - negotiated channel_max = 0 (no limit) is higher than the maximum allowed value"
                                + " (2047)",
                        Methods.CONNECTION_TUNE);
        tuned(10, 131_073)
                .expectConnectionClose(
                        530,
                        "NOT_ALLOWED - negotiated frame_max = 131073 is higher than the maximum allowed value (131072)",
                        Methods.CONNECTION_TUNE);
        tuned(10, 0)
                .expectConnectionClose(
                        530,
                        "NOT_ALLOWED - negotiated frame_max = 0 is higher than the maximum allowed value (131072)",
                        Methods.CONNECTION_TUNE);
        tuned(10, 4095)
                .expectConnectionClose(
                        530,
                        "NOT_ALLOWED - negotiated frame_max = 4095 is lower than the minimum allowed value (4096)",
                        Methods.CONNECTION_TUNE);
    }

    @Test
    void theSmallestFrameSizeOfTheSpecificationIsServed() {
        try (Client client = tuned(10, 4096)) {
            client.frameMax = 4096;
            client.send(0, new Method.ConnectionOpen("/"));
            client.expect(0, Method.ConnectionOpenOk.class);
            client.openChannel(1);
            client.declareOwn(1, "small-frames");
            byte[] body = new byte[10_000];
            client.publish(1, "", "small-frames", false, new Props(), body);
            assertThat(client.get(1, "small-frames", true).body()).isEqualTo(body);
        }
    }

    // 1.4.2.7 open

    @Test
    void aVirtualHostThatIsNotThereIsNotAllowed() {
        tuned(10, 131_072)
                .send(0, new Method.ConnectionOpen("nope"))
                .expectConnectionClose(530, "NOT_ALLOWED - vhost nope not found", Methods.CONNECTION_OPEN);
    }

    // 2.2.4

    @Test
    void aWholeHandshakeInOneSegmentIsAnsweredInOrder() {
        try (Client client = Client.silent(broker)) {
            io.netty.buffer.ByteBuf all = io.netty.buffer.Unpooled.buffer();
            all.writeBytes(Client.PROTOCOL_HEADER);
            all.writeBytes(
                    Client.bytes(0, Client.startOk("PLAIN", Client.plain("guest", "guest"), Client.allCapabilities())));
            all.writeBytes(Client.bytes(0, new Method.ConnectionTuneOk(10, 131_072, 0)));
            all.writeBytes(Client.bytes(0, new Method.ConnectionOpen("/")));
            all.writeBytes(Client.bytes(1, new Method.ChannelOpen()));
            all.writeBytes(Client.bytes(1, Client.queueDeclare("pipelined", false, false, true, false)));
            client.raw(Client.array(all));
            client.expect(0, Method.ConnectionStart.class);
            client.expect(0, Method.ConnectionTune.class);
            client.expect(0, Method.ConnectionOpenOk.class);
            client.expect(1, Method.ChannelOpenOk.class);
            client.expect(1, Method.QueueDeclareOk.class);
        }
    }

    // 1.4.2.9 close

    @Test
    void aCloseIsAnsweredAfterExclusiveQueuesAreGone() {
        try (Client client = Client.withChannel(broker);
                Client other = Client.withChannel(broker)) {
            client.declareOwn(1, "of-the-leaving");
            client.send(0, new Method.ConnectionClose(200, "bye", 0, 0));
            client.expect(0, Method.ConnectionCloseOk.class);
            other.send(1, Client.queueDeclare("of-the-leaving", true, false, false, false));
            other.expectChannelClose(
                    1, 404, "NOT_FOUND - no queue 'of-the-leaving' in vhost '/'", Methods.QUEUE_DECLARE);
            client.hangUp();
        }
    }

    @Test
    void whatFollowsACloseIsIgnored() {
        try (Client client = Client.withChannel(broker)) {
            io.netty.buffer.ByteBuf both = io.netty.buffer.Unpooled.buffer();
            both.writeBytes(Client.bytes(0, new Method.ConnectionClose(200, "bye", 0, 0)));
            both.writeBytes(Client.bytes(1, Client.queueDeclare("late", false, false, false, false)));
            client.raw(Client.array(both));
            client.expect(0, Method.ConnectionCloseOk.class);
            client.hangUp();
        }
    }

    @Test
    void whatWasAskedBeforeACloseIsDoneAndAnswered() {
        try (Client client = Client.withChannel(broker).openChannel(2);
                Client other = Client.withChannel(broker)) {
            io.netty.buffer.ByteBuf all = io.netty.buffer.Unpooled.buffer();
            for (int channel = 1; channel <= 2; channel++) {
                String queue = "parting-gift-" + channel;
                all.writeBytes(Client.bytes(channel, Client.queueDeclare(queue, false, false, false, false)));
                all.writeBytes(Client.publishBytes(channel, "", queue, "gift"));
                all.writeBytes(Client.bytes(
                        channel, new Method.QueueBind(queue, "amq.fanout", Bytes.utf8(""), false, FieldTable.EMPTY)));
            }
            all.writeBytes(Client.bytes(0, new Method.ConnectionClose(200, "bye", 0, 0)));
            client.raw(Client.array(all));
            List<String> said = new java.util.ArrayList<>();
            while (!said.contains("0 ConnectionCloseOk")) {
                Client.Frame frame = client.next();
                said.add(frame.channel + " " + Client.method(frame).getClass().getSimpleName());
            }
            assertThat(said)
                    .containsExactlyInAnyOrder(
                            "1 QueueDeclareOk",
                            "1 QueueBindOk",
                            "2 QueueDeclareOk",
                            "2 QueueBindOk",
                            "0 ConnectionCloseOk");
            assertThat(other.get(1, "parting-gift-1", true).text()).isEqualTo("gift");
            assertThat(other.get(1, "parting-gift-2", true).text()).isEqualTo("gift");
        }
    }

    @Test
    void aCloseIsAnsweredAfterThatOfAChannelThatFailed() {
        try (Client client = Client.withChannel(broker)) {
            io.netty.buffer.ByteBuf all = io.netty.buffer.Unpooled.buffer();
            all.writeBytes(Client.bytes(1, Client.queueDeclare("parting-question", false, false, false, false)));
            all.writeBytes(Client.bytes(1, Client.queueDeclare("not-there", true, false, false, false)));
            all.writeBytes(Client.bytes(1, Client.queueDeclare("never-made", false, false, false, false)));
            all.writeBytes(Client.bytes(0, new Method.ConnectionClose(200, "bye", 0, 0)));
            client.raw(Client.array(all));
            client.expect(1, Method.QueueDeclareOk.class);
            assertThat(client.expect(1, Method.ChannelClose.class).replyCode()).isEqualTo(404);
            client.expect(0, Method.ConnectionCloseOk.class);
            client.hangUp();
        }
    }

    @Test
    void aCloseIsAnsweredThoughTheClientGoesOnSending() {
        try (Client client = Client.withChannel(broker)) {
            client.send(0, new Method.ConnectionClose(200, "bye", 0, 0));
            // More than sockets buffer, so the broker must be reading.
            byte[] publish = Client.publishBytes(1, "", "late", "x".repeat(100_000));
            for (int count = 0; count < 200; count++) {
                client.raw(publish);
            }
            client.expect(0, Method.ConnectionCloseOk.class);
            client.hangUp();
        }
    }

    @Test
    void closesMayCross() {
        try (Client client = Client.withChannel(broker)) {
            io.netty.buffer.ByteBuf both = io.netty.buffer.Unpooled.buffer();
            both.writeBytes(Client.bytes(9, new Method.BasicQos(0, 1, false)));
            both.writeBytes(Client.bytes(0, new Method.ConnectionClose(200, "bye", 0, 0)));
            client.raw(Client.array(both));
            // The close-ok to the client's close and the server's own close come in either order.
            List<Method> said = List.of(client.nextMethod(0), client.nextMethod(0));
            assertThat(said).hasAtLeastOneElementOfType(Method.ConnectionClose.class);
            assertThat(said).hasAtLeastOneElementOfType(Method.ConnectionCloseOk.class);
            client.send(0, new Method.ConnectionCloseOk());
            client.expectEnd();
        }
    }

    @Test
    void methodsThatAreNotOfThisStateAreChannelErrors() {
        for (Method method : List.of(
                new Method.ConnectionOpen("/"),
                new Method.ConnectionTuneOk(1, 4096, 0),
                new Method.ConnectionCloseOk(),
                new Method.ChannelOpen())) {
            Client.open(broker)
                    .send(0, method)
                    .expectConnectionClose(
                            504, "CHANNEL_ERROR - unexpected method in connection state running", method.number());
        }
    }

    // RabbitMQ's update-secret (10.70)

    @Test
    void aSecretMayBeUpdated() {
        try (Client client = Client.withChannel(broker)) {
            client.send(0, new Method.ConnectionUpdateSecret(Bytes.utf8("newer"), "token expires"));
            client.expect(0, Method.ConnectionUpdateSecretOk.class);
            client.expectNothingElse(1);
        }
    }
}
