package org.entrepot.core.topology;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.DefinedArguments;
import org.entrepot.spi.topology.TopologyChange;

/**
 * Reads definitions in RabbitMQ's JSON, of old and new releases. Immutable.
 *
 * <p>What there is here no place for (parameters of other components, unknown parts) is left out with one warning each.
 */
public final class DefinitionsReader {
    private static final Set<String> PASSED_OVER = Set.of(
            "bindings",
            "exchanges",
            "explanation",
            "operator_policies",
            "original_cluster_name",
            "original_vhost_name",
            "parameters",
            "permissions",
            "policies",
            "product_name",
            "product_version",
            "queues",
            "rabbit_version",
            "rabbitmq_definition_format",
            "rabbitmq_version",
            "topic_permissions",
            "users",
            "vhosts");

    private static final String DEFAULT_ALGORITHM = "rabbit_password_hashing_sha256";

    private final DefinedArguments queueArguments;
    private final DefinedPasswords passwords;

    public DefinitionsReader(DefinedArguments queueArguments, DefinedPasswords passwords) {
        this.queueArguments = queueArguments;
        this.passwords = passwords;
    }

    /** Reads a file; throws {@link DefinitionsException} with the place and the reason where it cannot. */
    public Definitions read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return read(file.toString(), in);
        } catch (IOException failure) {
            throw new DefinitionsException(file + ": cannot be read: " + failure.getMessage(), failure);
        }
    }

    Definitions read(String source, InputStream in) throws IOException {
        try {
            return new Reading(JsonPlace.parse(in)).definitions(source);
        } catch (DefinitionsException wrong) {
            throw new DefinitionsException(source + ": " + wrong.getMessage(), wrong);
        }
    }

    /** One document being read. */
    private final class Reading {
        private final JsonPlace document;
        private final List<Definitions.Item> changes = new ArrayList<>();
        private final Set<String> warnings = new TreeSet<>();
        private final Map<String, Optional<String>> defaultTypes = new HashMap<>();

        Reading(JsonPlace document) {
            this.document = document;
        }

        Definitions definitions(String source) {
            document.elements("users").forEach(this::user);
            document.elements("vhosts").forEach(this::virtualHost);
            document.elements("permissions").forEach(this::permissions);
            document.elements("topic_permissions").forEach(this::topicPermissions);
            document.elements("parameters").forEach(this::parameter);
            document.elements("policies").forEach(place -> policy(place, place, false));
            document.elements("operator_policies").forEach(place -> policy(place, place, true));
            document.elements("exchanges").forEach(this::exchange);
            document.elements("queues").forEach(this::queue);
            document.elements("bindings").forEach(this::binding);
            for (String name : document.names()) {
                if (!PASSED_OVER.contains(name)) {
                    warnings.add("'" + name + "' is not imported");
                }
            }
            return new Definitions(source, changes, List.copyOf(warnings));
        }

        private void user(JsonPlace place) {
            String name = place.text("name");
            List<Credential> credentials = new ArrayList<>();
            Optional<String> hash = place.optionalText("password_hash").filter(text -> !text.isEmpty());
            Optional<String> password = place.optionalText("password").filter(text -> !text.isEmpty());
            if (hash.isPresent()) {
                String kind = place.optionalText("hashing_algorithm").orElse(DEFAULT_ALGORITHM);
                credentials.add(understood(place, "password_hash", () -> passwords.ofHash(kind, hash.get())));
            } else if (password.isPresent()) {
                credentials.addAll(understood(place, "password", () -> passwords.ofPassword(password.get())));
            }
            JsonPlace limits = place.object("limits");
            add(
                    place,
                    new AdminChange.PutUser(new User(
                            name,
                            credentials,
                            new HashSet<>(place.texts("tags")),
                            new User.Limits(limit(limits, "max-connections"), limit(limits, "max-channels")))));
        }

        private void virtualHost(JsonPlace place) {
            String name = place.text("name");
            JsonPlace metadata = place.object("metadata");
            Optional<String> defaultType = place.optionalText("default_queue_type")
                    .or(() -> metadata.optionalText("default_queue_type"))
                    .filter(type -> !type.equals("undefined"));
            String description = place.optionalText("description")
                    .or(() -> metadata.optionalText("description"))
                    .orElse("");
            List<String> tags = place.texts("tags");
            add(
                    place,
                    new AdminChange.PutVirtualHost(
                            name, description, tags.isEmpty() ? metadata.texts("tags") : tags, defaultType));
            defaultTypes.put(name, defaultType);
            limitVirtualHost(place, name, place.object("limits"));
        }

        private void permissions(JsonPlace place) {
            add(
                    place,
                    new AdminChange.SetPermissions(
                            place.text("user"),
                            place.text("vhost"),
                            new PermissionPatterns(place.text("configure"), place.text("write"), place.text("read"))));
        }

        private void topicPermissions(JsonPlace place) {
            add(
                    place,
                    new AdminChange.SetTopicPermissions(
                            place.text("user"),
                            place.text("vhost"),
                            place.text("exchange"),
                            new TopicPatterns(place.text("write"), place.text("read"))));
        }

        /** Limits of virtual hosts, and in older releases operator policies, are parameters of components. */
        private void parameter(JsonPlace place) {
            String component = place.text("component");
            switch (component) {
                case "vhost-limits" -> limitVirtualHost(place, place.text("vhost"), place.object("value"));
                case "operator_policy" -> policy(place, place.object("value"), true);
                default -> warnings.add("parameters of '" + component + "' are not imported");
            }
        }

        private void limitVirtualHost(JsonPlace place, String name, JsonPlace limits) {
            if (!limits.names().isEmpty()) {
                add(
                        place,
                        new AdminChange.SetVirtualHostLimits(
                                name,
                                new VirtualHostLimits(limit(limits, "max-connections"), limit(limits, "max-queues"))));
            }
        }

        private void policy(JsonPlace place, JsonPlace value, boolean operator) {
            String word = value.optionalText("apply-to").orElse("all");
            Policy.ApplyTo applyTo = Policy.ApplyTo.of(word)
                    .orElseThrow(() -> new DefinitionsException(value.path() + ".apply-to: '" + word
                            + "' is none of all, exchanges, queues, classic_queues, quorum_queues, streams"));
            long priority = value.optionalNumber("priority").orElse(0L);
            if (priority != (int) priority) {
                throw new DefinitionsException(value.path() + ".priority is too large");
            }
            add(
                    place,
                    new AdminChange.SetPolicy(
                            place.text("vhost"),
                            new Policy(
                                    place.text("name"),
                                    value.text("pattern"),
                                    applyTo,
                                    (int) priority,
                                    value.object("definition").values(),
                                    operator)));
        }

        private void exchange(JsonPlace place) {
            String name = place.text("name");
            if (name.isEmpty()) {
                return;
            }
            String virtualHost = place.text("vhost");
            add(
                    place,
                    new AdminChange.Change(
                            virtualHost,
                            new TopologyChange.DeclareExchange(understood(
                                    place,
                                    "arguments",
                                    () -> queueArguments.exchange(
                                            virtualHost,
                                            name,
                                            place.text("type"),
                                            place.flag("durable", true),
                                            place.flag("auto_delete", false),
                                            place.flag("internal", false),
                                            place.object("arguments").values())))));
        }

        private void queue(JsonPlace place) {
            String name = place.text("name");
            String virtualHost = place.text("vhost");
            add(
                    place,
                    new AdminChange.Change(
                            virtualHost,
                            new TopologyChange.DeclareQueue(understood(
                                    place,
                                    "arguments",
                                    () -> queueArguments.queue(
                                            virtualHost,
                                            defaultTypes.getOrDefault(virtualHost, Optional.empty()),
                                            name,
                                            place.flag("durable", true),
                                            place.flag("auto_delete", false),
                                            place.flag("exclusive", false),
                                            place.object("arguments").values())))));
        }

        private void binding(JsonPlace place) {
            String source = place.text("source");
            if (source.isEmpty()) {
                return;
            }
            String kind = place.optionalText("destination_type").orElse("queue");
            String name = place.text("destination");
            Destination destination = switch (kind) {
                case "queue" -> Destination.queue(name);
                case "exchange" -> Destination.exchange(name);
                default ->
                    throw new DefinitionsException(
                            place.path() + ".destination_type: '" + kind + "' is neither queue nor exchange");
            };
            add(
                    place,
                    new AdminChange.Change(
                            place.text("vhost"),
                            new TopologyChange.Bind(new BindingSpec(
                                    source,
                                    destination,
                                    RoutingKey.of(
                                            place.optionalText("routing_key").orElse("")),
                                    place.object("arguments").values()))));
        }

        /** A limit; a negative one is none. */
        private OptionalLong limit(JsonPlace limits, String name) {
            Optional<Long> limit = limits.optionalNumber(name);
            return limit.isPresent() && limit.get() >= 0 ? OptionalLong.of(limit.get()) : OptionalLong.empty();
        }

        private <T> T understood(JsonPlace place, String field, Supplier<T> reading) {
            try {
                return reading.get();
            } catch (BrokerException | IllegalArgumentException refused) {
                throw new DefinitionsException(place.path() + "." + field + ": " + refused.getMessage(), refused);
            }
        }

        private void add(JsonPlace place, AdminChange change) {
            changes.add(new Definitions.Item(place.path(), change));
        }
    }
}
