package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that do not read, or leave, while much is on its way to them. */
class SlowClientsTest {
    private static final int MESSAGES = 600;
    private static final String BODY = "x".repeat(100_000);

    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()));

    private static void fill(String destination) {
        try (Client sender = Client.open(broker)) {
            for (int i = 0; i < MESSAGES; i++) {
                sender.publish(destination, BODY, "number:" + i);
            }
            sender.publish(destination, "last", "receipt:last").expectReceipt("last");
        }
    }

    @Test
    void oneThatDoesNotReadHoldsNobodyUpAndLosesNothing() {
        try (Client slow = Client.open(broker)) {
            slow.subscribe("1", "/queue/slow");
            fill("/queue/slow");
            try (Client other = Client.open(broker)) {
                other.subscribe("1", "/topic/quick")
                        .publish("/topic/quick", "one")
                        .expectMessage("one");
            }
            for (int i = 0; i < MESSAGES; i++) {
                Client.Frame message = slow.expect("MESSAGE");
                assertThat(message.header("number")).isEqualTo(Integer.toString(i));
                assertThat(message.bytes()).hasSize(BODY.length());
            }
            slow.expectMessage("last");
        }
    }

    @Test
    void whatOneThatLeavesHasNotAcknowledgedReturns() {
        fill("/queue/leaving");
        try (Client leaving = Client.open(broker)) {
            leaving.subscribe("1", "/queue/leaving", "ack:client");
            assertThat(leaving.expect("MESSAGE").header("number")).isEqualTo("0");
        }
        try (Client next = Client.open(broker)) {
            next.subscribe("1", "/queue/leaving", "ack:client");
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(next.expect("MESSAGE").header("number")).isEqualTo(Integer.toString(i));
            }
            next.expectMessage("last");
        }
    }
}
