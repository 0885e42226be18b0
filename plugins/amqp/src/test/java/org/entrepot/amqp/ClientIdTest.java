package org.entrepot.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ConfigurationKey;
import org.entrepot.spi.PluginContext;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;
import org.entrepot.spi.topology.DefinedArguments;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.testkit.EmbeddedBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a protocol tells of its client's name decides on topics. AMQP has no such names, so its clients are given one here by
 * what opens their connections.
 */
@Timeout(60)
class ClientIdTest {
    private static final String DEFINITIONS = """
            {
              "users": [{"name": "app", "password": "secret", "tags": []}],
              "vhosts": [{"name": "/"}],
              "permissions": [{"user": "app", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}],
              "topic_permissions": [
                {"user": "app", "vhost": "/", "exchange": "amq.topic", "write": "^devices\\\\.{client_id}$", "read": ".*"}
              ]
            }
            """;

    @TempDir
    private Path directory;

    /** AMQP, all of whose clients are called "lamp.1". */
    private static final class OfLamps implements BrokerPlugin {
        private final AmqpPlugin amqp = new AmqpPlugin();

        @Override
        public List<ConfigurationKey> configuration() {
            return amqp.configuration();
        }

        @Override
        public void start(PluginContext context) {
            amqp.start(context);
        }

        @Override
        public Optional<DefinedArguments> definedArguments() {
            return amqp.definedArguments();
        }

        @Override
        public List<Protocol> protocols() {
            return amqp.protocols().stream().<Protocol>map(Naming::new).toList();
        }
    }

    private record Naming(Protocol amqp) implements Protocol {
        @Override
        public ConnectionHandler open(ChannelPipeline pipeline, org.entrepot.spi.protocol.Connection connection) {
            connection.clientId("lamp.1");
            assertThatThrownBy(() -> connection.clientId("lamp.2")).isInstanceOf(IllegalStateException.class);
            return amqp.open(pipeline, connection);
        }

        @Override
        public String name() {
            return amqp.name();
        }

        @Override
        public OptionalInt defaultPort() {
            return amqp.defaultPort();
        }

        @Override
        public Recognition recognise(ByteBuf firstBytes) {
            return amqp.recognise(firstBytes);
        }

        @Override
        public Bytes refusal(ByteBuf firstBytes) {
            return amqp.refusal(firstBytes);
        }

        @Override
        public List<ExchangeSpec> standardExchanges() {
            return amqp.standardExchanges();
        }

        @Override
        public MessageFormat format() {
            return amqp.format();
        }
    }

    private EmbeddedBroker broker(BrokerPlugin plugin) throws Exception {
        Path file = Files.writeString(directory.resolve("definitions.json"), DEFINITIONS);
        return EmbeddedBroker.with("amqp", plugin)
                .set("definitions.file=" + file)
                .start();
    }

    private static boolean mayPublish(EmbeddedBroker broker, String key) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.port("amqp"));
        factory.setUsername("app");
        factory.setPassword("secret");
        try (Connection connection = factory.newConnection()) {
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            channel.basicPublish("amq.topic", key, null, new byte[0]);
            try {
                channel.waitForConfirmsOrDie(10_000);
                return true;
            } catch (ShutdownSignalException | IOException closed) {
                assertThat(channel.getCloseReason()).hasMessageContaining("write access to topic '" + key + "'");
                return false;
            }
        }
    }

    @Test
    void aClientMayPublishToItsOwnTopic() throws Exception {
        try (EmbeddedBroker broker = broker(new OfLamps())) {
            assertThat(mayPublish(broker, "devices.lamp.1")).isTrue();
            assertThat(mayPublish(broker, "devices.lamp.2")).isFalse();
            assertThat(mayPublish(broker, "devices.lampX1"))
                    .as("the id is literal")
                    .isFalse();
        }
    }

    @Test
    void aClientWithoutANameMayNot() throws Exception {
        try (EmbeddedBroker broker = broker(new AmqpPlugin())) {
            assertThat(mayPublish(broker, "devices.lamp.1")).isFalse();
            assertThat(mayPublish(broker, "devices.")).isFalse();
        }
    }
}
