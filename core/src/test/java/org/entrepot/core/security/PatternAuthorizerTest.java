package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import org.entrepot.spi.security.Permission;
import org.entrepot.spi.security.Permission.Action;
import org.entrepot.spi.security.Permission.Kind;
import org.entrepot.spi.security.Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PatternAuthorizerTest {
    private static final Principal ALICE =
            new Principal("alice", Set.of("administrator"), "internal", Optional.empty());
    private static final Principal BOB = new Principal("bob", Set.of(), "internal", Optional.empty());

    private final Users users = new Users().virtualHost("other");
    private final PatternAuthorizer authorizer = new PatternAuthorizer(users);

    private boolean allows(Action action, Kind kind, String name) {
        return authorizer.allows(ALICE, "/", Permission.of(action, kind, name));
    }

    private boolean allowsKey(Action action, String exchange, String key) {
        return authorizer.allows(ALICE, "/", new Permission(action, Kind.TOPIC, exchange, key));
    }

    /** Which pattern decides: c, w or r of a user who has only that one. */
    @ParameterizedTest
    @CsvSource({
        "CREATE, c--",
        "DELETE, c--",
        "DESCRIBE, cwr",
        "WRITE, -w-",
        "READ, --r",
        "ENTER, ---",
    })
    void eachActionOnQueuesAndExchangesHasItsPattern(Action action, String patterns) {
        for (Kind kind : new Kind[] {Kind.QUEUE, Kind.EXCHANGE}) {
            users.permit("alice", "/", "^x$", "", "");
            assertThat(allows(action, kind, "x")).isEqualTo(patterns.charAt(0) == 'c');
            assertThat(allows(action, kind, "y")).isFalse();
            users.permit("alice", "/", "", "^x$", "");
            assertThat(allows(action, kind, "x")).isEqualTo(patterns.charAt(1) == 'w');
            assertThat(allows(action, kind, "y")).isFalse();
            users.permit("alice", "/", "", "", "^x$");
            assertThat(allows(action, kind, "x")).isEqualTo(patterns.charAt(2) == 'r');
            assertThat(allows(action, kind, "y")).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Action.class)
    void withoutAPermissionNothingIsAllowed(Action action) {
        users.permit("alice", "other", ".*", ".*", ".*");
        users.permit("bob", "/", ".*", ".*", ".*");
        for (Kind kind : new Kind[] {Kind.QUEUE, Kind.EXCHANGE, Kind.VIRTUAL_HOST}) {
            assertThat(allows(action, kind, "x")).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Action.class)
    void onVirtualHostsOnlyEnteringIsAQuestion(Action action) {
        users.permit("alice", "/", "", "", "");

        assertThat(allows(action, Kind.VIRTUAL_HOST, "/")).isEqualTo(action == Action.ENTER);
    }

    @ParameterizedTest
    @EnumSource(Action.class)
    void keysAreOnlyWrittenAndRead(Action action) {
        users.permit("alice", "/", ".*", ".*", ".*");

        assertThat(allowsKey(action, "amq.topic", "a.b")).isEqualTo(action == Action.WRITE || action == Action.READ);
    }

    @Test
    void theDefaultExchangeHasANameForPatterns() {
        users.permit("alice", "/", "", "^amq\\.default$", "");
        assertThat(allows(Action.WRITE, Kind.EXCHANGE, "")).isTrue();
        assertThat(allows(Action.WRITE, Kind.QUEUE, "")).isFalse();

        users.permit("alice", "/", "", "", "");
        assertThat(allows(Action.WRITE, Kind.EXCHANGE, "")).isFalse();
    }

    @Test
    void keysAreLimitedOnlyOnExchangesThatHaveALimit() {
        users.limit("alice", "/", "amq.topic", "^{username}\\.", "^(public|{username})\\.");

        assertThat(allowsKey(Action.WRITE, "amq.topic", "alice.x")).isTrue();
        assertThat(allowsKey(Action.WRITE, "amq.topic", "bob.x")).isFalse();
        assertThat(allowsKey(Action.WRITE, "amq.topic", "public.x")).isFalse();
        assertThat(allowsKey(Action.READ, "amq.topic", "public.x")).isTrue();
        assertThat(allowsKey(Action.READ, "amq.topic", "bob.x")).isFalse();
        assertThat(allowsKey(Action.WRITE, "another", "bob.x")).isTrue();
        assertThat(authorizer.allows(BOB, "/", new Permission(Action.WRITE, Kind.TOPIC, "amq.topic", "x")))
                .isTrue();
        assertThat(authorizer.allows(ALICE, "other", new Permission(Action.WRITE, Kind.TOPIC, "amq.topic", "x")))
                .isTrue();
    }

    @Test
    void theVirtualHostIsPutIntoPatternsForKeys() {
        users.limit("alice", "other", "amq.topic", "^{vhost}\\.", "");
        Permission write = new Permission(Action.WRITE, Kind.TOPIC, "amq.topic", "other.x");

        assertThat(authorizer.allows(ALICE, "other", write)).isTrue();
        assertThat(authorizer.allows(
                        ALICE, "other", new Permission(Action.WRITE, Kind.TOPIC, "amq.topic", "another.x")))
                .isFalse();
    }

    @Test
    void aPatternForAClientIdMatchesNothingWhereNoneIsKnown() {
        users.limit("alice", "/", "amq.topic", "^{client_id}$|.*", "");

        assertThat(allowsKey(Action.WRITE, "amq.topic", "{client_id}")).isFalse();
        assertThat(allowsKey(Action.WRITE, "amq.topic", "x")).isFalse();
    }

    private boolean allowsKeyTo(String clientId, String key) {
        return authorizer.allows(ALICE, "/", new Permission(Action.WRITE, Kind.TOPIC, "amq.topic", key, clientId));
    }

    @Test
    void theClientIdIsPutIntoPatternsForKeys() {
        users.limit("alice", "/", "amq.topic", "^devices\\.{client_id}\\.", "");

        assertThat(allowsKeyTo("lamp", "devices.lamp.on")).isTrue();
        assertThat(allowsKeyTo("lamp", "devices.door.open")).isFalse();
        assertThat(allowsKeyTo("door", "devices.door.open")).isTrue();
    }

    @Test
    void aClientIdIsLiteral() {
        users.limit("alice", "/", "amq.topic", "^devices\\.{client_id}$", "");

        for (String id : new String[] {".*", "#", "+", "x|y", "[a-z]", "\\E.*", "{username}", "a\n"}) {
            assertThat(allowsKeyTo(id, "devices." + id)).as(id).isTrue();
            assertThat(allowsKeyTo(id, "devices.x")).as(id).isFalse();
            assertThat(allowsKeyTo(id, "devices.alice")).as(id).isFalse();
        }
    }

    @Test
    void aClientIdThatMakesAPatternTooLongAllowsNothingAndIsNotLogged() {
        try (LogLines log = new LogLines(PatternAuthorizer.class)) {
            users.limit("alice", "/", "amq.topic", "^{client_id}$", "");

            for (int length : new int[] {4_010, 65_535}) {
                assertThat(allowsKeyTo("x".repeat(length), "x".repeat(length))).isFalse();
            }
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void aPatternThatIsNoneIsToldOfOnceForAllClientIds() {
        try (LogLines log = new LogLines(PatternAuthorizer.class)) {
            users.limit("alice", "/", "amq.topic", "^(?!{client_id})", "");

            assertThat(allowsKeyTo("one", "x")).isFalse();
            assertThat(allowsKeyTo("two", "x")).isFalse();
            assertThat(log.lines()).singleElement().asString().contains("'^(?!{client_id})'");
        }
    }

    @Test
    void aPatternThatIsNoneAllowsNothingAndIsToldOfOnce() {
        try (LogLines log = new LogLines(PatternAuthorizer.class)) {
            users.permit("alice", "/", "^(?!amq\\.)\n.*", "", "");

            assertThat(allows(Action.CREATE, Kind.QUEUE, "x")).isFalse();
            assertThat(allows(Action.DELETE, Kind.QUEUE, "y")).isFalse();
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("The pattern '^(?!amq\\.)\\u000a.*' of a permission allows nothing: ")
                    .contains("look-around");
        }
    }

    @Test
    void whoStoresPatternsIsToldWhatIsWrong() {
        assertThat(PatternAuthorizer.fault("^orders-.*$")).isEmpty();
        assertThat(PatternAuthorizer.fault("(?!x)")).isPresent();
        assertThat(PatternAuthorizer.topicFault("^{username}\\.{vhost}\\.{client_id}$"))
                .isEmpty();
        assertThat(PatternAuthorizer.topicFault("^{username}(")).isPresent();
    }

    @Test
    void patternsAreFollowedWhenTheyChange() {
        users.permit("alice", "/", "^x$", "", "");
        assertThat(allows(Action.CREATE, Kind.QUEUE, "x")).isTrue();

        users.permit("alice", "/", "^y$", "", "");
        assertThat(allows(Action.CREATE, Kind.QUEUE, "x")).isFalse();
        assertThat(allows(Action.CREATE, Kind.QUEUE, "y")).isTrue();
    }

    @Test
    void manyPatternsDoNotConfuseIt() {
        for (int i = 0; i < 3 * PatternAuthorizer.COMPILED_MAX; i++) {
            users.permit("alice", "/", "^q" + i + "$", "", "");
            assertThat(allows(Action.CREATE, Kind.QUEUE, "q" + i)).isTrue();
            assertThat(allows(Action.CREATE, Kind.QUEUE, "q" + (i + 1))).isFalse();
        }
    }

    @Test
    void aVirtualHostIsEnteredByWhoHasAPermissionThere() {
        users.permit("alice", "/", "", "", "").permit("alice", "gone", ".*", ".*", ".*");

        assertThat(authorizer.enter(ALICE, "/").toCompletableFuture()).isCompletedWithValue(true);
        assertThat(authorizer.enter(ALICE, "other").toCompletableFuture()).isCompletedWithValue(false);
        assertThat(authorizer.enter(ALICE, "gone").toCompletableFuture()).isCompletedWithValue(false);
        assertThat(authorizer.enter(BOB, "/").toCompletableFuture()).isCompletedWithValue(false);
    }
}
