package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of SEND that mean something, as they come back. */
class PropertiesTest {
    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("stomp", new StompPlugin()));

    private static Client.Frame sent(String... lines) {
        try (Client client = Client.open(broker)) {
            return client.subscribe("1", "/topic/properties")
                    .publish("/topic/properties", "-", lines)
                    .expect("MESSAGE");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "content-type:text/plain",
                "content-encoding:gzip",
                "persistent:true",
                "priority:5",
                "correlation-id:c 1",
                "expiration:60000",
                "amqp-message-id:m1",
                "timestamp:1700000000",
                "type:order",
                "user-id:guest",
                "app-id:shop",
                "receipt-id:x",
                "anything:else"
            })
    void comesBack(String line) {
        assertThat(sent(line).lines()).contains(line);
    }

    @ParameterizedTest
    @CsvSource({"persistent:True,persistent:true", "priority: 7 ,priority:7", "timestamp:007,timestamp:7"})
    void comesBackInItsProperForm(String line, String proper) {
        assertThat(sent(line).lines()).contains(proper);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "persistent:false",
                "persistent:yes",
                "priority:high",
                "priority:256",
                "priority:-1",
                "timestamp:noon",
                "content-length:1",
                "ack:x",
                "redelivered:true",
                "subscription:2"
            })
    void doesNotComeBack(String line) {
        Client.Frame message = sent(line);
        String name = line.substring(0, line.indexOf(':'));
        assertThat(message.lines().stream().filter(each -> each.startsWith(name + ":")))
                .hasSizeLessThanOrEqualTo(1);
        assertThat(message.lines().subList(0, message.lines().size() - 1)).doesNotContain(line);
    }

    @Test
    void messagesHaveNoIdOfTheClients() {
        try (Client client = Client.open(broker)) {
            client.publish("/topic/id", "-", "message-id:1")
                    .expectError("Invalid header", "'message-id' is not allowed on 'SEND'.\n");
            client.expectNothingElse();
        }
    }

    @Test
    void theUserMustBeTheOneWhoLoggedIn() {
        try (Client client = Client.open(broker)) {
            client.publish("/topic/user", "-", "user-id:somebody")
                    .expectError(
                            "precondition_failed",
                            "PRECONDITION_FAILED - user_id property set to 'somebody' but authenticated user was 'guest'");
            client.expectEnd();
        }
    }

    @ParameterizedTest
    @CsvSource({"soon,no_integer", "-1,'{value_negative,-1}'"})
    void theExpirationMustBeANumber(String expiration, String reason) {
        try (Client client = Client.open(broker)) {
            client.publish("/topic/expiration", "-", "expiration:" + expiration)
                    .expectError(
                            "precondition_failed",
                            "PRECONDITION_FAILED - invalid expiration '" + expiration + "': " + reason);
        }
    }

    @Test
    void messagesExpire() {
        try (Client client = Client.open(broker)) {
            client.publish("/queue/expiring", "gone", "expiration:0")
                    .publish("/queue/expiring", "there", "receipt:1")
                    .expectReceipt("1");
            client.subscribe("1", "/queue/expiring").expectMessage("there");
        }
    }
}
