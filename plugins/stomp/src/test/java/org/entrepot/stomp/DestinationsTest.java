package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where messages go, and where they come from. */
class DestinationsTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()));

    private static final String KINDS =
            "Valid destination types are: /temp-queue, /exchange, /topic, /queue, /amq/queue," + " /reply-queue/.\n";

    @Test
    void aQueueKeepsMessagesForWhoComesLater() {
        try (Client sender = Client.open(broker)) {
            sender.publish("/queue/later", "one", "receipt:1").expectReceipt("1");
        }
        try (Client receiver = Client.open(broker)) {
            receiver.subscribe("1", "/queue/later").expectMessage("one");
        }
    }

    @Test
    void aBareNameIsAQueue() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "bare").publish("bare", "one");
            assertThat(client.expectMessage("one").header("destination")).isEqualTo("/queue/bare");
            client.publish("/queue/bare", "two").expectMessage("two");
        }
    }

    @Test
    void queuesMayBeDeclaredElsewhere() {
        try (Client client = Client.open(broker)) {
            client.publish("/queue/elsewhere", "one");
            client.subscribe("1", "/amq/queue/elsewhere").expectMessage("one");
            client.publish("/amq/queue/elsewhere", "two");
            assertThat(client.expectMessage("two").header("destination")).isEqualTo("/queue/elsewhere");
            client.publish("/reply-queue/elsewhere", "three").expectMessage("three");
        }
    }

    @Test
    void queuesThatAreNotThereAreNotFound() {
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/amq/queue/nowhere")
                    .expectError("not_found", "NOT_FOUND - no queue 'nowhere' in vhost '/'");
            client.expectEnd();
        }
    }

    @Test
    void whatIsSentToNoQueueIsConfirmed() {
        try (Client client = Client.open(broker)) {
            client.publish("/amq/queue/nowhere", "one", "receipt:1").expectReceipt("1");
        }
    }

    @Test
    void topicsGoToAllThatMatch() {
        try (Client one = Client.open(broker);
                Client two = Client.open(broker)) {
            one.subscribe("1", "/topic/stocks.*.de");
            two.subscribe("1", "/topic/stocks.#");
            one.publish("/topic/stocks.sap.de", "up").publish("/topic/stocks.ibm.us", "down");
            assertThat(one.expectMessage("up").header("destination")).isEqualTo("/topic/stocks.sap.de");
            one.expectNothingElse();
            two.expectMessage("up");
            two.expectMessage("down");
        }
    }

    @Test
    void exchangesAreAddressedByNameAndKey() {
        try (Client client = Client.open(broker)) {
            client.subscribe("topic", "/exchange/amq.topic/a.*").publish("/exchange/amq.topic/a.b", "one");
            assertThat(client.expectMessage("one").header("destination")).isEqualTo("/topic/a.b");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SEND", "SUBSCRIBE"})
    void exchangesThatAreNotThereAreNotFound(String command) {
        try (Client client = Client.open(broker)) {
            client.send(command, "id:1", "destination:/exchange/nowhere/key")
                    .expectError("not_found", "NOT_FOUND - no exchange 'nowhere' in vhost '/'");
            client.expectEnd();
        }
    }

    @Test
    void slashesInNamesAreWrittenInAnotherWay() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/a%2Fb%41").publish("/queue/a%2Fb%41", "one");
            assertThat(client.expectMessage("one").header("destination")).isEqualTo("/queue/a%2Fb%2541");
        }
    }

    @Test
    void otherBytesOfNamesAreEscapedForSubscribers() {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/queue/größe").publish("/queue/größe", "one");
            assertThat(client.expectMessage("one").header("destination")).isEqualTo("/queue/gr%C3%B6%C3%9Fe");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/queue/a/b,'/a/b',queue",
        "/queue,'',queue",
        "/queue/,'/',queue",
        "/topic,'',topic",
        "/topic/a/b,'/a/b',topic",
        "/exchange,'',exchange",
        "/exchange//foo,'//foo',exchange",
        "/exchange/a/b/c,'/a/b/c',exchange",
        "/amq/queue/,'/',amqqueue",
        "/temp-queue/a/b,'/a/b',temp_queue",
        "/reply-queue/,'/',reply_queue",
    })
    void malformedDestinationsAreRefused(String destination, String rest, String kind) {
        try (Client client = Client.open(broker)) {
            client.publish(destination, "-")
                    .expectError("Invalid destination", "'" + rest + "' is not a valid " + kind + " destination\n");
            client.send("SUBSCRIBE", "id:1", "destination:" + destination)
                    .expectError("Invalid destination", "'" + rest + "' is not a valid " + kind + " destination\n");
            client.expectNothingElse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/something/else", "a/b", "/reply-queue", "/amq/topic/a"})
    void unknownDestinationsAreRefused(String destination) {
        try (Client client = Client.open(broker)) {
            client.publish(destination, "-")
                    .expectError("Unknown destination", "'" + destination + "' is not a valid destination.\n" + KINDS);
            client.expectNothingElse();
        }
    }

    @Test
    void aDestinationIsNeeded() {
        try (Client client = Client.open(broker)) {
            client.send("SEND").expectError("Missing destination", "\"SEND\" must include a 'destination' header\n");
            client.send("SUBSCRIBE", "id:1")
                    .expectError("Missing destination", "\"SUBSCRIBE\" must include a 'destination' header\n");
            client.publish("", "-").expectError("Invalid destination", "Destination cannot be blank");
        }
    }

    @Test
    void temporaryQueuesAreForAnswersOnly() {
        try (Client client = Client.open(broker)) {
            client.publish("/temp-queue/foo", "-")
                    .expectError("Invalid destination", "'/temp-queue/foo' is not a valid destination for 'SEND'\n");
            client.send("SUBSCRIBE", "id:1", "destination:/temp-queue/foo")
                    .expectError(
                            "Invalid destination", "'/temp-queue/foo' is not a valid destination for 'SUBSCRIBE'\n");
        }
    }

    @Test
    void answersComeBackThroughATemporaryQueue() {
        try (Client asker = Client.open(broker);
                Client answerer = Client.open(broker)) {
            answerer.subscribe("1", "/queue/questions");
            for (int i = 0; i < 2; i++) {
                asker.publish("/queue/questions", "how?", "reply-to:/temp-queue/answers", "correlation-id:" + i);
                Client.Frame question = answerer.expectMessage("how?");
                assertThat(question.header("reply-to")).matches("/reply-queue/stomp\\.gen-[A-Za-z0-9_-]{22}");
                answerer.publish(question.header("reply-to"), "so", "correlation-id:" + i);
                Client.Frame answer = asker.expectMessage("so");
                assertThat(answer.header("subscription")).isEqualTo("/temp-queue/answers");
                assertThat(answer.header("correlation-id")).isEqualTo(Integer.toString(i));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/queue/a,/queue/a",
        "plain,/reply-queue/plain",
        "/topic/a,/topic/a",
        "/amq/queue/a,/amq/queue/a",
        "/exchange/a/b,/exchange/a/b"
    })
    void aReplyToIsADestination(String sent, String seen) {
        try (Client client = Client.open(broker)) {
            client.subscribe("1", "/topic/reply").publish("/topic/reply", "-", "reply-to:" + sent);
            assertThat(client.expect("MESSAGE").header("reply-to")).isEqualTo(seen);
        }
    }

    @Test
    void theTemporaryQueueGoesWithItsSession() {
        String address;
        try (Client asker = Client.open(broker);
                Client answerer = Client.open(broker)) {
            answerer.subscribe("1", "/queue/gone");
            asker.publish("/queue/gone", "how?", "reply-to:/temp-queue/answers");
            address = answerer.expect("MESSAGE").header("reply-to").substring("/reply-queue/".length());
            asker.send("DISCONNECT", "receipt:1").expectReceipt("1");
        }
        try (Client client = Client.open(broker)) {
            client.send("SUBSCRIBE", "id:1", "destination:/amq/queue/" + address);
            assertThat(client.expect("ERROR").header("message")).isEqualTo("not_found");
        }
    }
}
