package org.entrepot.stomp;

import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** BEGIN, COMMIT, ABORT, and what belongs to them. */
class TransactionsTest {
    @RegisterExtension
    static final BrokerExtension broker =
            new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()).set("stomp.transaction-max=1 KiB"));

    @Test
    void messagesAreSentByCommit() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/commit").send("BEGIN", "transaction:t");
            client.publish("/queue/commit", "one", "transaction:t")
                    .publish("/queue/commit", "two", "transaction:t")
                    .publish("/queue/commit", "at once")
                    .expectMessage("at once");
            client.send("COMMIT", "transaction:t").expectMessage("one");
            client.expectMessage("two");
        }
    }

    @Test
    void theReceiptOfCommitComesBeforeThoseOfMessages() {
        try (Client client = Client.open(broker)) {
            client.send("BEGIN", "transaction:t")
                    .publish("/queue/receipts", "one", "transaction:t", "receipt:1")
                    .publish("/topic/nobody", "two", "transaction:t", "receipt:2")
                    .expectNothingElse();
            client.send("COMMIT", "transaction:t", "receipt:c").expectReceipt("c");
            client.expectReceipt("1").expectReceipt("2");
        }
    }

    @Test
    void messagesAreForgottenByAbort() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/abort").send("BEGIN", "transaction:t");
            client.publish("/queue/abort", "one", "transaction:t")
                    .send("ABORT", "transaction:t", "receipt:a")
                    .expectReceipt("a")
                    .expectNothingElse();
            client.send("COMMIT", "transaction:t")
                    .expectError("Bad transaction", "Invalid transaction identifier: \"t\"\n");
        }
    }

    @Test
    void aSecondBeginForgetsToo() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/again").send("BEGIN", "transaction:t");
            client.publish("/queue/again", "one", "transaction:t").send("BEGIN", "transaction:t");
            client.publish("/queue/again", "two", "transaction:t").send("COMMIT", "transaction:t");
            client.expectMessage("two");
            client.expectNothingElse();
        }
    }

    @Test
    void acknowledgementsTakeEffectByCommit() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/acks", "ack:client-individual", "prefetch-count:1");
            client.publish("/queue/acks", "one").publish("/queue/acks", "two");
            String id = client.expectMessage("one").header("ack");
            client.send("BEGIN", "transaction:t")
                    .send("ACK", "id:" + id, "transaction:t", "receipt:a")
                    .expectReceipt("a");
            client.expectNothingElse();
            client.send("COMMIT", "transaction:t").expectMessage("two");
        }
    }

    @Test
    void acknowledgementsAreForgottenByAbort() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/unacked", "ack:client", "prefetch-count:1");
            client.publish("/queue/unacked", "one").publish("/queue/unacked", "two");
            String id = client.expectMessage("one").header("ack");
            client.send("BEGIN", "transaction:t")
                    .send("ACK", "id:" + id, "transaction:t")
                    .send("ABORT", "transaction:t")
                    .expectNothingElse();
            client.send("ACK", "id:" + id).expectMessage("two");
        }
    }

    @Test
    void allOfItTakesEffectOrNothing() {
        try (Client client = Client.open(broker)) {
            client.publish("/queue/small", "fills it", "x-max-length:1", "x-overflow:reject-publish");
            client.subscribe("1", "/queue/whole").send("BEGIN", "transaction:t");
            client.publish("/queue/whole", "one", "transaction:t")
                    .publish("/queue/small", "two", "transaction:t")
                    .send("COMMIT", "transaction:t", "receipt:c");
            client.expectError("Transaction failed", "A queue refused a message, so none was sent\n");
            client.expectNothingElse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"BEGIN", "COMMIT", "ABORT"})
    void aNameIsNeeded(String command) {
        try (Client client = Client.open(broker)) {
            client.send(command)
                    .expectError("Missing transaction", "\"" + command + "\" must include a 'transaction' header\n");
            client.expectNothingElse();
        }
    }

    @Test
    void theNameMustBeKnown() {
        try (Client client = Client.open(broker)) {
            client.publish("/queue/x", "-", "transaction:t9")
                    .expectError("Bad transaction", "Invalid transaction identifier: \"t9\"\n");
            client.send("COMMIT", "transaction:t9")
                    .expectError("Bad transaction", "Invalid transaction identifier: \"t9\"\n");
        }
    }

    @Test
    void thereAreOnlySoMany() {
        try (Client client = Client.open(broker)) {
            for (int i = 0; i < 16; i++) {
                client.send("BEGIN", "transaction:t" + i);
            }
            client.send("BEGIN", "transaction:t16")
                    .expectError("Transaction limit exceeded", "Too many concurrent transactions (limit 16)");
            client.send("ABORT", "transaction:t3")
                    .send("BEGIN", "transaction:t16", "receipt:b")
                    .expectReceipt("b");
        }
    }

    @Test
    void theyHoldOnlySoMuch() {
        try (Client client = Client.open(broker)) {
            client.send("BEGIN", "transaction:t");
            client.publish("/topic/x", "x".repeat(2000), "transaction:t")
                    .expectError("Transaction too large", "Too many bytes in transaction (limit 1024)");
            client.send("BEGIN", "transaction:u");
            for (int i = 0; i < 1024; i++) {
                client.publish("/topic/x", "", "transaction:u");
            }
            client.expect("ERROR");
        }
    }
}
