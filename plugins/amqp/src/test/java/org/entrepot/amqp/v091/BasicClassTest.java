package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Class basic (specification 1.8): publishing, consuming, settling. */
class BasicClassTest {
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

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Method.BasicConsume consume(
            String queue, String tag, boolean noAck, boolean exclusive, Object... pairs) {
        return new Method.BasicConsume(queue, tag, false, noAck, exclusive, false, Client.table(pairs));
    }

    private void publish(String queue, int count) {
        for (int i = 0; i < count; i++) {
            client.publish(1, "", queue, "m" + i);
        }
    }

    // 1.8.3.1 qos

    @Test
    void aPrefetchHoldsForLaterConsumersEachAlone() {
        client.declareOwn(1, "prefetched");
        client.send(1, new Method.BasicQos(0, 2, false));
        client.expect(1, Method.BasicQosOk.class);
        client.consume(1, "prefetched", "t", false);
        publish("prefetched", 5);
        assertThat(client.expectDelivery(1).text()).isEqualTo("m0");
        assertThat(client.expectDelivery(1).text()).isEqualTo("m1");
        client.expectNothingElse(1);
        client.ack(1, 1, false);
        assertThat(client.expectDelivery(1).text()).isEqualTo("m2");
        client.ack(1, 3, true);
        assertThat(client.expectDelivery(1).text()).isEqualTo("m3");
        assertThat(client.expectDelivery(1).text()).isEqualTo("m4");
    }

    @Test
    void aGlobalPrefetchHoldsForTheWholeChannel() {
        client.declareOwn(1, "shared-1");
        client.declareOwn(1, "shared-2");
        client.consume(1, "shared-1", "a", false).consume(1, "shared-2", "b", false);
        client.send(1, new Method.BasicQos(0, 3, true));
        client.expect(1, Method.BasicQosOk.class);
        publish("shared-1", 4);
        publish("shared-2", 4);
        for (int i = 0; i < 3; i++) {
            client.expectDelivery(1);
        }
        client.expectNothingElse(1);
        client.ack(1, 0, true);
        for (int i = 0; i < 3; i++) {
            client.expectDelivery(1);
        }
        client.expectNothingElse(1);
    }

    @Test
    void aGlobalPrefetchThatGrowsLetsMoreThrough() {
        client.declareOwn(1, "growing");
        client.send(1, new Method.BasicQos(0, 1, true));
        client.expect(1, Method.BasicQosOk.class);
        client.consume(1, "growing", "t", false);
        publish("growing", 3);
        client.expectDelivery(1);
        client.expectNothingElse(1);
        client.send(1, new Method.BasicQos(0, 2, true));
        client.expect(1, Method.BasicQosOk.class);
        assertThat(client.expectDelivery(1).text()).isEqualTo("m1");
        client.expectNothingElse(1);
    }

    @Test
    void aConsumerWithoutAcknowledgementsWaitsForTheGlobalPrefetchButDoesNotFillIt() {
        client.declareOwn(1, "with-acks");
        client.declareOwn(1, "without-acks");
        client.send(1, new Method.BasicQos(0, 1, true));
        client.expect(1, Method.BasicQosOk.class);
        client.consume(1, "with-acks", "a", false).consume(1, "without-acks", "b", true);
        publish("with-acks", 1);
        Client.Content<Method.BasicDeliver> held = client.expectDelivery(1);
        publish("without-acks", 3);
        client.expectNothingElse(1);
        client.ack(1, held.method().deliveryTag(), false);
        for (int i = 0; i < 3; i++) {
            assertThat(client.expectDelivery(1).text()).isEqualTo("m" + i);
        }
    }

    @Test
    void aPrefetchInBytesIsNotImplemented() {
        client.send(1, new Method.BasicQos(10, 0, false))
                .expectConnectionClose(540, "NOT_IMPLEMENTED - prefetch_size!=0 (10)", Methods.BASIC_QOS);
    }

    // 1.8.3.3 consume

    @Test
    void aConsumerWithoutATagIsGivenOne() {
        client.declareOwn(1, "tagged");
        client.send(1, consume("tagged", "", true, false));
        String tag = client.expect(1, Method.BasicConsumeOk.class).consumerTag();
        assertThat(tag).matches("amq\\.ctag-[A-Za-z0-9_-]{22}");
        publish("tagged", 1);
        assertThat(client.expectDelivery(1).method().consumerTag()).isEqualTo(tag);
    }

    @Test
    void aTagIsUsedOnce() {
        client.declareOwn(1, "tagged-twice");
        client.consume(1, "tagged-twice", "t", true);
        client.send(1, consume("tagged-twice", "t", true, false))
                .expectConnectionClose(530, "NOT_ALLOWED - attempt to reuse consumer tag 't'", Methods.BASIC_CONSUME);
    }

    @Test
    void consumeOkComesBeforeWhatIsDelivered() {
        client.declareOwn(1, "waiting");
        publish("waiting", 3);
        client.consume(1, "waiting", "t", true);
        for (int i = 0; i < 3; i++) {
            Client.Content<Method.BasicDeliver> delivery = client.expectDelivery(1);
            assertThat(delivery.text()).isEqualTo("m" + i);
            assertThat(delivery.method().deliveryTag()).isEqualTo(i + 1);
            assertThat(delivery.method().redelivered()).isFalse();
            assertThat(delivery.method().exchange().toUtf8()).isEmpty();
            assertThat(delivery.method().routingKey().toUtf8()).isEqualTo("waiting");
        }
    }

    @Test
    void anExclusiveConsumerIsAlone() {
        client.declareOwn(1, "alone").queue();
        client.consume(1, "alone", "first", true);
        client.send(1, consume("alone", "second", true, true));
        client.expectChannelClose(
                1, 403, "ACCESS_REFUSED - queue 'alone' in vhost '/' in exclusive use", Methods.BASIC_CONSUME);
        client.openChannel(1).send(1, consume("alone", "exclusive", true, true));
        client.expect(1, Method.BasicConsumeOk.class);
        client.send(1, consume("alone", "late", true, false));
        client.expectChannelClose(
                1, 403, "ACCESS_REFUSED - queue 'alone' in vhost '/' in exclusive use", Methods.BASIC_CONSUME);
    }

    @Test
    void argumentsOfConsumersAreChecked() {
        client.declareOwn(1, "checked");
        client.send(1, consume("checked", "t", true, false, "x-priority", "high"));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - invalid arg 'x-priority' for queue 'checked' in vhost '/': \"expected integer, got"
                        + " longstr\"",
                Methods.BASIC_CONSUME);
        client.openChannel(1).send(1, consume("checked", "t", true, false, "x-stream-offset", "first"));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - invalid arg 'x-stream-offset' for queue 'checked' in vhost '/' of queue type"
                        + " rabbit_classic_queue",
                Methods.BASIC_CONSUME);
    }

    @Test
    void theConsumerOfHigherPriorityIsServedFirst() {
        client.declareOwn(1, "prioritized");
        client.send(1, new Method.BasicQos(0, 2, false));
        client.expect(1, Method.BasicQosOk.class);
        client.consume(1, "prioritized", "low", false).consume(1, "prioritized", "high", false, "x-priority", 10L);
        publish("prioritized", 3);
        List<String> served = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            served.add(client.expectDelivery(1).method().consumerTag());
        }
        assertThat(served).containsExactly("high", "high", "low");
    }

    @Test
    void consumingFromNothingFails() {
        client.send(1, consume("absent", "t", true, false));
        client.expectChannelClose(1, 404, "NOT_FOUND - no queue 'absent' in vhost '/'", Methods.BASIC_CONSUME);
    }

    @Test
    void whoAsksForNoConsumeOkGetsDeliveriesOnly() {
        client.declareOwn(1, "silent");
        client.send(1, new Method.BasicConsume("silent", "t", false, true, false, true, FieldTable.EMPTY));
        publish("silent", 1);
        assertThat(client.expectDelivery(1).text()).isEqualTo("m0");
    }

    // 1.8.3.5 cancel

    @Test
    void nothingIsDeliveredAfterCancelOkAndWhatWasCanBeAcknowledged() {
        client.declareOwn(1, "cancelled");
        client.consume(1, "cancelled", "t", false);
        publish("cancelled", 1);
        client.expectDelivery(1);
        client.send(1, new Method.BasicCancel("t", false));
        assertThat(client.expect(1, Method.BasicCancelOk.class).consumerTag()).isEqualTo("t");
        publish("cancelled", 1);
        client.expectNothingElse(1);
        client.ack(1, 1, false).expectNothingElse(1);
        client.consume(1, "cancelled", "t", true);
        assertThat(client.expectDelivery(1).method().deliveryTag()).isEqualTo(2);
    }

    @Test
    void cancellingAnUnknownTagSucceeds() {
        client.send(1, new Method.BasicCancel("nobody", false));
        assertThat(client.expect(1, Method.BasicCancelOk.class).consumerTag()).isEqualTo("nobody");
    }

    @Test
    void consumersAreToldThatTheirQueueIsGone() {
        client.declareOwn(1, "gone");
        client.consume(1, "gone", "t", true);
        client.openChannel(2).send(2, new Method.QueueDelete("gone", false, false, false));
        // The two channels' answers come in either order.
        List<Object> said = List.of(client.nextOfChannels(), client.nextOfChannels());
        assertThat(said).containsExactlyInAnyOrder(new Method.BasicCancel("t", true), new Method.QueueDeleteOk(0));
        client.send(1, new Method.BasicCancelOk("t"));
        client.expectNothingElse(1);
    }

    // 1.8.3.7 publish

    @Test
    void propertiesAndBodyArriveAsTheyWereSent() {
        client.declareOwn(1, "whole");
        Props properties = new Props()
                .contentType("text/plain")
                .headers(Map.of("a", 1, "b", "two", "c", List.of(true, 2.5)))
                .deliveryMode(2)
                .priority(3)
                .correlationId("corr")
                .replyTo("me")
                .expiration("60000")
                .messageId("id")
                .timestamp(1_700_000_000)
                .type("kind")
                .userId("guest")
                .appId("app")
                .clusterId("cluster");
        client.publish(1, "", "whole", false, properties, utf8("body"));
        Client.Content<Method.BasicGetOk> got = client.get(1, "whole", true);
        assertThat(got.header()).isEqualTo(properties.bytes());
        assertThat(got.text()).isEqualTo("body");
    }

    @Test
    void whatOnePublishSaysIsNotAnothers() {
        client.declareOwn(1, "one");
        client.declareOwn(1, "two");
        client.send(1, new Method.QueueBind("two", "amq.direct", Bytes.utf8("two"), false, FieldTable.EMPTY));
        client.expect(1, Method.QueueBindOk.class);
        for (int i = 0; i < 3; i++) {
            client.publish(1, "", "one", false, new Props().deliveryMode(1 + i % 2), utf8("1"));
            client.publish(1, "amq.direct", "two", false, new Props().deliveryMode(2), utf8("2"));
            client.publish(1, "", "two", "3");
            Method.BasicGetOk first = client.get(1, "one", true).method();
            assertThat(first.exchange().toUtf8()).isEmpty();
            assertThat(first.routingKey().toUtf8()).isEqualTo("one");
            Method.BasicGetOk second = client.get(1, "two", true).method();
            assertThat(second.exchange().toUtf8()).isEqualTo("amq.direct");
            assertThat(second.routingKey().toUtf8()).isEqualTo("two");
            assertThat(client.get(1, "two", true).method().exchange().toUtf8()).isEmpty();
        }
    }

    /** RabbitMQ's: "total body size for ready messages". */
    @Test
    void aLimitInBytesCountsBodiesOnly() {
        client.declareOwn(1, "bodies", "x-max-length-bytes", 10L);
        Props properties = new Props().contentType("text/a-kind-that-takes-more-than-all-bodies");
        for (String body : List.of("first", "other", "third")) {
            client.publish(1, "", "bodies", false, properties, utf8(body));
        }

        assertThat(client.declareOwn(1, "bodies", "x-max-length-bytes", 10L).messageCount())
                .isEqualTo(2);
        assertThat(client.get(1, "bodies", true).text()).isEqualTo("other");
    }

    @Test
    void noHeadersAndEmptyHeadersStayApart() {
        client.declareOwn(1, "headers");
        client.publish(1, "", "headers", false, new Props(), new byte[0]);
        client.publish(1, "", "headers", false, new Props().headers(Map.of()), new byte[0]);
        assertThat(client.get(1, "headers", true).header()).isEqualTo(new Props().bytes());
        assertThat(client.get(1, "headers", true).header())
                .isEqualTo(new Props().headers(Map.of()).bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16_000, 16_384, 16_385, 131_064, 131_065, 1_000_000, 5_000_000})
    void bodiesOfAllSizesArrive(int size) {
        client.declareOwn(1, "sized");
        byte[] body = new byte[size];
        for (int i = 0; i < size; i++) {
            body[i] = (byte) ((i * 31) >>> 3);
        }
        client.publish(1, "", "sized", false, new Props(), body);
        assertThat(client.get(1, "sized", true).body()).isEqualTo(body);
    }

    @Test
    void aMandatoryMessageThatGoesNowhereComesBack() {
        Props properties = new Props().messageId("returned");
        client.publish(1, "amq.direct", "nowhere", true, properties, utf8("back"));
        Client.Content<Method.BasicReturn> back = client.expectContent(1, Method.BasicReturn.class);
        assertThat(back.method().replyCode()).isEqualTo(312);
        assertThat(back.method().replyText()).isEqualTo("NO_ROUTE");
        assertThat(back.method().exchange().toUtf8()).isEqualTo("amq.direct");
        assertThat(back.method().routingKey().toUtf8()).isEqualTo("nowhere");
        assertThat(back.header()).isEqualTo(properties.bytes());
        assertThat(back.text()).isEqualTo("back");
    }

    @Test
    void immediateIsNotImplemented() {
        client.send(1, new Method.BasicPublish(Bytes.EMPTY, Bytes.utf8("q"), false, true))
                .expectConnectionClose(540, "NOT_IMPLEMENTED - immediate=true", Methods.BASIC_PUBLISH);
    }

    @Test
    void publishingToNothingClosesTheChannel() {
        client.publish(1, "absent", "k", "x");
        client.expectChannelClose(1, 404, "NOT_FOUND - no exchange 'absent' in vhost '/'", Methods.BASIC_PUBLISH);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    abc | no_integer
                    5x  | {leftover_string,"x"}
                    -1  | {value_negative,-1}
                    """)
    void anExpirationIsANumber(String expiration, String text) {
        client.publish(1, "", "q", false, new Props().expiration(expiration), utf8("x"));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - invalid expiration '" + expiration + "': " + text,
                Methods.BASIC_PUBLISH);
    }

    @Test
    void aUserIdIsTheUsersOwn() {
        client.publish(1, "", "q", false, new Props().userId("bob"), utf8("x"));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - user_id property set to 'bob' but authenticated user was 'guest'",
                Methods.BASIC_PUBLISH);
    }

    @Test
    void furtherKeysAreListsAndBlindOnesAreNotSeen() {
        client.publish(1, "", "q", false, new Props().headers(Map.of("CC", "one")), utf8("x"));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - invalid message: {unacceptable_type_in_header,\"CC\",longstr}",
                Methods.BASIC_PUBLISH);
        client.openChannel(1);
        client.declareOwn(1, "to");
        client.declareOwn(1, "cc");
        client.declareOwn(1, "bcc");
        Props properties = new Props().headers(Map.of("CC", List.of("cc"), "BCC", List.of("bcc")));
        client.publish(1, "", "to", false, properties, utf8("x"));
        for (String queue : List.of("to", "cc", "bcc")) {
            assertThat(client.get(1, queue, true).headers()).isEqualTo(Map.of("CC", List.of("cc")));
        }
    }

    @Test
    void aMessageThatIsTooLargeIsRefusedByItsAnnouncement() {
        client.declareOwn(1, "small");
        client.send(1, new Method.BasicPublish(Bytes.EMPTY, Bytes.utf8("small"), false, false));
        client.raw(Client.frame(Client.HEADER, 1, Client.headerPayload(60, 0, 100_000_000, new Props().bytes())));
        client.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - message size 100000000 is larger than configured max size 67108864",
                Methods.BASIC_PUBLISH);
        client.openChannel(1).expectNothingElse(1);
    }

    // 1.8.3.10 get

    @Test
    void getOkSaysHowManyRemain() {
        client.declareOwn(1, "gotten");
        publish("gotten", 3);
        assertThat(client.get(1, "gotten", true).method().messageCount()).isEqualTo(2);
        Client.Content<Method.BasicGetOk> second = client.get(1, "gotten", false);
        assertThat(second.method().messageCount()).isEqualTo(1);
        assertThat(second.method().deliveryTag()).isEqualTo(2);
        client.get(1, "gotten", true);
        client.expectGetEmpty(1, "gotten");
    }

    // 1.8.3.13 ack, 1.8.3.14 reject, RabbitMQ's nack

    @Test
    void unknownTagsCloseTheChannel() {
        for (Method method : List.of(
                new Method.BasicAck(99, false),
                new Method.BasicAck(99, true),
                new Method.BasicAck(0, false),
                new Method.BasicNack(99, false, true),
                new Method.BasicReject(99, true))) {
            client.send(1, method);
            String tag = method.equals(new Method.BasicAck(0, false)) ? "0" : "99";
            client.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag " + tag, method.number());
            client.openChannel(1);
        }
    }

    @Test
    void aTagIsSettledOnce() {
        client.declareOwn(1, "once");
        publish("once", 1);
        client.get(1, "once", false);
        client.ack(1, 1, false).ack(1, 1, false);
        client.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag 1", Methods.BASIC_ACK);
    }

    @Test
    void acknowledgingAllOfNothingIsFine() {
        client.ack(1, 0, true).expectNothingElse(1);
    }

    @Test
    void whatIsGivenBackComesAgainInItsOldPlace() {
        client.declareOwn(1, "returned");
        publish("returned", 4);
        for (int i = 0; i < 3; i++) {
            client.get(1, "returned", false);
        }
        client.send(1, new Method.BasicReject(2, true));
        client.send(1, new Method.BasicNack(3, true, true));
        for (int i = 0; i < 4; i++) {
            Client.Content<Method.BasicGetOk> got = client.get(1, "returned", true);
            assertThat(got.text()).isEqualTo("m" + i);
            assertThat(got.method().redelivered()).isEqualTo(i < 3);
        }
    }

    @Test
    void acknowledgingManyLeavesWhatLiesBetweenAndHasALaterTag() {
        client.declareOwn(1, "between");
        publish("between", 3);
        for (int i = 0; i < 3; i++) {
            client.get(1, "between", false);
        }
        client.send(1, new Method.BasicNack(2, false, true));
        assertThat(client.get(1, "between", false).text()).isEqualTo("m1");
        client.ack(1, 3, true);
        client.send(1, new Method.BasicNack(4, false, true));
        assertThat(client.get(1, "between", true).text()).isEqualTo("m1");
        client.expectGetEmpty(1, "between");
    }

    @Test
    void whatIsRejectedIsGoneOrDeadLettered() {
        client.declareOwn(1, "dead");
        client.declareOwn(1, "living", "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead");
        publish("living", 2);
        client.get(1, "living", false);
        client.get(1, "living", false);
        client.send(1, new Method.BasicReject(1, false));
        client.send(1, new Method.BasicNack(2, false, false));
        client.expectGetEmpty(1, "living");
        for (int i = 0; i < 2; i++) {
            Client.Content<Method.BasicGetOk> dead = client.getEventually(1, "dead");
            assertThat(dead.text()).isEqualTo("m" + i);
            Map<String, Object> headers = dead.headers();
            assertThat(headers)
                    .containsEntry("x-first-death-queue", "living")
                    .containsEntry("x-first-death-reason", "rejected")
                    .containsEntry("x-first-death-exchange", "")
                    .containsEntry("x-last-death-queue", "living");
            Map<?, ?> death = (Map<?, ?>) ((List<?>) headers.get("x-death")).get(0);
            assertThat(death.get("count")).isEqualTo(1L);
            assertThat(death.get("reason")).isEqualTo("rejected");
            assertThat(death.get("routing-keys")).isEqualTo(List.of("living"));
        }
    }

    @Test
    void aQuorumQueueCountsWhatIsRejectedAndNotWhatIsGivenBack() {
        client.send(1, Client.queueDeclare("counting", false, true, false, false, "x-queue-type", "quorum"));
        client.expect(1, Method.QueueDeclareOk.class);
        publish("counting", 1);
        assertThat(client.get(1, "counting", false).headers()).isEmpty();
        client.send(1, new Method.BasicNack(1, false, true));
        Client.Content<Method.BasicGetOk> back = client.get(1, "counting", false);
        assertThat(back.headers()).isEmpty();
        assertThat(back.method().redelivered()).isTrue();
        client.send(1, new Method.BasicReject(2, true));
        assertThat(client.get(1, "counting", false).headers()).isEqualTo(Map.of("x-delivery-count", 1L));
        client.send(1, new Method.QueueDelete("counting", false, false, false));
        client.expect(1, Method.QueueDeleteOk.class);
    }

    @Test
    void aClassicQueueAddsNothingToWhatItDeliversAgain() {
        client.declareOwn(1, "classic");
        publish("classic", 1);
        client.get(1, "classic", false);
        client.send(1, new Method.BasicReject(1, true));
        assertThat(client.get(1, "classic", true).header()).isEqualTo(new Props().bytes());
    }

    @Test
    void whatAClosedChannelHeldComesAgain() {
        client.declareOwn(1, "kept");
        publish("kept", 2);
        client.openChannel(2).get(2, "kept", false);
        client.send(2, new Method.ChannelClose(200, "bye", 0, 0));
        client.expect(2, Method.ChannelCloseOk.class);
        Client.Content<Method.BasicGetOk> again = client.get(1, "kept", true);
        assertThat(again.text()).isEqualTo("m0");
        assertThat(again.method().redelivered()).isTrue();
        assertThat(client.get(1, "kept", true).method().redelivered()).isFalse();
    }

    // 1.8.3.15 recover-async, 1.8.3.16 recover

    @Test
    void recoveringGivesEverythingBack() {
        client.declareOwn(1, "recovered");
        publish("recovered", 2);
        client.get(1, "recovered", false);
        client.get(1, "recovered", false);
        client.send(1, new Method.BasicRecover(true));
        client.expect(1, Method.BasicRecoverOk.class);
        assertThat(client.get(1, "recovered", false).text()).isEqualTo("m0");
        client.send(1, new Method.BasicRecoverAsync(true));
        assertThat(client.get(1, "recovered", true).text()).isEqualTo("m0");
        client.ack(1, 1, false);
        client.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag 1", Methods.BASIC_ACK);
    }

    @Test
    void recoveringToTheSameConsumerIsNotImplemented() {
        client.send(1, new Method.BasicRecover(false))
                .expectConnectionClose(540, "NOT_IMPLEMENTED - requeue=false", Methods.BASIC_RECOVER);
    }

    // many at a time

    @Test
    void aFloodArrivesInOrderAndWhole() {
        client.declareOwn(1, "flood");
        client.consume(1, "flood", "t", false);
        ByteBuf all = Unpooled.buffer();
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            all.writeBytes(Client.publishBytes(1, "", "flood", "message " + i));
        }
        byte[] bytes = Client.array(all);
        Thread publisher = new Thread(() -> client.raw(bytes));
        publisher.start();
        for (int i = 0; i < count; i++) {
            Client.Content<Method.BasicDeliver> delivery = client.expectDelivery(1);
            assertThat(delivery.text()).isEqualTo("message " + i);
            assertThat(delivery.method().deliveryTag()).isEqualTo(i + 1);
        }
        client.ack(1, 0, true).expectGetEmpty(1, "flood");
        assertThat(Arrays.hashCode(bytes)).isNotZero();
    }
}
