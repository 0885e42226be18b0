package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Receipts of all frames, and of messages above all. */
class ReceiptsTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()));

    @Test
    void everyFrameMayHaveOne() {
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/queue/every", "ack:client", "receipt:1")
                    .expectReceipt("1");
            client.publish("/queue/every", "one");
            String id = client.expectMessage("one").header("ack");
            client.send("NACK", "id:" + id, "receipt:2");
            // A returned message may come before its receipt, or after it.
            Client.Frame one = client.next();
            Client.Frame two = client.next();
            Client.Frame message = one.command().equals("MESSAGE") ? one : two;
            client.send("ACK", "id:" + message.header("ack"), "receipt:3").expectReceipt("3");
            client.send("BEGIN", "transaction:t", "receipt:4").expectReceipt("4");
            client.send("COMMIT", "transaction:t", "receipt:5").expectReceipt("5");
            client.send("BEGIN", "transaction:t")
                    .send("ABORT", "transaction:t", "receipt:6")
                    .expectReceipt("6");
            client.send("UNSUBSCRIBE", "id:1", "receipt:7").expectReceipt("7");
            client.send("DISCONNECT", "receipt:8").expectReceipt("8");
        }
    }

    @Test
    void everyMessageGetsItsOwn() {
        try (Client client = Client.open(broker)) {
            for (int i = 0; i < 500; i++) {
                client.publish("/queue/own" + i % 3, "-", "receipt:r" + i);
            }
            boolean[] seen = new boolean[500];
            for (int i = 0; i < 500; i++) {
                int number = Integer.parseInt(
                        client.expect("RECEIPT").header("receipt-id").substring(1));
                assertThat(seen[number]).isFalse();
                seen[number] = true;
            }
        }
    }

    @Test
    void theReceiptIsWrittenAsItCame() {
        try (Client client = Client.open(broker)) {
            client.publish("/topic/nobody", "-", "receipt:a\\cb\\\\c").expectReceipt("a\\cb\\\\c");
            client.publish("/topic/nobody", "-", "receipt:ü").expectReceipt("ü");
        }
    }

    @Test
    void aFrameThatIsRefusedGetsNone() {
        try (Client client = Client.open(broker)) {
            Client.Frame error =
                    client.publish("/nonsense/a", "-", "receipt:17").expect("ERROR");
            assertThat(error.header("receipt-id")).isEqualTo("17");
            client.expectNothingElse();
        }
    }

    @Test
    void aMessageThatAQueueRefusesGetsAnError() {
        try (Client client = Client.open(broker)) {
            client.publish("/queue/full", "one", "x-max-length:1", "x-overflow:reject-publish", "receipt:1")
                    .expectReceipt("1");
            Client.Frame error =
                    client.publish("/queue/full", "two", "receipt:2").expect("ERROR");
            assertThat(error.header("message")).isEqualTo("Message refused");
            assertThat(error.header("receipt-id")).isEqualTo("2");
            client.publish("/queue/full", "three").expectNothingElse();
        }
    }
}
