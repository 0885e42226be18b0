package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loops;
import org.entrepot.core.storage.MemoryStorage;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat.Absent;
import org.entrepot.spi.topology.DefinedArguments;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class DefinitionsTest {
    static final String REALISTIC = """
            {
              "rabbit_version": "3.12.14",
              "rabbitmq_version": "3.12.14",
              "product_name": "RabbitMQ",
              "product_version": "3.12.14",
              "users": [
                {"name": "guest", "password_hash": "c2FsdGhhc2g=",
                 "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ["administrator"], "limits": {}},
                {"name": "old", "password_hash": "c2FsdGhhc2g=", "tags": "monitoring, policymaker",
                 "limits": {"max-connections": 5, "max-channels": -1}},
                {"name": "nobody", "password_hash": "", "tags": ""}
              ],
              "vhosts": [
                {"name": "/"},
                {"name": "orders", "description": "of customers", "tags": ["a", "b"], "default_queue_type": "quorum",
                 "metadata": {"description": "of customers", "tags": [], "default_queue_type": "quorum"},
                 "limits": []}
              ],
              "permissions": [
                {"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
                {"user": "old", "vhost": "orders", "configure": "", "write": "^x", "read": ".*"}
              ],
              "topic_permissions": [
                {"user": "old", "vhost": "orders", "exchange": "t", "write": "^{username}\\\\.", "read": ".*"}
              ],
              "parameters": [
                {"vhost": "orders", "name": "limits", "component": "vhost-limits", "value": {"max-queues": 10}},
                {"vhost": "/", "name": "op", "component": "operator_policy",
                 "value": {"pattern": ".*", "apply-to": "queues", "priority": 1, "definition": {"max-length": 1000}}},
                {"vhost": "/", "name": "s", "component": "shovel", "value": {"src-uri": "amqp://"}}
              ],
              "global_parameters": [{"name": "cluster_name", "value": "rabbit@host"}],
              "policies": [
                {"vhost": "/", "name": "ttl", "pattern": "^work", "apply-to": "queues",
                 "definition": {"message-ttl": 60000, "ha-mode": "all"}, "priority": 7}
              ],
              "operator_policies": [],
              "queues": [
                {"name": "work", "vhost": "/", "durable": true, "auto_delete": false,
                 "arguments": {"x-max-length": 500, "x-comment": null, "x-list": [1, "two", {"three": 3.5}]}},
                {"name": "incoming", "vhost": "orders", "durable": true, "auto_delete": false, "arguments": {}}
              ],
              "exchanges": [
                {"name": "events", "vhost": "/", "type": "topic", "durable": true, "auto_delete": false,
                 "internal": false, "arguments": {"alternate-exchange": "rest"}},
                {"name": "rest", "vhost": "/", "type": "fanout", "durable": true, "auto_delete": false,
                 "internal": true, "arguments": {}}
              ],
              "bindings": [
                {"source": "events", "vhost": "/", "destination": "work", "destination_type": "queue",
                 "routing_key": "work.#", "arguments": {}},
                {"source": "events", "vhost": "/", "destination": "rest", "destination_type": "exchange",
                 "routing_key": "*", "arguments": {"a": 1}},
                {"source": "", "vhost": "/", "destination": "work", "destination_type": "queue",
                 "routing_key": "work", "arguments": {}}
              ]
            }
            """;

    private final DefinitionsReader reader = new DefinitionsReader(new Arguments(), new Passwords());

    @Test
    void realisticDefinitionsAreTakenOverWhole() throws Exception {
        Topology topology = imported(REALISTIC);

        assertThat(topology.user("guest").tags()).containsExactly("administrator");
        assertThat(topology.user("guest").credentials())
                .containsExactly(new Credential("rabbit_password_hashing_sha256", Bytes.utf8("salthash")));
        assertThat(topology.user("old").tags()).containsExactlyInAnyOrder("monitoring", "policymaker");
        assertThat(topology.user("old").limits()).isEqualTo(new User.Limits(OptionalLong.of(5), OptionalLong.empty()));
        assertThat(topology.user("nobody").credentials()).isEmpty();

        VirtualHost orders = topology.virtualHost("orders");
        assertThat(orders.description()).isEqualTo("of customers");
        assertThat(orders.tags()).containsExactly("a", "b");
        assertThat(orders.defaultQueueType()).hasValue("quorum");
        assertThat(orders.limits().queues()).hasValue(10);
        assertThat(orders.permissions("old")).isEqualTo(new PermissionPatterns("", "^x", ".*"));
        assertThat(orders.topicPermissions("old", "t")).isEqualTo(new TopicPatterns("^{username}\\.", ".*"));
        assertThat(orders.queue("incoming").spec().replicated()).isTrue();

        VirtualHost root = topology.virtualHost("/");
        QueueNode work = root.queue("work");
        assertThat(work.policy()).isEqualTo("ttl");
        assertThat(work.operatorPolicy()).isEqualTo("op");
        assertThat(work.settings().limits().messages()).hasValue(500);
        assertThat(work.settings().limits().messageTtlMillis()).hasValue(60_000);
        assertThat(work.spec().extras())
                .containsEntry("x-comment", Absent.VALUE)
                .containsEntry("x-list", java.util.List.of(1L, "two", Map.of("three", 3.5)));
        assertThat(root.exchange("events").alternate()).isEqualTo("rest");
        assertThat(root.exchange("rest").spec().internal()).isTrue();
        assertThat(root.exchange("events").bindings()).hasSize(2);
        assertThat(root.bindingCount()).isEqualTo(2);
    }

    @Test
    void whatThereIsNoPlaceForIsLeftOutWithAWarning() throws Exception {
        assertThat(read(REALISTIC).warnings())
                .containsExactly("'global_parameters' is not imported", "parameters of 'shovel' are not imported");
    }

    @Test
    void importingTwiceChangesNothingMore() throws Exception {
        Topology once = imported(REALISTIC);
        Topology twice = imported(REALISTIC, REALISTIC);
        assertThat(twice.version()).isEqualTo(once.version());
    }

    @Test
    void aFileIsRead(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("definitions.json");
        Files.writeString(file, "{\"users\": [{\"name\": \"ada\"}]}");
        assertThat(reader.read(file).changes())
                .containsExactly(new Definitions.Item("users[0]", new AdminChange.PutUser(Stage.user("ada"))));
        assertThatThrownBy(() -> reader.read(directory.resolve("absent.json")))
                .isInstanceOf(DefinitionsException.class)
                .hasMessageContaining("absent.json: cannot be read");
    }

    @Test
    void whatIsWrongIsSaidWithItsPlace() {
        assertWrong("[]", "test: the document must be an object");
        assertWrong("{\"users\": 5}", "test: users must be an array");
        assertWrong("{\"users\": [{}]}", "test: users[0].name is missing");
        assertWrong("{\"users\": [{\"name\": 5}]}", "test: users[0].name must be a text");
        assertWrong("{\"users\": [{\"name\": \"a\", \"tags\": [1]}]}", "test: users[0].tags[0] must be a text");
        assertWrong(
                "{\"users\": [{\"name\": \"a\", \"password_hash\": \"x\", \"hashing_algorithm\": \"rot13\"}]}",
                "test: users[0].password_hash: no kind rot13");
        assertWrong(
                "{\"users\": [{\"name\": \"a\", \"password\": \"plain\"}]}",
                "test: users[0].password: plain passwords are not taken");
        assertWrong(
                "{\"policies\": [{\"vhost\": \"/\", \"name\": \"p\", \"pattern\": \"\", \"apply-to\": \"shoes\","
                        + " \"definition\": {}}]}",
                "test: policies[0].apply-to: 'shoes' is none of all, exchanges, queues, classic_queues, quorum_queues,"
                        + " streams");
        assertWrong(
                "{\"queues\": [{\"vhost\": \"/\", \"name\": \"q\"},"
                        + " {\"vhost\": \"/\", \"name\": \"r\", \"arguments\": {\"x-max-length\": \"many\"}}]}",
                "test: queues[1].arguments: invalid arg 'x-max-length'");
        assertWrong(
                "{\"queues\": [{\"vhost\": \"/\", \"name\": \"q\", \"durable\": \"yes\"}]}",
                "test: queues[0].durable must be true or false");
        assertWrong(
                "{\"queues\": [{\"vhost\": \"/\", \"name\": \"q\", \"arguments\": {\"a\": [12345678901234567890]}}]}",
                "test: queues[0].arguments.a[0] is a number of more than 64 bits");
        assertWrong(
                "{\"queues\": [{\"vhost\": \"/\", \"name\": \"q\", \"arguments\": {\"a\": 1e400}}]}",
                "test: queues[0].arguments.a is a number that is too large");
        assertWrong("[".repeat(1_100), "test: not well-formed JSON: Document nesting depth (1001) exceeds");
        assertWrong(
                "{\"bindings\": [{\"source\": \"x\", \"vhost\": \"/\", \"destination\": \"q\","
                        + " \"destination_type\": \"shoe\"}]}",
                "test: bindings[0].destination_type: 'shoe' is neither queue nor exchange");
        assertWrong("{\"users\": [}", "test: not well-formed JSON in line 1");
        assertWrong("{} x", "test: not well-formed JSON in line 1");
        assertWrong("", "test: the document must be an object");
    }

    @Test
    void whatTheTopologyRefusesIsSaidWithItsPlace() {
        String json = """
                {"vhosts": [{"name": "/"}],
                 "queues": [{"name": "q", "vhost": "/"}],
                 "bindings": [{"source": "absent", "vhost": "/", "destination": "q", "routing_key": ""}]}
                """;
        assertThatThrownBy(() -> imported(json))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(DefinitionsException.class)
                .hasMessage("test: bindings[0]: no exchange 'absent' in vhost '/'");
    }

    private void assertWrong(String json, String text) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(DefinitionsException.class)
                .hasMessageStartingWith(text);
    }

    private Definitions read(String json) throws IOException {
        return reader.read("test", new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)));
    }

    private Topology imported(String... documents) throws Exception {
        Loops loops = new Loops(1, System::currentTimeMillis);
        try {
            TopologyService service = new TopologyService(
                    loops.get(0),
                    new StoredTopologyLog(new MemoryStorage(), loops.get(0)),
                    Stage.TYPES,
                    new Nobody(),
                    TopologyLimits.DEFAULT,
                    Stage.STANDARD);
            service.start().toCompletableFuture().get(10, TimeUnit.SECONDS);
            for (String document : documents) {
                read(document).applyTo(service).toCompletableFuture().get(10, TimeUnit.SECONDS);
            }
            return service.current();
        } finally {
            loops.close().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    /** A protocol with two arguments. */
    static final class Arguments implements DefinedArguments {
        @Override
        public QueueSpec queue(
                String virtualHost,
                Optional<String> defaultType,
                String name,
                boolean durable,
                boolean autoDelete,
                boolean exclusive,
                Map<String, Object> arguments) {
            Object length = arguments.get("x-max-length");
            if (length != null && !(length instanceof Long)) {
                throw BrokerException.session(ErrorKind.PRECONDITION_FAILED, "invalid arg 'x-max-length'");
            }
            QueueLimits none = QueueLimits.NONE;
            return new QueueSpec(
                    name,
                    durable,
                    exclusive,
                    autoDelete,
                    defaultType.equals(Optional.of("quorum")),
                    new QueueLimits(
                            length instanceof Long most ? OptionalLong.of(most) : OptionalLong.empty(),
                            none.bytes(),
                            none.overflow(),
                            none.messageTtlMillis(),
                            none.idleMillis()),
                    null,
                    1,
                    0,
                    false,
                    OptionalInt.empty(),
                    OptionalLong.empty(),
                    Retention.SETTLED,
                    arguments);
        }

        @Override
        public ExchangeSpec exchange(
                String virtualHost,
                String name,
                String type,
                boolean durable,
                boolean autoDelete,
                boolean internal,
                Map<String, Object> arguments) {
            String alternate = arguments.get("alternate-exchange") instanceof String text ? text : null;
            return new ExchangeSpec(name, type, durable, autoDelete, internal, alternate, arguments);
        }
    }

    static final class Passwords implements DefinedPasswords {
        @Override
        public Credential ofHash(String kind, String hash) {
            if (!kind.startsWith("rabbit_password_hashing_")) {
                throw new IllegalArgumentException("no kind " + kind);
            }
            return new Credential(kind, Bytes.wrap(Base64.getDecoder().decode(hash)));
        }

        @Override
        public List<Credential> ofPassword(String password) {
            throw new IllegalArgumentException("plain passwords are not taken");
        }
    }

    private static final class Nobody implements TopologyListener {
        @Override
        public void queueAdded(QueueNode queue) {}

        @Override
        public void queueChanged(QueueNode queue) {}

        @Override
        public void queueRemoved(QueueNode queue) {}
    }
}
