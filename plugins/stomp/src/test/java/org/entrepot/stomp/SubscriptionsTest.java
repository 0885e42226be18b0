package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SUBSCRIBE and UNSUBSCRIBE, and the queues behind them. */
class SubscriptionsTest {
    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()).set("stomp.subscriptions-max=5"));

    @Test
    void aSubscriptionWithoutIdIsNamedByItsDestination() {
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "destination:/queue/no-id").publish("/queue/no-id", "one");
            Client.Frame message = client.expectMessage("one");
            assertThat(message.header("subscription")).isNull();
            assertThat(message.header("message-id")).startsWith("Q_/queue/no-id@@session-");
            client.send("UNSUBSCRIBE", "destination:/queue/no-id", "receipt:u").expectReceipt("u");
            client.publish("/queue/no-id", "two").expectNothingElse();
        }
    }

    @Test
    void anIdIsUsedOnce() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/twice").send("SUBSCRIBE", "id:1", "destination:/queue/other");
            client.expectError(
                    "Duplicated subscription identifier", "A subscription identified by 'T_1' already exists.");
            client.expectEnd();
        }
    }

    @Test
    void unsubscribeMustNameASubscription() {
        try (Client client = Client.open(broker)) {
            client.send("UNSUBSCRIBE", "id:1")
                    .expectError(
                            "No subscription found",
                            "UNSUBSCRIBE must refer to an existing subscription.\nSubscription to \"id='1'\" not found.\n");
            client.send("UNSUBSCRIBE")
                    .expectError(
                            "Missing destination or id", "UNSUBSCRIBE must include a 'destination' or 'id' header");
            client.send("UNSUBSCRIBE", "id:/temp-queue/x")
                    .expectError("Invalid id", "UNSUBSCRIBE 'id' may not start with /temp-queue/\n");
            client.expectNothingElse();
        }
    }

    @Test
    void thereAreOnlySoMany() {
        try (Client client = Client.open(broker)) {
            for (int i = 0; i < 5; i++) {
                client.subscribe("id" + i, "/topic/many" + i);
            }
            client.send("SUBSCRIBE", "id:more", "destination:/topic/more")
                    .expectError("Subscription limit exceeded", "Too many subscriptions (limit 5)\n");
            client.send("UNSUBSCRIBE", "id:id0").subscribe("more", "/topic/more");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"durable", "persistent"})
    void aDurableTopicSubscriptionIsFoundAgain(String header) {
        String topic = "/topic/durable-" + header;
        String[] lines = {header + ":true", "auto-delete:false"};
        try (Client client = Client.open(broker)) {
            client.subscribe("me", topic, lines).publish(topic, "one").expectMessage("one");
            client.send("UNSUBSCRIBE", "id:me", "receipt:u").expectReceipt("u");
            client.publish(topic, "two").send("DISCONNECT", "receipt:d").expectReceipt("d");
        }
        try (Client client = Client.open(broker)) {
            // The receipt comes before what has waited.
            client.subscribe("me", topic, lines).expectMessage("two");
            client.send("UNSUBSCRIBE", "id:me", header + ":true", "receipt:u").expectReceipt("u");
            client.publish(topic, "three").subscribe("me", topic, lines).expectNothingElse();
            client.send("UNSUBSCRIBE", "id:me", header + ":true", "receipt:u").expectReceipt("u");
        }
    }

    @Test
    void aDurableSubscriptionNeedsAnId() {
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "destination:/topic/durable", "durable:true")
                    .expectError("Missing Header", "Header 'id' is required for durable subscriptions");
            client.send("SUBSCRIBE", "destination:/topic/durable", "persistent:true")
                    .expectError("Missing Header", "Header 'id' is required for durable subscriptions");
            client.expectNothingElse();
        }
    }

    @Test
    void theQueueOfADurableSubscriptionHasTheNameThatRabbitMqGivesIt() {
        // Of {<<"durable">>,<<"test.subscription">>} in Erlang's external format, by md5sum and basenc --base64url.
        assertThat(SubscriptionQueue.hash("durable", "test.subscription")).isEqualTo("mN8EtNJgeewoAWGIePSs-A");
    }

    @Test
    void theClientMayNameTheQueue() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/named", "x-queue-name:my-queue");
            client.publish("/amq/queue/my-queue", "one").expectMessage("one");
            client.publish("/topic/named", "two").expectMessage("two");
        }
    }

    @Test
    void aTransientSubscriptionsQueueIsTheSessionsOwn() {
        try (Client owner = Client.open(broker);
                Client other = Client.open(broker)) {
            owner.subscribe("1", "/topic/own", "x-queue-name:own-queue");
            other.send("SUBSCRIBE", "id:1", "destination:/amq/queue/own-queue");
            assertThat(other.expect("ERROR").header("message")).isEqualTo("resource_locked");
            other.expectEnd();
            owner.send("UNSUBSCRIBE", "id:1", "receipt:u").expectReceipt("u");
        }
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/amq/queue/own-queue")
                    .expectError("not_found", "NOT_FOUND - no queue 'own-queue' in vhost '/'");
        }
    }

    @Test
    void whenTheQueueGoesTheSubscriberHearsOfIt() {
        try (Client one = Client.open(broker);
                Client two = Client.open(broker)) {
            String[] lines = {"durable:true", "auto-delete:false"};
            one.subscribe("shared", "/topic/going", lines);
            two.subscribe("shared", "/topic/going", lines);
            two.send("UNSUBSCRIBE", "id:shared", "durable:true", "receipt:u").expectReceipt("u");
            Client.Frame error = one.expect("ERROR");
            assertThat(error.header("message")).isEqualTo("Server cancelled subscription");
            assertThat(error.header("subscription")).isEqualTo("shared");
            assertThat(error.body())
                    .isEqualTo(
                            "The server has canceled a subscription.\nNo more messages will be delivered for \"id='shared'\".\n");
            one.subscribe("shared", "/topic/going", lines);
            one.send("UNSUBSCRIBE", "id:shared", "durable:true", "receipt:u").expectReceipt("u");
        }
    }

    @Test
    void selectorsAreRefused() {
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/queue/select", "selector:a = 1")
                    .expectError("Invalid header", "'selector' is not supported on 'SUBSCRIBE'.\n");
            client.expectNothingElse();
        }
    }

    @Test
    void higherPrioritiesAreServedFirst() {
        try (Client low = Client.open(broker);
                Client high = Client.open(broker)) {
            low.subscribe("1", "/queue/priorities", "x-priority:-1");
            high.subscribe("1", "/queue/priorities", "x-priority:10");
            low.publish("/queue/priorities", "one", "receipt:1").expectReceipt("1");
            high.expectMessage("one");
            low.expectNothingElse();
        }
    }

    // ---- what queues are to be

    @Test
    void queuesArgumentsAreHeaders() {
        try (Client client = Client.open(broker)) {
            client.publish("/queue/short", "one", "x-max-length:1")
                    .publish("/queue/short", "two", "receipt:1")
                    .expectReceipt("1");
            client.subscribe("1", "/queue/short").expectMessage("two");
            client.expectNothingElse();
        }
    }

    @Test
    void deadLettersSayWhereTheyComeFrom() {
        try (Client client = Client.open(broker)) {
            client.subscribe("dead", "/queue/dead-letters");
            client.publish(
                    "/queue/dying",
                    "one",
                    "x-dead-letter-exchange:",
                    "x-dead-letter-routing-key:dead-letters",
                    "expiration:60000",
                    "x-first-death-queue:invented",
                    "x:y");
            client.subscribe("1", "/queue/dying", "ack:client");
            client.send("NACK", "id:" + client.expectMessage("one").header("ack"), "requeue:false");
            Client.Frame dead = client.expectMessage("one");
            assertThat(dead.lines())
                    .contains(
                            "destination:/queue/dead-letters",
                            "x:y",
                            "x-first-death-queue:dying",
                            "x-first-death-reason:rejected",
                            "x-first-death-exchange:",
                            "x-last-death-queue:dying",
                            "x-last-death-reason:rejected",
                            "x-last-death-exchange:")
                    .doesNotContain("expiration:60000", "x-first-death-queue:invented");
        }
    }

    @Test
    void otherArgumentsThanTheQueueHasAreRefused() {
        try (Client client = Client.open(broker)) {
            client.publish("/queue/arguments", "one", "x-max-length:5", "receipt:1")
                    .expectReceipt("1");
        }
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/arguments", "x-max-length:5").expectMessage("one");
        }
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/queue/arguments")
                    .expectError(
                            "precondition_failed",
                            "PRECONDITION_FAILED - inequivalent arg 'x-max-length' for queue 'arguments' in vhost '/':"
                                    + " received none but current is '5'");
            client.expectEnd();
        }
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/queue/arguments", "auto-delete:true", "x-max-length:5")
                    .expectError(
                            "precondition_failed",
                            "PRECONDITION_FAILED - inequivalent arg 'auto_delete' for queue 'arguments' in vhost '/':"
                                    + " received 'true' but current is 'false'");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "x-max-length:many",
        "x-expires:0",
        "x-max-priority:256",
        "x-message-ttl:-1",
        "x-queue-type:modern",
        "x-overflow:explode",
        "x-dead-letter-routing-key:alone"
    })
    void argumentsThatMakeNoSenseAreRefused(String line) {
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/queue/nonsense", line);
            Client.Frame error = client.expect("ERROR");
            assertThat(error.header("message")).isEqualTo("precondition_failed");
            assertThat(error.body())
                    .startsWith("PRECONDITION_FAILED - invalid arg '" + line.substring(0, line.indexOf(':')) + "'");
            client.expectEnd();
        }
    }

    @Test
    void messagesMayHavePriorities() {
        try (Client client = Client.open(broker)) {
            client.publish("/queue/prio", "low", "x-max-priority:9", "priority:1")
                    .publish("/queue/prio", "high", "priority:8")
                    .subscribe("1", "/queue/prio", "x-max-priority:9");
            assertThat(client.expectMessage("high").header("priority")).isEqualTo("8");
            client.expectMessage("low");
        }
    }

    @Test
    void aQueueThatIsNotDurableIsTheSessionsOwn() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/transient", "durable:false");
        }
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/amq/queue/transient");
            assertThat(client.expect("ERROR").header("message")).isIn("not_found", "resource_locked");
        }
    }

    @Test
    void quorumQueuesCountReturns() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/quorum", "x-queue-type:quorum", "ack:client");
            client.publish("/queue/quorum", "one");
            Client.Frame first = client.expectMessage("one");
            assertThat(first.header("x-delivery-count")).isNull();
            client.send("NACK", "id:" + first.header("ack"));
            assertThat(client.expectMessage("one").header("redelivered")).isEqualTo("true");
        }
    }
}
