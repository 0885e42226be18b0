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

/** Class queue (specification 1.7). */
class QueueClassTest {
    private static final String LOCKED =
            "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue '%s' in vhost"
                    + " '/'. It could be originally declared on another connection or the exclusive property value does not match"
                    + " that of the original declaration.";

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

    private static Method.QueueDeclare passive(String name) {
        return Client.queueDeclare(name, true, false, false, false);
    }

    private static Method.QueueBind bind(String queue, String exchange, String key) {
        return new Method.QueueBind(queue, exchange, Bytes.utf8(key), false, FieldTable.EMPTY);
    }

    // 1.7.2.1 declare

    @Test
    void declareOkSaysHowMuchIsInTheQueue() {
        assertThat(client.declare(1, "counted")).isEqualTo(new Method.QueueDeclareOk("counted", 0, 0));
        client.publish(1, "", "counted", "a").publish(1, "", "counted", "b");
        assertThat(client.declare(1, "counted").messageCount()).isEqualTo(2);
        client.send(1, passive("counted"));
        assertThat(client.expect(1, Method.QueueDeclareOk.class)).isEqualTo(new Method.QueueDeclareOk("counted", 2, 0));
    }

    @Test
    void aQueueWithoutANameIsGivenOne() {
        String name = client.declareOwn(1, "").queue();
        assertThat(name).matches("amq\\.gen-[A-Za-z0-9_-]{22}");
        assertThat(client.declareOwn(1, "").queue()).isNotEqualTo(name);
    }

    @Test
    void onlyClassicQueuesAreGivenNames() {
        client.send(1, Client.queueDeclare("", false, true, false, false, "x-queue-type", "quorum"));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - Cannot declare a server-named queue for type rabbit_quorum_queue",
                Methods.QUEUE_DECLARE);
    }

    @Test
    void reservedNamesAreRefusedUnlessTheyAreThere() {
        client.send(1, Client.queueDeclare("amq.foo", false, false, false, false));
        client.expectChannelClose(
                1,
                403,
                "ACCESS_REFUSED - queue name 'amq.foo' contains reserved prefix 'amq.*'",
                Methods.QUEUE_DECLARE);
        client.openChannel(1).send(1, passive("amq.foo"));
        client.expectChannelClose(1, 404, "NOT_FOUND - no queue 'amq.foo' in vhost '/'", Methods.QUEUE_DECLARE);
        client.openChannel(1);
        String name = client.declareOwn(1, "").queue();
        client.send(1, passive(name));
        client.expect(1, Method.QueueDeclareOk.class);
    }

    @Test
    void lineBreaksAreNotPartOfAName() {
        assertThat(client.declareOwn(1, "li\r\nne").queue()).isEqualTo("line");
    }

    @Test
    void aDifferentRedeclarationIsRefused() {
        client.declare(1, "limited", "x-message-ttl", 60_000);
        client.declare(1, "limited", "x-message-ttl", 60_000L, "x-own", "ignored");
        client.send(1, Client.queueDeclare("limited", false, false, false, false));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'limited' in vhost '/': received none but"
                        + " current is the value '60000' of type 'signedint'",
                Methods.QUEUE_DECLARE);
        client.openChannel(1)
                .send(1, Client.queueDeclare("limited", false, true, false, false, "x-message-ttl", 60_000));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'limited' in vhost '/': received 'true' but"
                        + " current is 'false'",
                Methods.QUEUE_DECLARE);
    }

    @Test
    void anExclusiveQueueIsItsConnectionsOnly() {
        client.declareOwn(1, "mine");
        client.declareOwn(1, "mine");
        try (Client other = Client.withChannel(broker)) {
            for (Method method : new Method[] {
                passive("mine"),
                Client.queueDeclare("mine", false, false, false, false),
                new Method.BasicGet("mine", true),
                new Method.BasicConsume("mine", "", false, true, false, false, FieldTable.EMPTY),
                new Method.QueuePurge("mine", false),
                new Method.QueueDelete("mine", false, false, false),
                bind("mine", "amq.direct", "k")
            }) {
                other.send(1, method);
                other.expectChannelClose(1, 405, LOCKED.formatted("mine"), method.number());
                other.openChannel(1);
            }
        }
        client.send(1, Client.queueDeclare("mine", false, false, false, false));
        client.expectChannelClose(1, 405, LOCKED.formatted("mine"), Methods.QUEUE_DECLARE);
    }

    @Test
    void exclusivenessCannotBeHadLater() {
        client.declare(1, "shared");
        client.send(1, Client.queueDeclare("shared", false, false, true, false));
        client.expectChannelClose(1, 405, LOCKED.formatted("shared"), Methods.QUEUE_DECLARE);
    }

    @Test
    void anArgumentThatIsWrongMakesNoQueue() {
        client.send(1, Client.queueDeclare("unmade", false, false, false, false, "x-overflow", "explode"));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - invalid arg 'x-overflow' for queue 'unmade' in vhost '/': invalid_overflow",
                Methods.QUEUE_DECLARE);
        client.openChannel(1).send(1, passive("unmade"));
        client.expectChannelClose(1, 404, "NOT_FOUND - no queue 'unmade' in vhost '/'", Methods.QUEUE_DECLARE);
    }

    @Test
    void streamsAreNotBuilt() {
        client.send(1, Client.queueDeclare("stream", false, true, false, false, "x-queue-type", "stream"));
        client.expectConnectionClose(
                540,
                "NOT_IMPLEMENTED - queues of type 'stream' are not built yet, use 'classic' or 'quorum'",
                Methods.QUEUE_DECLARE);
    }

    // 1.7.2.3 bind, 1.7.2.5 unbind

    @Test
    void theLastDeclaredQueueNeedsNoName() {
        client.declareOwn(1, "last");
        client.send(1, bind("", "amq.direct", ""));
        client.expect(1, Method.QueueBindOk.class);
        client.publish(1, "amq.direct", "last", "by the queue's name");
        assertThat(client.get(1, "", true).text()).isEqualTo("by the queue's name");
        client.send(1, new Method.QueuePurge("", false));
        client.expect(1, Method.QueuePurgeOk.class);
        client.send(1, new Method.QueueUnbind("", "amq.direct", Bytes.utf8(""), FieldTable.EMPTY));
        client.expect(1, Method.QueueUnbindOk.class);
        client.consume(1, "", "t", true);
        client.send(1, new Method.QueueDelete("", false, false, false));
        client.expect(1, Method.BasicCancel.class);
        client.expect(1, Method.QueueDeleteOk.class);
    }

    @Test
    void aKeyIsBytesAndNeedNotBeText() {
        Bytes key = Bytes.wrap(new byte[] {(byte) 0xff});
        Bytes other = Bytes.wrap(new byte[] {(byte) 0xfe});
        client.declareOwn(1, "bytes");
        client.send(1, new Method.QueueBind("bytes", "amq.direct", key, false, FieldTable.EMPTY));
        client.expect(1, Method.QueueBindOk.class);
        client.publish(1, "amq.direct", other, "not for it").publish(1, "amq.direct", key, "for it");
        assertThat(client.get(1, "bytes", true).text()).isEqualTo("for it");
        client.send(1, new Method.QueueUnbind("bytes", "amq.direct", key, FieldTable.EMPTY));
        client.expect(1, Method.QueueUnbindOk.class);
        client.publish(1, "amq.direct", key, "too late");
        client.send(1, new Method.BasicGet("bytes", true));
        client.expect(1, Method.BasicGetEmpty.class);
    }

    @Test
    void withoutAQueueDeclaredThereIsNoLastOne() {
        for (Method method : new Method[] {
            bind("", "amq.direct", "k"),
            new Method.QueueUnbind("", "amq.direct", Bytes.utf8("k"), FieldTable.EMPTY),
            new Method.QueuePurge("", false),
            new Method.QueueDelete("", false, false, false),
            new Method.BasicGet("", true),
            new Method.BasicConsume("", "", false, true, false, false, FieldTable.EMPTY)
        }) {
            client.send(1, method);
            client.expectChannelClose(1, 404, "NOT_FOUND - no previously declared queue", method.number());
            client.openChannel(1);
        }
    }

    @Test
    void bothEndsOfABindingMustBeThere() {
        client.declareOwn(1, "bound");
        client.send(1, bind("bound", "absent", "k"));
        client.expectChannelClose(1, 404, "NOT_FOUND - no exchange 'absent' in vhost '/'", Methods.QUEUE_BIND);
        client.openChannel(1).send(1, bind("absent", "amq.direct", "k"));
        client.expectChannelClose(1, 404, "NOT_FOUND - no queue 'absent' in vhost '/'", Methods.QUEUE_BIND);
        client.openChannel(1).send(1, bind("bound", "", "k"));
        client.expectChannelClose(
                1, 403, "ACCESS_REFUSED - operation not permitted on the default exchange", Methods.QUEUE_BIND);
    }

    @Test
    void unbindingWhatIsNotBoundSucceeds() {
        client.declareOwn(1, "unbound");
        client.send(1, new Method.QueueUnbind("unbound", "amq.direct", Bytes.utf8("k"), FieldTable.EMPTY));
        client.expect(1, Method.QueueUnbindOk.class);
        client.send(1, new Method.QueueUnbind("absent", "amq.direct", Bytes.utf8("k"), FieldTable.EMPTY));
        client.expect(1, Method.QueueUnbindOk.class);
    }

    // 1.7.2.7 purge

    @Test
    void purgingTakesWhatIsReadyOnly() {
        client.declareOwn(1, "purged");
        for (int i = 0; i < 3; i++) {
            client.publish(1, "", "purged", "m" + i);
        }
        client.get(1, "purged", false);
        client.send(1, new Method.QueuePurge("purged", false));
        assertThat(client.expect(1, Method.QueuePurgeOk.class).messageCount()).isEqualTo(2);
        client.send(1, new Method.BasicNack(1, false, true));
        assertThat(client.get(1, "purged", true).text()).isEqualTo("m0");
    }

    @Test
    void purgingWhatIsNotThereFails() {
        client.send(1, new Method.QueuePurge("absent", false));
        client.expectChannelClose(1, 404, "NOT_FOUND - no queue 'absent' in vhost '/'", Methods.QUEUE_PURGE);
    }

    // 1.7.2.9 delete

    @Test
    void deleteOkCountsWhatWentWithTheQueue() {
        client.declare(1, "deleted");
        client.publish(1, "", "deleted", "a").publish(1, "", "deleted", "b");
        client.send(1, new Method.QueueDelete("deleted", false, false, false));
        assertThat(client.expect(1, Method.QueueDeleteOk.class).messageCount()).isEqualTo(2);
        client.send(1, new Method.QueueDelete("deleted", false, false, false));
        assertThat(client.expect(1, Method.QueueDeleteOk.class).messageCount()).isZero();
    }

    @Test
    void whatIsUsedOrNotEmptyCanBeSpared() {
        client.declareOwn(1, "spared");
        client.publish(1, "", "spared", "a");
        client.send(1, new Method.QueueDelete("spared", false, true, false));
        client.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - queue 'spared' in vhost '/' not empty", Methods.QUEUE_DELETE);
        client.openChannel(1).consume(1, "spared", "t", true);
        client.expectDelivery(1);
        client.send(1, new Method.QueueDelete("spared", true, false, false));
        client.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - queue 'spared' in vhost '/' in use", Methods.QUEUE_DELETE);
    }

    @Test
    void anAutoDeleteQueueGoesWithItsLastConsumer() {
        client.send(1, Client.queueDeclare("fleeting", false, false, false, true));
        client.expect(1, Method.QueueDeclareOk.class);
        client.consume(1, "fleeting", "t", true);
        client.send(1, new Method.BasicCancel("t", false));
        client.expect(1, Method.BasicCancelOk.class);
        client.eventually(() -> {
            client.send(1, passive("fleeting"));
            if (client.nextMethod(1) instanceof Method.ChannelClose close) {
                assertThat(close.replyCode()).isEqualTo(404);
                client.send(1, new Method.ChannelCloseOk());
                return true;
            }
            return false;
        });
    }

    @Test
    void whoAsksForNoAnswerGetsNone() {
        client.send(1, new Method.QueueDeclare("quiet", false, false, true, false, true, FieldTable.EMPTY));
        client.send(1, new Method.QueueBind("quiet", "amq.direct", Bytes.utf8("quiet"), true, FieldTable.EMPTY));
        client.publish(1, "amq.direct", "quiet", "heard");
        assertThat(client.get(1, "quiet", true).text()).isEqualTo("heard");
        client.send(1, new Method.QueuePurge("quiet", true));
        client.send(1, new Method.QueueDelete("quiet", false, false, true));
        client.expectNothingElse(1);
    }
}
