package org.entrepot.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.SaslMechanism;
import com.rabbitmq.client.impl.LongStringHelper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** RabbitMQ's Java client logs in by SCRAM-SHA-256, which it leaves to its user to have. */
@Timeout(60)
class ScramLoginTest {
    private static final String DEFINITIONS = """
            {
              "users": [
                {"name": "app", "password": "secret", "tags": []},
                {"name": "old", "password_hash": "E0v+Y+Pb7nbSQIBeTlsyx/xDOdJxSfcz4i7Ub+w4XBCyKXmB",
                 "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ""}
              ],
              "vhosts": [{"name": "/"}],
              "permissions": [
                {"user": "app", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
                {"user": "old", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}
              ]
            }
            """;

    @TempDir
    private Path directory;

    /** The client's side of RFC 5802, which keeps what it was told. */
    private static final class Scram implements SaslMechanism {
        private final List<String> challenges = new ArrayList<>();

        @Override
        public String getName() {
            return "SCRAM-SHA-256";
        }

        @Override
        public LongString handleChallenge(LongString challenge, String user, String password) {
            if (challenge == null) {
                return LongStringHelper.asLongString("n,,n=" + user + ",r=nonce");
            }
            challenges.add(challenge.toString());
            return LongStringHelper.asLongString(challenges.size() == 1 ? proof(user, password) : "");
        }

        private String proof(String user, String password) {
            String[] told = challenges.get(0).split(",", 3);
            String withoutProof = "c=biws," + told[0];
            String messages = "n=" + user + ",r=nonce," + challenges.get(0) + ',' + withoutProof;
            try {
                PBEKeySpec spec = new PBEKeySpec(
                        password.toCharArray(),
                        Base64.getDecoder().decode(told[1].substring(2)),
                        Integer.parseInt(told[2].substring(2)),
                        256);
                byte[] salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                        .generateSecret(spec)
                        .getEncoded();
                byte[] proof = hmac(salted, "Client Key");
                byte[] signature = hmac(MessageDigest.getInstance("SHA-256").digest(proof), messages);
                for (int i = 0; i < proof.length; i++) {
                    proof[i] ^= signature[i];
                }
                return withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof);
            } catch (GeneralSecurityException impossible) {
                throw new AssertionError(impossible);
            }
        }

        private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private EmbeddedBroker broker() throws Exception {
        Path file = Files.writeString(directory.resolve("definitions.json"), DEFINITIONS);
        return EmbeddedBroker.with("amqp", new AmqpPlugin())
                .set("definitions.file=" + file)
                .start();
    }

    private static Connection connect(EmbeddedBroker broker, String user, String password, Scram scram)
            throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.port("amqp"));
        factory.setUsername(user);
        factory.setPassword(password);
        factory.setSaslConfig(mechanisms -> List.of(mechanisms).contains(scram.getName()) ? scram : null);
        return factory.newConnection();
    }

    @Test
    void aUserOfTheDefinitionsLogsIn() throws Exception {
        Scram scram = new Scram();
        try (EmbeddedBroker broker = broker();
                Connection connection = connect(broker, "app", "secret", scram)) {
            assertThat(connection.createChannel().queueDeclare().getQueue()).isNotEmpty();
            assertThat(scram.challenges).hasSize(2);
            assertThat(scram.challenges.get(0)).startsWith("r=nonce").endsWith(",i=15000");
            assertThat(scram.challenges.get(1)).startsWith("v=");
        }
    }

    @Test
    void theDefaultUserLogsIn() throws Exception {
        try (EmbeddedBroker broker =
                        EmbeddedBroker.with("amqp", new AmqpPlugin()).start();
                Connection connection = connect(broker, "guest", "guest", new Scram())) {
            assertThat(connection.isOpen()).isTrue();
        }
    }

    @Test
    void whoCannotProveItIsRefusedLikeAnybody() throws Exception {
        try (EmbeddedBroker broker = broker()) {
            for (String user : List.of("app", "old", "nobody")) {
                assertThatThrownBy(() -> connect(broker, user, "wrong", new Scram()))
                        .as(user)
                        .isInstanceOf(AuthenticationFailureException.class)
                        .hasMessage("ACCESS_REFUSED - Login was refused using authentication mechanism SCRAM-SHA-256."
                                + " For details see the broker logfile.");
            }
        }
    }
}
