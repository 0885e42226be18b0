package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.spi.message.Bytes;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Direct reply-to, which RabbitMQ adds. */
class DirectReplyToTest {
    private static final String PSEUDO = "amq.rabbitmq.reply-to";

    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()));

    private Client client;

    @BeforeEach
    void connect() {
        client = Client.withChannel(broker);
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private static Method.BasicConsume consume(boolean noAck) {
        return new Method.BasicConsume(PSEUDO, "replies", false, noAck, false, false, FieldTable.EMPTY);
    }

    private String request(String queue) {
        client.publish(1, "", queue, false, new Props().replyTo(PSEUDO).correlationId("1"), new byte[] {1});
        Client.Content<Method.BasicGetOk> request = client.get(1, queue, true);
        assertThat(request.property("correlation-id")).isEqualTo("1");
        return String.valueOf(request.property("reply-to"));
    }

    @Test
    void answersComeBackOnTheSameChannel() {
        client.declareOwn(1, "requests");
        client.send(1, consume(true));
        client.expect(1, Method.BasicConsumeOk.class);
        String address = request("requests");
        assertThat(address).startsWith(PSEUDO + ".").hasSize(PSEUDO.length() + 1 + 22);
        try (Client server = Client.withChannel(broker)) {
            server.publish(1, "", address, true, new Props().correlationId("1"), new byte[] {2});
            Client.Content<Method.BasicDeliver> answer = client.expectDelivery(1);
            assertThat(answer.method().consumerTag()).isEqualTo("replies");
            assertThat(answer.method().routingKey().toUtf8()).isEqualTo(address);
            assertThat(answer.property("correlation-id")).isEqualTo("1");
            assertThat(answer.body()).containsExactly(2);
            server.expectNothingElse(1);
        }
    }

    @Test
    void anAddressTellsWhetherSomebodyWaitsThere() {
        client.declareOwn(1, "asked");
        client.send(1, consume(true));
        client.expect(1, Method.BasicConsumeOk.class);
        String address = request("asked");
        try (Client server = Client.withChannel(broker)) {
            server.send(1, Client.queueDeclare(address, true, false, false, false));
            assertThat(server.expect(1, Method.QueueDeclareOk.class))
                    .isEqualTo(new Method.QueueDeclareOk(address, 0, 1));
            client.send(1, new Method.BasicCancel("replies", false));
            client.expect(1, Method.BasicCancelOk.class);
            server.eventually(() -> {
                server.send(1, Client.queueDeclare(address, true, false, false, false));
                if (server.nextMethod(1) instanceof Method.ChannelClose close) {
                    assertThat(close.replyCode()).isEqualTo(404);
                    server.send(1, new Method.ChannelCloseOk());
                    return true;
                }
                return false;
            });
            server.openChannel(1).publish(1, "", address, true, new Props(), new byte[] {2});
            server.expectContent(1, Method.BasicReturn.class);
        }
    }

    @Test
    void theConsumerGoesWithItsChannel() {
        client.declareOwn(1, "left").queue();
        client.openChannel(2).send(2, consume(true));
        client.expect(2, Method.BasicConsumeOk.class);
        client.publish(2, "", "left", false, new Props().replyTo(PSEUDO), new byte[] {1});
        String address = String.valueOf(client.getEventually(1, "left").property("reply-to"));
        client.send(2, new Method.ChannelClose(200, "bye", 0, 0));
        client.expect(2, Method.ChannelCloseOk.class);
        client.eventually(() -> {
            client.send(1, Client.queueDeclare(address, true, false, false, false));
            if (client.nextMethod(1) instanceof Method.ChannelClose close) {
                client.send(1, new Method.ChannelCloseOk());
                return close.replyCode() == 404;
            }
            return false;
        });
    }

    @Test
    void thePseudoQueueIsAlwaysThere() {
        client.send(1, Client.queueDeclare(PSEUDO, true, false, false, false));
        assertThat(client.expect(1, Method.QueueDeclareOk.class)).isEqualTo(new Method.QueueDeclareOk(PSEUDO, 0, 1));
    }

    @Test
    void repliesAreNotAcknowledged() {
        client.send(1, consume(false));
        client.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - reply consumer cannot acknowledge", Methods.BASIC_CONSUME);
    }

    @Test
    void aChannelHasOneReplyConsumer() {
        client.send(1, consume(true));
        client.expect(1, Method.BasicConsumeOk.class);
        client.send(1, new Method.BasicConsume(PSEUDO, "more", false, true, false, false, FieldTable.EMPTY));
        client.expectChannelClose(1, 406, "PRECONDITION_FAILED - reply consumer already set", Methods.BASIC_CONSUME);
    }

    @Test
    void aRequestNeedsTheConsumer() {
        client.publish(1, "", "q", false, new Props().replyTo(PSEUDO), new byte[] {1});
        client.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - fast reply consumer does not exist", Methods.BASIC_PUBLISH);
    }

    @Test
    void anAddressIsNotBound() {
        client.send(1, new Method.QueueBind(PSEUDO + ".x", "amq.direct", Bytes.utf8("k"), false, FieldTable.EMPTY));
        client.expectChannelClose(
                1,
                403,
                "ACCESS_REFUSED - cannot bind or unbind to a volatile (direct reply-to) queue",
                Methods.QUEUE_BIND);
    }
}
