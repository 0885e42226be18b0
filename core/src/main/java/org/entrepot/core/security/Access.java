package org.entrepot.core.security;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.entrepot.spi.security.Authorizer;
import org.entrepot.spi.security.Permission;
import org.entrepot.spi.security.Principal;

/**
 * What clients may do: what all configured authorizers agree to. Any loop calls it. Answers are remembered, up to a
 * bound, until users or permissions change.
 */
public final class Access {
    static final int REMEMBERED_MAX = 20_000;

    /** A question with longer names, keys or client ids is asked each time, or the bound above would be none. */
    static final int REMEMBERED_CHARS_MAX = 1_024;

    private final List<Authorizer> authorizers;
    private final UserDirectory directory;
    private volatile Answers answers = new Answers(Long.MIN_VALUE);

    private record Question(Principal principal, String virtualHost, Permission permission) {
        boolean isShort() {
            return permission.name().length()
                            + permission.key().length()
                            + permission.clientId().length()
                    <= REMEMBERED_CHARS_MAX;
        }
    }

    /** What was answered while the directory had one version. */
    private static final class Answers {
        final long version;
        final ConcurrentHashMap<Question, Boolean> byQuestion = new ConcurrentHashMap<>();

        Answers(long version) {
            this.version = version;
        }
    }

    /** All of {@code authorizers} must agree. */
    public Access(List<Authorizer> authorizers, UserDirectory directory) {
        this.authorizers = List.copyOf(authorizers);
        this.directory = directory;
    }

    /**
     * Those of {@code available} that the configuration names.
     *
     * @throws IllegalArgumentException where it names none, or one that is not there
     */
    public static List<Authorizer> chosen(List<String> names, List<Authorizer> available) {
        return Chosen.of("security.authorizers", names, available, Authorizer::name);
    }

    /** Changes whenever an answer may have changed: for who remembers answers of its own. */
    public long version() {
        return directory.version();
    }

    public boolean allows(Principal principal, String virtualHost, Permission permission) {
        Answers current = current();
        Question question = new Question(principal, virtualHost, permission);
        Boolean known = current.byQuestion.get(question);
        if (known != null) {
            return known;
        }
        boolean answer = ask(question);
        if (!question.isShort()) {
            return answer;
        }
        if (current.byQuestion.size() >= REMEMBERED_MAX) {
            current.byQuestion.clear();
        }
        current.byQuestion.put(question, answer);
        return answer;
    }

    /** Whether the principal may enter a virtual host; one that is not there nobody may. Completes on any thread. */
    public CompletionStage<Boolean> enter(Principal principal, String virtualHost) {
        if (!directory.virtualHostExists(virtualHost)) {
            return CompletableFuture.completedFuture(false);
        }
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (Authorizer authorizer : authorizers) {
            all = all.thenCompose(allowed ->
                    allowed ? authorizer.enter(principal, virtualHost) : CompletableFuture.completedFuture(false));
        }
        return all;
    }

    /** Whether keys on a topic exchange have to be asked for one by one. */
    public boolean restrictsTopics(Principal principal, String virtualHost, String exchange) {
        for (Authorizer authorizer : authorizers) {
            if (authorizer.restrictsTopics(principal, virtualHost, exchange)) {
                return true;
            }
        }
        return false;
    }

    /** RabbitMQ's word for what a permission lets one do, which clients read in refusals. */
    public static String word(Permission permission) {
        return switch (permission.action()) {
            case CREATE, DELETE -> "configure";
            case WRITE -> "write";
            case READ, DESCRIBE -> "read";
            case ENTER -> "enter";
        };
    }

    /** RabbitMQ's text of a refusal, without its code. */
    public static String refusal(Principal principal, String virtualHost, Permission permission) {
        String what = switch (permission.kind()) {
            case VIRTUAL_HOST -> "access to vhost '" + virtualHost + "'";
            case QUEUE -> resource(permission, "queue '" + permission.name() + "'", virtualHost);
            case EXCHANGE -> resource(permission, "exchange '" + exchange(permission) + "'", virtualHost);
            case TOPIC ->
                resource(
                        permission,
                        "topic '" + permission.key() + "' in exchange '" + exchange(permission) + "'",
                        virtualHost);
        };
        return what + " refused for user '" + principal.name() + "'";
    }

    private static String resource(Permission permission, String name, String virtualHost) {
        return word(permission) + " access to " + name + " in vhost '" + virtualHost + "'";
    }

    private static String exchange(Permission permission) {
        return permission.name().isEmpty() ? PatternAuthorizer.DEFAULT_EXCHANGE : permission.name();
    }

    private boolean ask(Question question) {
        for (Authorizer authorizer : authorizers) {
            if (!authorizer.allows(question.principal(), question.virtualHost(), question.permission())) {
                return false;
            }
        }
        return true;
    }

    /** How many answers are remembered. */
    int remembered() {
        return answers.byQuestion.size();
    }

    private Answers current() {
        Answers current = answers;
        long version = directory.version();
        if (current.version != version) {
            current = new Answers(version);
            answers = current;
        }
        return current;
    }
}
