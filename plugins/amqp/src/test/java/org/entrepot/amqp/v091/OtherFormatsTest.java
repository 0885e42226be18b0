package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.intercept.PublishInterceptor;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Messages of other protocols, as AMQP's clients get them. What is published is exchanged on its way for a message of
 * another format, which queues and consumers are then about.
 */
class OtherFormatsTest {
    private static final Map<String, Object> HEADERS = Map.of("user", "property", "x-death", "not one");
    private static final Map<String, Object> PROPERTIES = Map.of(
            "content-type", "text/plain",
            "correlation-id", Bytes.wrap(new byte[] {-1, -2}),
            "reply-to-topic", "answers/1");

    /** Two levels, of which the second has a dot. */
    private static final RoutingKey KEY = RoutingKey.join(List.of("room", "lamp.left"));

    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin()).plugin("other", new OtherFormat()));

    private Client client;

    /** Makes messages of another format of those that say so in their bodies. */
    private static final class OtherFormat implements BrokerPlugin {
        @Override
        public List<PublishInterceptor> publishInterceptors() {
            return List.of((principal, virtualHost, publish) -> {
                Envelope envelope = publish.envelope();
                if (!publish.message().body().equals(Bytes.utf8("other"))) {
                    return publish;
                }
                Message other = GivenFormat.message(HEADERS, PROPERTIES, Bytes.utf8("from elsewhere"));
                return new PublishInterceptor.Publish(other, envelope);
            });
        }
    }

    @BeforeEach
    void connect() {
        client = Client.withChannel(broker);
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private void bind(String queue) {
        client.send(1, new Method.QueueBind(queue, "amq.topic", Bytes.utf8("room.*"), false, FieldTable.EMPTY));
        client.expect(1, Method.QueueBindOk.class);
    }

    private void publish(Props properties) {
        client.raw(Client.publishBytes(
                1,
                "amq.topic",
                KEY.bytes(),
                false,
                properties,
                "other".getBytes(StandardCharsets.UTF_8),
                client.frameMax));
    }

    private static void assertConverted(Client.Content<?> content, Bytes key) {
        assertThat(key).isEqualTo(Bytes.utf8("room.lamp.left"));
        assertThat(content.text()).isEqualTo("from elsewhere");
        assertThat(content.property("content-type")).isEqualTo("text/plain");
        assertThat(content.headers())
                .contains(
                        entry("x-correlation-id", Bytes.wrap(new byte[] {-1, -2})),
                        entry("x-reply-to-topic", "answers.1"),
                        entry("user", "property"));
    }

    @Test
    void areDeliveredWithAHeaderOfAmqps() {
        client.declareOwn(1, "consumed");
        bind("consumed");
        client.consume(1, "consumed", "c", true);
        publish(new Props().deliveryMode(2).priority(3).expiration("60000"));

        Client.Content<Method.BasicDeliver> delivery = client.expectDelivery(1);

        assertConverted(delivery, delivery.method().routingKey());
        assertThat(delivery.property("delivery-mode")).isEqualTo(2L);
        assertThat(delivery.property("priority")).isEqualTo(3L);
        assertThat(delivery.property("expiration")).isEqualTo("60000");
        assertThat(delivery.headers()).containsEntry("x-death", "not one");
    }

    @Test
    void areGotWithAHeaderOfAmqps() {
        client.declareOwn(1, "got");
        bind("got");
        publish(new Props());

        Client.Content<Method.BasicGetOk> got = client.getEventually(1, "got");

        assertConverted(got, got.method().routingKey());
        assertThat(got.property("delivery-mode")).isEqualTo(1L);
        assertThat(got.property("expiration")).isNull();
        assertThat(got.property("priority")).isNull();
    }

    @Test
    void tellWhatBecameOfThem() {
        client.declareOwn(1, "dead");
        client.declareOwn(1, "dying", "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead");
        bind("dying");
        publish(new Props().expiration("0"));

        Client.Content<Method.BasicGetOk> dead = client.getEventually(1, "dead");

        assertThat(dead.text()).isEqualTo("from elsewhere");
        assertThat(dead.property("expiration")).isNull();
        assertThat(dead.headers())
                .containsEntry("user", "property")
                .containsEntry("x-first-death-queue", "dying")
                .extractingByKey("x-death", InstanceOfAssertFactories.list(Map.class))
                .singleElement(InstanceOfAssertFactories.map(String.class, Object.class))
                .containsEntry("exchange", "amq.topic")
                .containsEntry("original-expiration", "0")
                .containsEntry("routing-keys", List.of("room.lamp.left"));
    }

    @Test
    void areCountedWhereTheirQueueCounts() {
        client.send(1, Client.queueDeclare("quorum", false, true, false, false, "x-queue-type", "quorum"));
        client.expect(1, Method.QueueDeclareOk.class);
        bind("quorum");
        publish(new Props());
        client.consume(1, "quorum", "c", false);
        client.send(1, new Method.BasicReject(client.expectDelivery(1).method().deliveryTag(), true));

        Client.Content<Method.BasicDeliver> again = client.expectDelivery(1);

        assertConverted(again, again.method().routingKey());
        assertThat(again.headers()).containsEntry("x-delivery-count", 1L);
    }

    @Test
    void stayBesideAmqpsOwn() {
        client.declareOwn(1, "both");
        bind("both");
        client.consume(1, "both", "c", true);
        client.publish(1, "amq.topic", KEY.bytes(), "own");
        publish(new Props());
        client.publish(1, "amq.topic", KEY.bytes(), "own");

        Client.Content<Method.BasicDeliver> first = client.expectDelivery(1);
        Client.Content<Method.BasicDeliver> other = client.expectDelivery(1);
        Client.Content<Method.BasicDeliver> last = client.expectDelivery(1);

        for (Client.Content<Method.BasicDeliver> own : List.of(first, last)) {
            assertThat(own.method().routingKey()).isEqualTo(KEY.bytes());
            assertThat(own.properties()).isEqualTo(Bytes.wrap(new Props().bytes()));
        }
        assertConverted(other, other.method().routingKey());
    }
}
