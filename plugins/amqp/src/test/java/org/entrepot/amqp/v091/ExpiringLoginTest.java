package org.entrepot.amqp.v091;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.entrepot.amqp.AmqpPlugin;
import org.entrepot.amqp.v091.wire.FieldTable;
import org.entrepot.amqp.v091.wire.Method;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.security.Authenticator;
import org.entrepot.spi.security.Login;
import org.entrepot.spi.security.Principal;
import org.entrepot.testkit.BrokerExtension;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Logins that end by themselves, as those by token do: connection.update-secret (10.70) makes them last. */
@Timeout(60)
class ExpiringLoginTest {
    private static final long SHORT_MILLIS = 1_000;
    private static final String LONG = "long";

    @RegisterExtension
    static final BrokerExtension broker = new BrokerExtension(EmbeddedBroker.with("amqp", new AmqpPlugin())
            .plugin("tokens", new TokenPlugin())
            .set("security.authenticators=tokens"));

    /** Logs guest in with "short", for a moment, or with "long". */
    private static final class TokenPlugin implements BrokerPlugin, Authenticator {
        @Override
        public List<Authenticator> authenticators() {
            return List.of(this);
        }

        @Override
        public String name() {
            return "tokens";
        }

        @Override
        public List<String> mechanisms(ConnectionFacts facts) {
            return List.of("PLAIN");
        }

        @Override
        public Login begin(String mechanism, ConnectionFacts facts) {
            return response -> CompletableFuture.completedFuture(answer(response.toUtf8()));
        }

        private Login.Step answer(String response) {
            String token = response.substring(response.lastIndexOf('\0') + 1);
            return switch (token) {
                case "short" -> success(Instant.now().plusMillis(SHORT_MILLIS));
                case LONG -> success(Instant.now().plusSeconds(3_600));
                default -> new Login.Step.Failure("no such token");
            };
        }

        private Login.Step success(Instant end) {
            return new Login.Step.Success(new Principal("guest", Set.of(), name(), Optional.of(end)), Bytes.EMPTY);
        }
    }

    private static Client login(String token) {
        Client client = Client.silent(broker).greet();
        client.send(0, Client.startOk("PLAIN", Client.plain("guest", token), FieldTable.EMPTY));
        return client.tuneAndOpen("/").openChannel(1);
    }

    @Test
    void aLoginThatEndsEndsItsConnectionUnlessItWasRenewed() {
        try (Client renewed = login("short")) {
            renewed.send(0, new Method.ConnectionUpdateSecret(Bytes.utf8(LONG), "token expires"));
            renewed.expect(0, Method.ConnectionUpdateSecretOk.class);
            try (Client forgotten = login("short")) {
                forgotten.expectConnectionClose(320, "CONNECTION_FORCED - credential expired", Methods.NONE);
            }
            // The first login would have ended before the second did.
            renewed.expectNothingElse(1);
        }
    }

    @Test
    void aSecretThatIsNoneEndsTheConnection() {
        try (Client client = login(LONG)) {
            client.send(0, new Method.ConnectionUpdateSecret(Bytes.utf8("wrong"), "token expires"));
            client.expectConnectionClose(
                    530,
                    "NOT_ALLOWED - New secret was refused by one of the backends",
                    Methods.CONNECTION_UPDATE_SECRET);
        }
    }
}
