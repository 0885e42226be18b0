package org.entrepot.core.security;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.entrepot.core.config.Printable;
import org.entrepot.spi.security.Authorizer;
import org.entrepot.spi.security.Permission;
import org.entrepot.spi.security.Principal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RabbitMQ's permissions of the broker's own users: three patterns for names in each virtual host, and two for keys on
 * topic exchanges. Any loop calls it; what it keeps are compiled patterns.
 */
public final class PatternAuthorizer implements Authorizer {
    /** What {@code security.authorizers} calls it. */
    public static final String NAME = "internal";

    static final int COMPILED_MAX = 2_000;

    /** What patterns see of the exchange whose name is empty. */
    static final String DEFAULT_EXCHANGE = "amq.default";

    private static final Logger log = LoggerFactory.getLogger(PatternAuthorizer.class);
    private static final int SHOWN_CHARS_MAX = 200;
    private static final Map<String, String> ANY_VARIABLES =
            Map.of(TopicPattern.USERNAME, "u", TopicPattern.VIRTUAL_HOST, "v", TopicPattern.CLIENT_ID, "c");

    private final UserDirectory directory;
    private final ConcurrentHashMap<String, NamePattern> compiled = new ConcurrentHashMap<>();

    public PatternAuthorizer(UserDirectory directory) {
        this.directory = directory;
    }

    /** What is wrong with a pattern for names, for who is about to store it; empty for nothing. */
    public static Optional<String> fault(String pattern) {
        return NamePattern.read(pattern).fault();
    }

    /** What is wrong with a pattern for keys. */
    public static Optional<String> topicFault(String pattern) {
        return fault(TopicPattern.with(ANY_VARIABLES, pattern).orElse(""));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean allows(Principal principal, String virtualHost, Permission permission) {
        return switch (permission.kind()) {
            case VIRTUAL_HOST -> permission.action() == Permission.Action.ENTER && mayEnter(principal, virtualHost);
            case EXCHANGE ->
                allowsName(
                        principal,
                        virtualHost,
                        permission.action(),
                        permission.name().isEmpty() ? DEFAULT_EXCHANGE : permission.name());
            case QUEUE -> allowsName(principal, virtualHost, permission.action(), permission.name());
            case TOPIC -> allowsKey(principal, virtualHost, permission);
        };
    }

    @Override
    public boolean restrictsTopics(Principal principal, String virtualHost, String exchange) {
        return directory
                .topicPermission(principal.name(), virtualHost, exchange)
                .isPresent();
    }

    @Override
    public CompletionStage<Boolean> enter(Principal principal, String virtualHost) {
        return CompletableFuture.completedFuture(mayEnter(principal, virtualHost));
    }

    private boolean mayEnter(Principal principal, String virtualHost) {
        return directory.virtualHostExists(virtualHost)
                && directory.permission(principal.name(), virtualHost).isPresent();
    }

    private boolean allowsName(Principal principal, String virtualHost, Permission.Action action, String name) {
        Optional<PermissionRecord> found = directory.permission(principal.name(), virtualHost);
        if (found.isEmpty()) {
            return false;
        }
        PermissionRecord patterns = found.get();
        return switch (action) {
            case CREATE, DELETE -> matches(patterns.configure(), name);
            case WRITE -> matches(patterns.write(), name);
            case READ -> matches(patterns.read(), name);
            case DESCRIBE ->
                matches(patterns.configure(), name)
                        || matches(patterns.write(), name)
                        || matches(patterns.read(), name);
            case ENTER -> false;
        };
    }

    private boolean allowsKey(Principal principal, String virtualHost, Permission permission) {
        Optional<TopicPermissionRecord> found =
                directory.topicPermission(principal.name(), virtualHost, permission.name());
        return switch (permission.action()) {
            case WRITE -> found.isEmpty() || matchesKey(found.get().write(), principal, virtualHost, permission);
            case READ -> found.isEmpty() || matchesKey(found.get().read(), principal, virtualHost, permission);
            case CREATE, DELETE, DESCRIBE, ENTER -> false;
        };
    }

    private boolean matchesKey(String pattern, Principal principal, String virtualHost, Permission permission) {
        Map<String, String> variables = new HashMap<>();
        variables.put(TopicPattern.USERNAME, principal.name());
        variables.put(TopicPattern.VIRTUAL_HOST, virtualHost);
        if (!permission.clientId().isEmpty()) {
            variables.put(TopicPattern.CLIENT_ID, permission.clientId());
        }
        // With values of its own first: a fault is told of once, not for each of the ids that clients choose.
        NamePattern sample = compiled(TopicPattern.with(ANY_VARIABLES, pattern).orElse(""), pattern);
        return sample != NamePattern.NOTHING
                && TopicPattern.with(variables, pattern)
                        .filter(complete -> compiled(complete, "").matches(permission.key()))
                        .isPresent();
    }

    private boolean matches(String pattern, String name) {
        return compiled(pattern, pattern).matches(name);
    }

    /** Compiles a pattern, and tells of its fault under the name {@code shown}, unless that is empty. */
    private NamePattern compiled(String pattern, String shown) {
        NamePattern known = compiled.get(pattern);
        if (known != null) {
            return known;
        }
        NamePattern.Reading reading = NamePattern.read(pattern);
        if (pattern.length() > NamePattern.CHARS_MAX && shown.isEmpty()) {
            return reading.pattern();
        }
        if (compiled.size() >= COMPILED_MAX) {
            compiled.clear();
        }
        if (compiled.putIfAbsent(pattern, reading.pattern()) == null && !shown.isEmpty()) {
            reading.fault()
                    .ifPresent(fault -> log.warn(
                            "The pattern '{}' of a permission allows nothing: {}",
                            Printable.of(shown, SHOWN_CHARS_MAX),
                            Printable.of(fault, SHOWN_CHARS_MAX)));
        }
        return reading.pattern();
    }
}
