package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ACK and NACK. */
class AcknowledgementsTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()));

    private static void fill(String queue, int messages) {
        try (Client client = Client.open(broker)) {
            for (int i = 1; i <= messages; i++) {
                client.publish("/queue/" + queue, "m" + i);
            }
            client.send("DISCONNECT", "receipt:1").expectReceipt("1");
        }
    }

    /** Says goodbye and waits for its effect. */
    private static void leave(Client client) {
        client.send("DISCONNECT", "receipt:left").expectReceipt("left").expectEnd();
    }

    private static void expectLeft(String queue, String... bodies) {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/" + queue);
            for (String body : bodies) {
                client.expectMessage(body);
            }
            client.expectNothingElse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.0", "1.1", "1.2"})
    void aMessageIsAcknowledgedByTheHeaderOfTheVersion(String version) {
        String queue = "ack-" + version;
        fill(queue, 1);
        try (Client client = Client.open(broker, version)) {
            client.subscribe("1", "/queue/" + queue, "ack:client");
            Client.Frame message = client.expectMessage("m1");
            assertThat(message.header("ack")).isEqualTo(version.equals("1.2") ? message.header("message-id") : null);
            String header = version.equals("1.2") ? "id:" : "message-id:";
            client.send("ACK", header + message.header("message-id"), "subscription:1", "receipt:a")
                    .expectReceipt("a");
            leave(client);
        }
        expectLeft(queue);
    }

    @Test
    void clientModeAcknowledgesAllBefore() {
        fill("all", 3);
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/all", "ack:client");
            client.expectMessage("m1");
            Client.Frame second = client.expectMessage("m2");
            client.expectMessage("m3");
            client.send("ACK", "id:" + second.header("ack"));
            leave(client);
        }
        expectLeft("all", "m3");
    }

    @Test
    void individualModeAcknowledgesOne() {
        fill("one", 3);
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/one", "ack:client-individual");
            client.expectMessage("m1");
            Client.Frame second = client.expectMessage("m2");
            client.expectMessage("m3");
            client.send("ACK", "id:" + second.header("ack"));
            leave(client);
        }
        expectLeft("one", "m1", "m3");
    }

    @Test
    void clientModeAcknowledgesWhatOtherSubscriptionsGotBefore() {
        fill("cross-a", 1);
        fill("cross-b", 1);
        try (Client client = Client.open(broker)) {
            client.subscribe("a", "/queue/cross-a", "ack:client-individual");
            client.expectMessage("m1");
            client.subscribe("b", "/queue/cross-b", "ack:client");
            Client.Frame second = client.expectMessage("m1");
            client.send("ACK", "id:" + second.header("ack"));
            leave(client);
        }
        expectLeft("cross-a");
        expectLeft("cross-b");
    }

    @Test
    void autoModeNeedsNothing() {
        fill("auto", 1);
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/auto", "ack:auto");
            Client.Frame message = client.expectMessage("m1");
            assertThat(message.header("ack")).isNull();
            leave(client);
        }
        expectLeft("auto");
    }

    @Test
    void nackReturnsAMessage() {
        fill("nack", 1);
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/nack", "ack:client-individual");
            Client.Frame first = client.expectMessage("m1");
            assertThat(first.header("redelivered")).isEqualTo("false");
            client.send("NACK", "id:" + first.header("ack"));
            Client.Frame again = client.expectMessage("m1");
            assertThat(again.header("redelivered")).isEqualTo("true");
            client.send("NACK", "id:" + again.header("ack"), "requeue:false");
            client.expectNothingElse();
            leave(client);
        }
        expectLeft("nack");
    }

    @Test
    void unsettledMessagesReturnInOrderWhenTheClientLeaves() {
        fill("leave", 3);
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/leave", "ack:client");
            client.expectMessage("m1");
            client.expectMessage("m2");
            client.expectMessage("m3");
            leave(client);
        }
        expectLeft("leave", "m1", "m2", "m3");
    }

    @Test
    void anAcknowledgementMayComeAfterUnsubscribe() {
        fill("after", 1);
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/after", "ack:client");
            Client.Frame message = client.expectMessage("m1");
            client.send("UNSUBSCRIBE", "id:1", "receipt:u").expectReceipt("u");
            client.send("ACK", "id:" + message.header("ack"), "receipt:a").expectReceipt("a");
            leave(client);
        }
        expectLeft("after");
    }

    @Test
    void prefetchCountLimitsWhatIsUnsettled() {
        fill("prefetch", 3);
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/prefetch", "ack:client-individual", "prefetch-count:2");
            Client.Frame first = client.expectMessage("m1");
            client.expectMessage("m2");
            client.expectNothingElse();
            client.send("ACK", "id:" + first.header("ack"));
            client.expectMessage("m3");
        }
    }

    @Test
    void wrongAcknowledgementsAreErrorsAndTheConnectionGoesOn() {
        fill("wrong", 1);
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/wrong", "ack:client");
            String id = client.expectMessage("m1").header("ack");
            client.send("ACK", "message-id:" + id)
                    .expectError("Missing header", "\"ACK\" must include the \"id\" header\n");
            client.send("NACK", "id:nonsense")
                    .expectError("Invalid header", "\"NACK\" must include a valid \"id\" header\n");
            client.send("ACK", "id:T_1@@session@@99").expectError("Message not found", "unknown delivery tag 99\n");
            client.send("ACK", "id:" + id.replace("T_1", "T_2"))
                    .expectError("Message not found", "unknown delivery tag 1\n");
            client.send("ACK", "id:" + id, "receipt:a").expectReceipt("a");
            client.send("ACK", "id:" + id).expectError("Message not found", "unknown delivery tag 1\n");
        }
    }

    @Test
    void idsOfSubscriptionsMayHoldAnything() {
        fill("odd", 1);
        try (Client client = Client.open(broker)) {
            client.subscribe("a\\cb@@c", "/queue/odd", "ack:client");
            Client.Frame message = client.expectMessage("m1");
            assertThat(message.header("subscription")).isEqualTo("a\\cb@@c");
            client.send("ACK", "id:" + message.header("ack").replace("\\c", ":"), "receipt:a")
                    .expectReceipt("a");
        }
    }

    @Test
    void theModeMustBeKnown() {
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/queue/mode", "ack:perhaps")
                    .expectError("Processing error", "Processing error");
            client.expectNothingElse();
        }
    }
}
