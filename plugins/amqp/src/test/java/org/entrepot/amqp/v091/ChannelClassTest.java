package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.spi.message.Bytes;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Class channel (specification 1.5), and what holds for all methods of a channel. */
class ChannelClassTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()));

    private static byte[] join(byte[]... parts) {
        ByteBuf out = Unpooled.buffer();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return Client.array(out);
    }

    // 1.5.2.1 open

    @Test
    void nothingIsDoneOnAChannelBeforeItIsOpen() {
        Client.open(broker)
                .send(1, new Method.BasicQos(0, 1, false))
                .expectConnectionClose(504, "CHANNEL_ERROR - expected 'channel.open'", Methods.BASIC_QOS);
    }

    @Test
    void aChannelIsOpenedOnce() {
        Client.withChannel(broker)
                .send(1, new Method.ChannelOpen())
                .expectConnectionClose(504, "CHANNEL_ERROR - second 'channel.open' seen", Methods.CHANNEL_OPEN);
    }

    @Test
    void channelsAreCountedAndNotNumbered() {
        try (Client client = Client.silent(broker).greet()) {
            client.send(0, Client.startOk("PLAIN", Client.plain("guest", "guest"), FieldTable.EMPTY));
            client.expect(0, Method.ConnectionTune.class);
            client.send(0, new Method.ConnectionTuneOk(2, 131_072, 0));
            client.send(0, new Method.ConnectionOpen("/"));
            client.expect(0, Method.ConnectionOpenOk.class);
            client.openChannel(65_535).openChannel(3);
            client.send(1, new Method.ChannelOpen());
            client.expectConnectionClose(
                    530,
                    "NOT_ALLOWED - number of channels opened (2) has reached the negotiated channel_max (2)",
                    Methods.CHANNEL_OPEN);
        }
    }

    // 1.5.2.3 flow

    @Test
    void flowMayBeOn() {
        try (Client client = Client.withChannel(broker)) {
            client.send(1, new Method.ChannelFlow(true));
            assertThat(client.expect(1, Method.ChannelFlowOk.class).active()).isTrue();
        }
    }

    @Test
    void flowCannotBeOff() {
        Client.withChannel(broker)
                .send(1, new Method.ChannelFlow(false))
                .expectConnectionClose(540, "NOT_IMPLEMENTED - active=false", Methods.CHANNEL_FLOW);
    }

    // 1.5.2.5 close, 1.5.2.6 close-ok

    @Test
    void aClosedChannelsNumberIsFree() {
        try (Client client = Client.withChannel(broker)) {
            client.send(1, new Method.ChannelClose(200, "bye", 0, 0));
            client.expect(1, Method.ChannelCloseOk.class);
            client.openChannel(1).expectNothingElse(1);
        }
    }

    @Test
    void afterAnErrorEverythingIsDroppedUntilTheClientHasAnswered() {
        try (Client client = Client.withChannel(broker)) {
            client.raw(join(
                    Client.bytes(1, Client.queueDeclare("absent", true, false, false, false)),
                    Client.bytes(1, Client.queueDeclare("dropped", false, false, true, false)),
                    Client.bytes(1, new Method.BasicQos(0, 1, false))));
            client.publish(1, "", "dropped", "nobody hears this");
            client.expectChannelClose(1, 404, "NOT_FOUND - no queue 'absent' in vhost '/'", Methods.QUEUE_DECLARE);
            client.openChannel(1);
            client.send(1, Client.queueDeclare("dropped", true, false, false, false));
            client.expectChannelClose(1, 404, "NOT_FOUND - no queue 'dropped' in vhost '/'", Methods.QUEUE_DECLARE);
        }
    }

    @Test
    void openingAChannelWhoseCloseIsNotAnsweredIsAnError() {
        try (Client client = Client.withChannel(broker)) {
            client.send(1, Client.queueDeclare("absent", true, false, false, false));
            client.expect(1, Method.ChannelClose.class);
            client.send(1, new Method.ChannelOpen());
            client.expectConnectionClose(504, "CHANNEL_ERROR - second 'channel.open' seen", Methods.CHANNEL_OPEN);
        }
    }

    @Test
    void closesMayCross() {
        try (Client client = Client.withChannel(broker)) {
            client.send(1, Client.queueDeclare("absent", true, false, false, false));
            client.expect(1, Method.ChannelClose.class);
            client.send(1, new Method.ChannelClose(200, "bye", 0, 0));
            client.expect(1, Method.ChannelCloseOk.class);
            client.send(1, new Method.ChannelCloseOk());
            client.openChannel(1).expectNothingElse(1);
        }
    }

    @Test
    void anErrorOfOneChannelIsNoneOfAnothers() {
        try (Client client = Client.withChannel(broker).openChannel(2)) {
            client.send(1, Client.queueDeclare("absent", true, false, false, false));
            client.expectChannelClose(1, 404, "NOT_FOUND - no queue 'absent' in vhost '/'", Methods.QUEUE_DECLARE);
            client.expectNothingElse(2);
        }
    }

    @Test
    void answersKeepTheOrderOfTheQuestions() {
        try (Client client = Client.withChannel(broker)) {
            ByteBuf all = Unpooled.buffer();
            for (int i = 0; i < 200; i++) {
                all.writeBytes(Client.bytes(1, Client.queueDeclare("ordered-" + i, false, false, true, false)));
                all.writeBytes(Client.bytes(1, new Method.BasicQos(0, i, false)));
                all.writeBytes(Client.bytes(
                        1,
                        new Method.QueueBind("ordered-" + i, "amq.direct", Bytes.utf8("k"), false, FieldTable.EMPTY)));
            }
            client.raw(Client.array(all));
            for (int i = 0; i < 200; i++) {
                assertThat(client.expect(1, Method.QueueDeclareOk.class).queue())
                        .isEqualTo("ordered-" + i);
                client.expect(1, Method.BasicQosOk.class);
                client.expect(1, Method.QueueBindOk.class);
            }
        }
    }

    @Test
    void publishesThatWaitForADeclarationArrive() {
        try (Client client = Client.withChannel(broker).confirms(1)) {
            ByteBuf all = Unpooled.buffer();
            all.writeBytes(Client.bytes(1, Client.queueDeclare("declared-first", false, false, true, false)));
            for (int i = 0; i < 100; i++) {
                all.writeBytes(Client.publishBytes(1, "", "declared-first", "m" + i));
            }
            all.writeBytes(Client.bytes(1, Client.queueDeclare("declared-first", true, false, false, false)));
            client.raw(Client.array(all));
            client.expect(1, Method.QueueDeclareOk.class);
            client.expectAcks(
                    1,
                    100,
                    method -> assertThat(((Method.QueueDeclareOk) method).messageCount())
                            .isEqualTo(100));
            for (int i = 0; i < 100; i++) {
                assertThat(client.get(1, "declared-first", true).text()).isEqualTo("m" + i);
            }
        }
    }

    // methods that are none

    @Test
    void whatIsNotTheClientsToSayIsAnUnimplementedMethod() {
        Client.withChannel(broker)
                .send(1, new Method.QueueDeclareOk("q", 0, 0))
                .expectConnectionClose(503, "COMMAND_INVALID - unimplemented method", Methods.QUEUE_DECLARE_OK);
        Client.withChannel(broker)
                .send(1, new Method.ConnectionOpen("/"))
                .expectConnectionClose(503, "COMMAND_INVALID - unimplemented method", Methods.CONNECTION_OPEN);
    }

    @Test
    void accessIsGrantedToWhoeverAsks() {
        try (Client client = Client.withChannel(broker)) {
            client.send(1, new Method.AccessRequest("/data", false, false, true, true, true));
            assertThat(client.expect(1, Method.AccessRequestOk.class).ticket()).isEqualTo(1);
        }
    }
}
