package org.entrepot.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What RabbitMQ exports as definitions is there for clients after a start with {@code definitions.file}. */
@Timeout(60)
class DefinitionsImportTest {
    private static final String DEFINITIONS = """
            {
              "rabbit_version": "3.10.8",
              "users": [
                {"name": "app", "password": "secret", "tags": ["management"]},
                {"name": "old", "password_hash": "E0v+Y+Pb7nbSQIBeTlsyx/xDOdJxSfcz4i7Ub+w4XBCyKXmB",
                 "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ""}
              ],
              "vhosts": [{"name": "shop"}],
              "permissions": [
                {"user": "app", "vhost": "shop", "configure": "^app\\\\.", "write": ".*", "read": ".*"}
              ],
              "policies": [
                {"vhost": "shop", "name": "short", "pattern": "^orders$", "apply-to": "queues", "priority": 1,
                 "definition": {"max-length": 2}}
              ],
              "exchanges": [
                {"name": "events", "vhost": "shop", "type": "topic", "durable": true, "auto_delete": false,
                 "internal": false, "arguments": {}}
              ],
              "queues": [
                {"name": "orders", "vhost": "shop", "durable": true, "auto_delete": false,
                 "arguments": {"x-queue-type": "classic", "x-message-ttl": 60000}}
              ],
              "bindings": [
                {"source": "events", "vhost": "shop", "destination": "orders", "destination_type": "queue",
                 "routing_key": "order.#", "arguments": {}}
              ]
            }
            """;

    @TempDir
    private Path directory;

    @Test
    void clientsFindUsersQueuesBindingsAndPolicies() throws Exception {
        Path file = directory.resolve("definitions.json");
        Files.writeString(file, DEFINITIONS);
        try (EmbeddedBroker broker = EmbeddedBroker.with("amqp", new AmqpPlugin())
                        .set("definitions.file=" + file)
                        .start();
                Connection connection = factory(broker).newConnection()) {
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            for (String body : new String[] {"1", "2", "3"}) {
                channel.basicPublish(
                        "events",
                        "order.new",
                        MessageProperties.PERSISTENT_TEXT_PLAIN,
                        body.getBytes(StandardCharsets.UTF_8));
            }
            channel.waitForConfirmsOrDie(10_000);

            GetResponse first = channel.basicGet("orders", true);
            assertThat(new String(first.getBody(), StandardCharsets.UTF_8))
                    .as("the policy keeps the last two")
                    .isEqualTo("2");
            assertThat(first.getMessageCount()).isEqualTo(1);
            assertThatThrownBy(() -> channel.queueDeclare("other", true, false, false, null))
                    .as("app may configure only what begins with app.")
                    .hasRootCauseMessage(
                            "channel error; protocol method: #method<channel.close>(reply-code=403, reply-text=ACCESS_REFUSED"
                                    + " - configure access to queue 'other' in vhost 'shop' refused for user 'app',"
                                    + " class-id=50, method-id=10)");
        }
    }

    @Test
    void definitionsWithUsersLeaveNoRoomForADefaultOne() throws Exception {
        Path file = directory.resolve("definitions.json");
        Files.writeString(file, DEFINITIONS);
        try (EmbeddedBroker broker = EmbeddedBroker.with("amqp", new AmqpPlugin())
                .set("definitions.file=" + file)
                .start()) {
            ConnectionFactory factory = factory(broker);
            factory.setUsername("guest");
            factory.setPassword("guest");

            assertThatThrownBy(factory::newConnection).isInstanceOf(AuthenticationFailureException.class);
        }
    }

    @Test
    void whatCannotBeReadStopsTheStart() throws Exception {
        Path file = directory.resolve("definitions.json");
        Files.writeString(file, "{\"users\": [{\"tags\": []}]}");
        EmbeddedBroker.Builder builder =
                EmbeddedBroker.with("amqp", new AmqpPlugin()).set("definitions.file=" + file);
        assertThatThrownBy(builder::start)
                .hasMessageContaining("definitions.file")
                .hasMessageContaining("users");
    }

    private static ConnectionFactory factory(EmbeddedBroker broker) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.port("amqp"));
        factory.setUsername("app");
        factory.setPassword("secret");
        factory.setVirtualHost("shop");
        return factory;
    }
}
