package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.entrepot.core.topology.Stage.HOST;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.entrepot.spi.message.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AccessTest {
    private static final PermissionPatterns ALL = new PermissionPatterns(".*", ".*", ".*");
    private static final TopicPatterns OWN = new TopicPatterns("^{username}\\.", "^{username}\\.");

    private final Stage stage = new Stage();

    @BeforeEach
    void addAUser() {
        stage.administer(
                new AdminChange.PutUser(Stage.user("ada")),
                new AdminChange.SetPermissions("ada", HOST, ALL),
                new AdminChange.SetTopicPermissions("ada", HOST, "amq.topic", OWN));
    }

    @Test
    void permissionsAreByUserAndVirtualHost() {
        assertThat(stage.host().permissions("ada")).isEqualTo(ALL);
        assertThat(stage.host().permissions("bob")).isNull();
        assertThat(stage.host().topicPermissions("ada", "amq.topic")).isEqualTo(OWN);
        assertThat(stage.host().topicPermissions("ada", "other")).isNull();
    }

    @Test
    void permissionsCanBeCleared() {
        stage.administer(
                new AdminChange.ClearPermissions("ada", HOST),
                new AdminChange.ClearTopicPermissions("ada", HOST, null));
        assertThat(stage.host().permissions()).isEmpty();
        assertThat(stage.host().topicPermissions("ada")).isEmpty();
    }

    @Test
    void aUserTakesItsPermissionsWithIt() {
        stage.administer(new AdminChange.DeleteUser("ada"));
        assertThat(stage.machine.topology().user("ada")).isNull();
        assertThat(stage.host().permissions()).isEmpty();
        assertThat(stage.host().topicPermissions("ada")).isEmpty();
    }

    @Test
    void permissionsNeedAUser() {
        assertThatThrownBy(() -> stage.administer(new AdminChange.SetPermissions("bob", HOST, ALL)))
                .hasMessage("no user 'bob'");
    }

    @Test
    void permissionsAreRegularExpressions() {
        assertThatThrownBy(() -> stage.administer(
                        new AdminChange.SetPermissions("ada", HOST, new PermissionPatterns("(", "", ""))))
                .hasMessageStartingWith("permissions of user 'ada' in vhost '/': '(' is not a regular expression: ");
    }

    @Test
    void patternsThatWouldTakeMuchMemoryAreRefused() {
        assertThatThrownBy(() -> stage.administer(new AdminChange.SetPermissions(
                        "ada", HOST, new PermissionPatterns("((a{100}){100}){100}", "", ""))))
                .hasMessageContaining("the repetitions of");
    }

    @Test
    void theAccessVersionTellsOfUsersAndNotOfQueues() {
        long before = stage.machine.topology().accessVersion();
        stage.change(Stage.declareQueue("q"), Stage.bind("amq.direct", "q", "k"));
        assertThat(stage.machine.topology().accessVersion()).isEqualTo(before);
        stage.administer(new AdminChange.PutUser(new User(
                "ada",
                List.of(new Credential("kind", Bytes.utf8("hash"))),
                Set.of("administrator"),
                new User.Limits(OptionalLong.of(3), OptionalLong.empty()))));
        assertThat(stage.machine.topology().accessVersion()).isGreaterThan(before);
        assertThat(stage.host().permissions("ada")).isEqualTo(ALL);
    }

    @Test
    void whatIsSetAlreadyIsNoChange() {
        Decision decision = stage.administer(
                new AdminChange.PutUser(Stage.user("ada")), new AdminChange.SetPermissions("ada", HOST, ALL));
        assertThat(decision.records()).isEmpty();
        assertThat(decision.outcomes()).containsOnly(new TopologyOutcome.Done(false));
    }
}
