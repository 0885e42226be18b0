package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.security.Authorizer;
import org.entrepot.spi.security.Permission;
import org.entrepot.spi.security.Permission.Action;
import org.entrepot.spi.security.Permission.Kind;
import org.entrepot.spi.security.Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessTest {
    private static final Principal ALICE = new Principal("alice", Set.of(), "internal", Optional.empty());
    private static final Permission WRITE = Permission.of(Action.WRITE, Kind.QUEUE, "x");

    private final Users users = new Users();
    private final Switch first = new Switch("first");
    private final Switch second = new Switch("second");
    private final Access access = new Access(List.of(first, second), users);

    /** An authorizer that allows everything or nothing, and counts how often it is asked. */
    private static final class Switch implements Authorizer {
        final String name;
        boolean open = true;
        int asked;

        Switch(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean allows(Principal principal, String virtualHost, Permission permission) {
            asked++;
            return open;
        }

        @Override
        public CompletionStage<Boolean> enter(Principal principal, String virtualHost) {
            asked++;
            return CompletableFuture.completedFuture(open);
        }
    }

    private boolean newAnswer() {
        users.virtualHost("changes the version");
        return access.allows(ALICE, "/", WRITE);
    }

    @Test
    void allMustAgree() {
        assertThat(newAnswer()).isTrue();
        second.open = false;
        assertThat(newAnswer()).isFalse();
        first.open = false;
        assertThat(newAnswer()).isFalse();
        second.open = true;
        assertThat(newAnswer()).isFalse();
    }

    @Test
    void answersAreRememberedUntilUsersOrPermissionsChange() {
        access.allows(ALICE, "/", WRITE);
        first.open = false;
        assertThat(access.allows(ALICE, "/", WRITE)).isTrue();
        assertThat(first.asked).isEqualTo(1);

        users.permit("alice", "/", "", "", "");
        assertThat(access.allows(ALICE, "/", WRITE)).isFalse();
        assertThat(first.asked).isEqualTo(2);
        assertThat(access.version()).isEqualTo(users.version());
    }

    @Test
    void everyPartOfAQuestionCounts() {
        access.allows(ALICE, "/", WRITE);
        first.open = false;

        assertThat(access.allows(ALICE, "other", WRITE)).isFalse();
        assertThat(access.allows(ALICE, "/", Permission.of(Action.READ, Kind.QUEUE, "x")))
                .isFalse();
        assertThat(access.allows(ALICE, "/", Permission.of(Action.WRITE, Kind.EXCHANGE, "x")))
                .isFalse();
        assertThat(access.allows(ALICE, "/", Permission.of(Action.WRITE, Kind.QUEUE, "y")))
                .isFalse();
        assertThat(access.allows(ALICE, "/", new Permission(Action.WRITE, Kind.QUEUE, "x", "key")))
                .isFalse();
        assertThat(access.allows(ALICE, "/", new Permission(Action.WRITE, Kind.QUEUE, "x", "", "client")))
                .isFalse();
        assertThat(access.allows(new Principal("bob", Set.of(), "internal", Optional.empty()), "/", WRITE))
                .isFalse();
        assertThat(access.allows(new Principal("alice", Set.of(), "ldap", Optional.empty()), "/", WRITE))
                .isFalse();
        assertThat(access.allows(new Principal("alice", Set.of("t"), "internal", Optional.empty()), "/", WRITE))
                .isFalse();
    }

    @Test
    void whatIsRememberedIsBounded() {
        for (int i = 0; i < 3 * Access.REMEMBERED_MAX; i++) {
            access.allows(ALICE, "/", new Permission(Action.WRITE, Kind.TOPIC, "amq.topic", "key" + i));
            assertThat(access.remembered()).isLessThanOrEqualTo(Access.REMEMBERED_MAX);
        }
    }

    @Test
    void whatIsLongIsNotRemembered() {
        String text = "x".repeat(Access.REMEMBERED_CHARS_MAX);

        assertThat(access.allows(ALICE, "/", new Permission(Action.WRITE, Kind.TOPIC, "e", "k", text)))
                .isTrue();
        assertThat(access.allows(ALICE, "/", new Permission(Action.WRITE, Kind.TOPIC, "e", text)))
                .isTrue();
        assertThat(access.remembered()).isZero();
    }

    @Test
    void aVirtualHostIsEnteredWhereAllAgreeAndItExists() {
        assertThat(access.enter(ALICE, "/").toCompletableFuture()).isCompletedWithValue(true);
        second.open = false;
        assertThat(access.enter(ALICE, "/").toCompletableFuture()).isCompletedWithValue(false);
        second.open = true;
        int asked = first.asked;
        assertThat(access.enter(ALICE, "nowhere").toCompletableFuture()).isCompletedWithValue(false);
        assertThat(first.asked).isEqualTo(asked);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "CREATE | QUEUE | q | configure access to queue 'q' in vhost '/' refused for user 'alice'",
                "DELETE | EXCHANGE | e | configure access to exchange 'e' in vhost '/' refused for user 'alice'",
                "WRITE | EXCHANGE | \"\" | write access to exchange 'amq.default' in vhost '/' refused for user 'alice'",
                "READ | QUEUE | q | read access to queue 'q' in vhost '/' refused for user 'alice'",
                "DESCRIBE | QUEUE | q | read access to queue 'q' in vhost '/' refused for user 'alice'",
                "WRITE | TOPIC | e | write access to topic 'a.b' in exchange 'e' in vhost '/' refused for user 'alice'",
                "ENTER | VIRTUAL_HOST | / | access to vhost '/' refused for user 'alice'",
            })
    void refusalsAreInTheWordsThatClientsKnow(Action action, Kind kind, String name, String text) {
        String key = kind == Kind.TOPIC ? "a.b" : "";

        assertThat(Access.refusal(ALICE, "/", new Permission(action, kind, name, key)))
                .isEqualTo(text);
    }

    @Test
    void theConfigurationChoosesByName() {
        assertThat(Access.chosen(List.of("second"), List.of(first, second))).containsExactly(second);
        assertThatThrownBy(() -> Access.chosen(List.of("third"), List.of(first, second)))
                .hasMessage("security.authorizers names 'third'; allowed: first, second");
    }
}
