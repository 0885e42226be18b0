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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Class exchange (specification 1.6, RabbitMQ's exchange.bind and unbind), and the standard exchanges (3.1.3). */
class ExchangeClassTest {
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

    private static Method.ExchangeDeclare exchange(
            String name, String type, boolean passive, boolean durable, Object... arguments) {
        return new Method.ExchangeDeclare(name, type, passive, durable, false, false, false, Client.table(arguments));
    }

    private void declare(String name, String type, Object... arguments) {
        client.send(1, exchange(name, type, false, false, arguments));
        client.expect(1, Method.ExchangeDeclareOk.class);
    }

    private void bind(String queue, String exchange, String key, Object... arguments) {
        client.send(1, new Method.QueueBind(queue, exchange, Bytes.utf8(key), false, Client.table(arguments)));
        client.expect(1, Method.QueueBindOk.class);
    }

    private static Method.ExchangeBind exchangeBind(String destination, String source, String key) {
        return new Method.ExchangeBind(destination, source, Bytes.utf8(key), false, FieldTable.EMPTY);
    }

    // 1.6.2.1 declare

    @ParameterizedTest
    @ValueSource(strings = {"amq.direct", "amq.fanout", "amq.topic", "amq.headers", "amq.match", "amq.rabbitmq.trace"})
    void standardExchangesAreThere(String name) {
        client.send(1, exchange(name, "", true, false));
        client.expect(1, Method.ExchangeDeclareOk.class);
    }

    @Test
    void aDeclarationMayBeRepeatedButNotChanged() {
        declare("same", "fanout");
        declare("same", "fanout", "x-unknown", 1L);
        client.send(1, exchange("same", "direct", false, false));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - inequivalent arg 'type' for exchange 'same' in vhost '/': received 'direct' but"
                        + " current is 'fanout'",
                Methods.EXCHANGE_DECLARE);
        client.openChannel(1).send(1, exchange("same", "fanout", false, true));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - inequivalent arg 'durable' for exchange 'same' in vhost '/': received 'true' but"
                        + " current is 'false'",
                Methods.EXCHANGE_DECLARE);
        client.openChannel(1).send(1, exchange("same", "fanout", false, false, "alternate-exchange", "a"));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - inequivalent arg 'alternate-exchange' for exchange 'same' in vhost '/': received"
                        + " the value 'a' of type 'longstr' but current is none",
                Methods.EXCHANGE_DECLARE);
    }

    @Test
    void anUnknownTypeIsRefused() {
        client.send(1, exchange("odd", "zzz", false, false));
        client.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - unknown exchange type 'zzz'", Methods.EXCHANGE_DECLARE);
    }

    @Test
    void aPassiveDeclarationOfWhatIsNotThereFails() {
        client.send(1, exchange("absent", "direct", true, false));
        client.expectChannelClose(1, 404, "NOT_FOUND - no exchange 'absent' in vhost '/'", Methods.EXCHANGE_DECLARE);
    }

    @Test
    void reservedNamesAndTheDefaultExchangeAreNobodys() {
        client.send(1, exchange("amq.mine", "direct", false, false));
        client.expectChannelClose(
                1,
                403,
                "ACCESS_REFUSED - exchange name 'amq.mine' contains reserved prefix 'amq.*'",
                Methods.EXCHANGE_DECLARE);
        client.openChannel(1).send(1, exchange("", "direct", false, false));
        client.expectChannelClose(
                1, 403, "ACCESS_REFUSED - operation not permitted on the default exchange", Methods.EXCHANGE_DECLARE);
    }

    @Test
    void anAlternateIsANameAndMayBeAbsent() {
        client.send(1, exchange("with-alternate", "direct", false, false, "alternate-exchange", 5));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - invalid type 'signedint' for arg 'alternate-exchange' in exchange"
                        + " 'with-alternate' in vhost '/'",
                Methods.EXCHANGE_DECLARE);
        client.openChannel(1);
        declare("with-alternate", "direct", "alternate-exchange", "unrouted");
        declare("unrouted", "fanout");
        client.declareOwn(1, "unrouted-queue");
        bind("unrouted-queue", "unrouted", "");
        client.publish(1, "with-alternate", "nowhere", true, new Props(), new byte[] {1});
        assertThat(client.get(1, "unrouted-queue", true).body()).containsExactly(1);
    }

    // 1.6.2.3 delete

    @Test
    void deletingWhatIsNotThereSucceeds() {
        client.send(1, new Method.ExchangeDelete("never-there", false, false));
        client.expect(1, Method.ExchangeDeleteOk.class);
    }

    @Test
    void whatIsBoundIsInUse() {
        declare("used", "direct");
        client.declareOwn(1, "user");
        bind("user", "used", "k");
        client.send(1, new Method.ExchangeDelete("used", true, false));
        client.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - exchange 'used' in vhost '/' in use", Methods.EXCHANGE_DELETE);
        client.openChannel(1).send(1, new Method.ExchangeDelete("used", false, false));
        client.expect(1, Method.ExchangeDeleteOk.class);
    }

    @Test
    void standardExchangesStay() {
        client.send(1, new Method.ExchangeDelete("amq.direct", false, false));
        client.expectChannelClose(
                1,
                403,
                "ACCESS_REFUSED - deletion of system exchange 'amq.direct' in vhost '/' not allowed",
                Methods.EXCHANGE_DELETE);
        client.openChannel(1).send(1, new Method.ExchangeDelete("", false, false));
        client.expectChannelClose(
                1, 403, "ACCESS_REFUSED - operation not permitted on the default exchange", Methods.EXCHANGE_DELETE);
    }

    @Test
    void whoAsksForNoAnswerGetsNone() {
        client.send(
                1, new Method.ExchangeDeclare("quiet", "direct", false, false, false, false, true, FieldTable.EMPTY));
        client.send(1, exchange("quiet", "", true, false));
        client.expect(1, Method.ExchangeDeclareOk.class);
        client.send(1, new Method.ExchangeDelete("quiet", false, true));
        client.expectNothingElse(1);
    }

    // exchange.bind, exchange.unbind

    @Test
    void exchangesFeedExchangesAlsoInCirclesAndQueuesGetOneCopy() {
        declare("first", "fanout");
        declare("second", "fanout");
        client.send(1, exchangeBind("second", "first", ""));
        client.expect(1, Method.ExchangeBindOk.class);
        client.send(1, exchangeBind("first", "second", ""));
        client.expect(1, Method.ExchangeBindOk.class);
        client.declareOwn(1, "circle");
        bind("circle", "second", "");
        bind("circle", "first", "");
        client.publish(1, "first", "", "once");
        assertThat(client.get(1, "circle", true).text()).isEqualTo("once");
        client.expectGetEmpty(1, "circle");
        client.send(1, new Method.ExchangeUnbind("second", "first", Bytes.utf8(""), false, FieldTable.EMPTY));
        client.expect(1, Method.ExchangeUnbindOk.class);
    }

    @Test
    void theDefaultExchangeIsNotBound() {
        client.send(1, exchangeBind("amq.direct", "", "k"));
        client.expectChannelClose(
                1, 403, "ACCESS_REFUSED - operation not permitted on the default exchange", Methods.EXCHANGE_BIND);
        client.openChannel(1).send(1, exchangeBind("absent", "amq.direct", "k"));
        client.expectChannelClose(1, 404, "NOT_FOUND - no exchange 'absent' in vhost '/'", Methods.EXCHANGE_BIND);
    }

    // 3.1.3 types

    @Test
    void topicPatternsMatchWords() {
        client.declareOwn(1, "topics");
        bind("topics", "amq.topic", "a.*.c");
        bind("topics", "amq.topic", "x.#");
        for (String key : List.of("a.b.c", "a..c", "x", "x.y.z")) {
            client.publish(1, "amq.topic", key, key);
        }
        for (String key : List.of("a.c", "a.b.c.d", "y.x")) {
            client.publish(1, "amq.topic", key, key);
        }
        for (String key : List.of("a.b.c", "a..c", "x", "x.y.z")) {
            assertThat(client.get(1, "topics", true).text()).isEqualTo(key);
        }
        client.expectGetEmpty(1, "topics");
    }

    @Test
    void headersMatchAllOrAny() {
        client.declareOwn(1, "all");
        client.declareOwn(1, "any");
        bind("all", "amq.headers", "", "x-match", "all", "a", 1L, "b", "two");
        bind("any", "amq.match", "", "x-match", "any", "a", 1L, "b", "two");
        Props one = new Props().headers(Map.of("a", 1L));
        Props both = new Props().headers(Map.of("a", 1L, "b", "two"));
        for (String exchange : List.of("amq.headers", "amq.match")) {
            client.publish(1, exchange, "", false, one, new byte[] {1});
            client.publish(1, exchange, "", false, both, new byte[] {2});
        }
        assertThat(client.get(1, "all", true).body()).containsExactly(2);
        client.expectGetEmpty(1, "all");
        assertThat(client.get(1, "any", true).body()).containsExactly(1);
        assertThat(client.get(1, "any", true).body()).containsExactly(2);
    }

    @Test
    void aWrongMatchIsRefused() {
        client.declareOwn(1, "matched");
        client.send(
                1,
                new Method.QueueBind("matched", "amq.headers", Bytes.utf8(""), false, Client.table("x-match", "foo")));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - Invalid x-match field value <<\"foo\">>; expected all, any, all-with-x, or"
                        + " any-with-x",
                Methods.QUEUE_BIND);
    }

    @Test
    void anInternalExchangeIsNotPublishedTo() {
        client.send(
                1, new Method.ExchangeDeclare("inner", "fanout", false, false, false, true, false, FieldTable.EMPTY));
        client.expect(1, Method.ExchangeDeclareOk.class);
        client.publish(1, "inner", "", "x");
        client.expectChannelClose(
                1,
                403,
                "ACCESS_REFUSED - cannot publish to internal exchange 'inner' in vhost '/'",
                Methods.BASIC_PUBLISH);
    }
}
