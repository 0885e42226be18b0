package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.entrepot.core.topology.Stage.HOST;
import static org.entrepot.core.topology.Stage.operatorPolicy;
import static org.entrepot.core.topology.Stage.policy;

import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueLimits.Overflow;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.entrepot.spi.topology.TopologyChange;
import org.junit.jupiter.api.Test;

class PolicyTest {
    private final Stage stage = new Stage();

    /** An operator's pattern may well take in tables. */
    @Test
    void policiesGiveATableNothingThatDoesNotGoWithIt() {
        stage.change(new TopologyChange.DeclareQueue(QueueSpec.table("t", true, QueueLimits.NONE)));
        stage.administer(new AdminChange.SetPolicy(
                HOST,
                policy(
                        "p",
                        ".*",
                        0,
                        Map.of(
                                "message-ttl",
                                1L,
                                "dead-letter-exchange",
                                "dlx",
                                "overflow",
                                "drop-head",
                                "max-length",
                                5L,
                                "expires",
                                6L))));

        QueueSettings settings = stage.queue("t").settings();
        assertThat(settings.deadLetter()).isNull();
        assertThat(settings.limits())
                .isEqualTo(new QueueLimits(
                        OptionalLong.of(5),
                        OptionalLong.empty(),
                        QueueLimits.Overflow.REJECT_PUBLISH,
                        OptionalLong.empty(),
                        OptionalLong.of(6)));
    }

    @Test
    void aPolicyHasEffectOnQueuesThatAreThereAndOnThoseThatCome() {
        stage.change(Stage.declareQueue("early"), Stage.declareQueue("other"));
        QueueNode other = stage.queue("other");
        Decision decision = set(policy("p", "ear|lat", 0, Map.of("max-length", 5L)));
        stage.change(Stage.declareQueue("late"));
        assertThat(decision.changed()).extracting(QueueNode::name).containsExactly("early");
        assertThat(settings("early").limits().messages()).hasValue(5);
        assertThat(settings("late").limits().messages()).hasValue(5);
        assertThat(stage.queue("late").policy()).isEqualTo("p");
        assertThat(stage.queue("other")).isSameAs(other);
        assertThat(stage.machine.topology().queue(stage.queue("early").id())).isSameAs(stage.queue("early"));
    }

    @Test
    void clearingAPolicyTakesItsEffectAway() {
        stage.change(Stage.declareQueue("q"));
        set(policy("p", "q", 0, Map.of("max-length", 5L)));
        Decision decision = stage.administer(new AdminChange.ClearPolicy(HOST, "p", false));
        assertThat(decision.changed()).containsExactly(stage.queue("q"));
        assertThat(settings("q").limits().messages()).isEmpty();
        assertThat(stage.queue("q").policy()).isNull();
    }

    @Test
    void onlyThePolicyOfHighestPriorityHasEffect() {
        stage.change(Stage.declareQueue("q"));
        set(policy("low", "q", 1, Map.of("max-length", 1L, "message-ttl", 1L)));
        set(policy("high", "q", 9, Map.of("max-length", 9L)));
        assertThat(settings("q").limits().messages()).hasValue(9);
        assertThat(settings("q").limits().messageTtlMillis()).isEmpty();
    }

    @Test
    void ofEqualPrioritiesTheFirstNameCounts() {
        stage.change(Stage.declareQueue("q"));
        set(policy("b", "q", 0, Map.of("max-length", 2L)));
        set(policy("a", "q", 0, Map.of("max-length", 1L)));
        assertThat(stage.queue("q").policy()).isEqualTo("a");
    }

    @Test
    void howSafeAConfirmIsMayBeSaidByPolicyAndOrderedByTheOperator() {
        stage.change(Stage.declareQueue("q"));
        assertThat(settings("q").durability()).isNull();
        set(policy("p", "q", 0, Map.of("sync", "interval")));
        assertThat(settings("q").durability()).isEqualTo(Durability.OPERATING_SYSTEM);
        set(operatorPolicy("o", "q", Map.of("sync", "always")));
        assertThat(settings("q").durability()).isEqualTo(Durability.DISK);
        assertRefused(policy("p", "q", 0, Map.of("sync", "never")), "always, interval or os");
    }

    @Test
    void ofNumbersTheLeastCountsWhoeverSetsIt() {
        QueueLimits declared = new QueueLimits(
                OptionalLong.of(10), OptionalLong.of(10), Overflow.DROP_HEAD, OptionalLong.of(10), OptionalLong.of(10));
        stage.change(new TopologyChange.DeclareQueue(Stage.spec("q", false, declared)));
        set(policy("p", "q", 0, Map.of("max-length", 20L, "max-length-bytes", 5L, "message-ttl", 20L)));
        set(operatorPolicy("o", "q", Map.of("max-length", 30L, "message-ttl", 3L, "expires", 4L)));
        QueueLimits limits = settings("q").limits();
        assertThat(limits.messages()).hasValue(10);
        assertThat(limits.bytes()).hasValue(5);
        assertThat(limits.messageTtlMillis()).hasValue(3);
        assertThat(limits.idleMillis()).hasValue(4);
        assertThat(stage.queue("q").operatorPolicy()).isEqualTo("o");
    }

    @Test
    void anOperatorPolicyHasEffectAlone() {
        stage.change(Stage.declareQueue("q"));
        set(operatorPolicy("o", "q", Map.of("consumer-timeout", 9L)));
        assertThat(settings("q").leaseMillis()).hasValue(9);
    }

    @Test
    void ofEverythingElseWhatWasDeclaredCounts() {
        stage.change(new TopologyChange.DeclareQueue(withDeadLetter(new DeadLetter("declared", null, false))));
        set(policy("p", "q", 0, Map.of("dead-letter-exchange", "ordered", "dead-letter-routing-key", "key")));
        assertThat(settings("q").deadLetter()).isEqualTo(new DeadLetter("declared", RoutingKey.of("key"), false));
    }

    @Test
    void aPolicyCanDeadLetter() {
        stage.change(Stage.declareQueue("q"));
        set(policy("p", "q", 0, Map.of("dead-letter-exchange", "x")));
        assertThat(settings("q").deadLetter()).isEqualTo(new DeadLetter("x", null, false));
    }

    @Test
    void aKeyWithoutAnExchangeDeadLettersNowhere() {
        stage.change(Stage.declareQueue("q"));
        set(policy("p", "q", 0, Map.of("dead-letter-routing-key", "k")));
        assertThat(settings("q").deadLetter()).isNull();
    }

    @Test
    void atLeastOnceNeedsAQueueThatRefusesWhenFull() {
        stage.change(new TopologyChange.DeclareQueue(Stage.spec("q", true, QueueLimits.NONE)));
        set(policy("p", "q", 0, Map.of("dead-letter-exchange", "x", "dead-letter-strategy", "at-least-once")));
        assertThat(settings("q").deadLetter().atLeastOnce()).isFalse();
        set(policy(
                "p",
                "q",
                0,
                Map.of(
                        "dead-letter-exchange",
                        "x",
                        "dead-letter-strategy",
                        "at-least-once",
                        "overflow",
                        "reject-publish")));
        assertThat(settings("q").deadLetter().atLeastOnce()).isTrue();
    }

    @Test
    void overflowIsThePoliciesWhereNothingElseWasDeclared() {
        stage.change(
                Stage.declareQueue("q"),
                new TopologyChange.DeclareQueue(Stage.spec(
                        "refusing",
                        false,
                        new QueueLimits(
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                Overflow.REJECT_PUBLISH,
                                OptionalLong.empty(),
                                OptionalLong.empty()))));
        set(policy("p", ".", 0, Map.of("overflow", "reject-publish-dlx")));
        assertThat(settings("q").limits().overflow()).isEqualTo(Overflow.REJECT_PUBLISH_DEAD_LETTER);
        assertThat(settings("refusing").limits().overflow()).isEqualTo(Overflow.REJECT_PUBLISH);
    }

    @Test
    void aReplicatedQueueHasADeliveryLimitUnlessSomebodySaysOtherwise() {
        stage.change(
                Stage.declareQueue("classic"),
                new TopologyChange.DeclareQueue(Stage.spec("quorum", true, QueueLimits.NONE)),
                new TopologyChange.DeclareQueue(withDeliveryLimit("unlimited", QueueSettings.NO_DELIVERY_LIMIT)),
                new TopologyChange.DeclareQueue(withDeliveryLimit("fifty", 50)));
        assertThat(settings("classic").deliveryLimit()).isEmpty();
        assertThat(settings("quorum").deliveryLimit()).hasValue(20);
        assertThat(settings("unlimited").deliveryLimit()).isEmpty();
        assertThat(settings("fifty").deliveryLimit()).hasValue(50);
        set(policy("p", ".", 0, Map.of("delivery-limit", 30L)));
        assertThat(settings("quorum").deliveryLimit()).hasValue(30);
        assertThat(settings("unlimited").deliveryLimit()).hasValue(30);
        assertThat(settings("fifty").deliveryLimit()).hasValue(30);
        set(policy("p", ".", 0, Map.of("delivery-limit", -1L)));
        assertThat(settings("quorum").deliveryLimit()).isEmpty();
        assertThat(settings("fifty").deliveryLimit()).hasValue(50);
    }

    @Test
    void aPolicyWithAKeyThatAQueueTypeDoesNotKnowLeavesItAlone() {
        stage.change(
                Stage.declareQueue("classic"),
                new TopologyChange.DeclareQueue(Stage.spec("quorum", true, QueueLimits.NONE)));
        set(policy("p", ".", 1, Map.of("delivery-limit", 5L, "max-length", 5L)));
        set(policy("q", ".", 0, Map.of("max-length", 7L)));
        assertThat(settings("classic").limits().messages()).hasValue(7);
        assertThat(settings("quorum").limits().messages()).hasValue(5);
    }

    @Test
    void aPolicyAppliesToWhatItSays() {
        stage.change(
                Stage.declareQueue("classic"),
                new TopologyChange.DeclareQueue(Stage.spec("quorum", true, QueueLimits.NONE)),
                Stage.declareExchange("x", "direct"));
        Map<String, Object> definition = Map.of("max-length", 1L, "alternate-exchange", "ae");
        for (Policy.ApplyTo applyTo : Policy.ApplyTo.values()) {
            set(new Policy("p", ".", applyTo, 0, definition, false));
            boolean exchanges = applyTo == Policy.ApplyTo.ALL || applyTo == Policy.ApplyTo.EXCHANGES;
            boolean queues = applyTo == Policy.ApplyTo.ALL || applyTo == Policy.ApplyTo.QUEUES;
            assertThat(stage.exchange("x").alternate() != null)
                    .as("exchange under %s", applyTo)
                    .isEqualTo(exchanges);
            assertThat(stage.queue("classic").policy() != null)
                    .as("classic under %s", applyTo)
                    .isEqualTo(queues || applyTo == Policy.ApplyTo.CLASSIC_QUEUES);
            assertThat(stage.queue("quorum").policy() != null)
                    .as("quorum under %s", applyTo)
                    .isEqualTo(queues || applyTo == Policy.ApplyTo.QUORUM_QUEUES);
        }
    }

    @Test
    void anAlternateDeclaredCountsBeforeAPolicys() {
        stage.change(
                Stage.declareExchange("x", "direct"),
                new TopologyChange.DeclareExchange(
                        new ExchangeSpec("y", "direct", true, false, false, "declared", Map.of())));
        Exchange before = stage.exchange("x");
        set(policy("p", "x|y", 0, Map.of("alternate-exchange", "ordered")));
        assertThat(stage.exchange("x")).isNotSameAs(before);
        assertThat(stage.exchange("x").alternate()).isEqualTo("ordered");
        assertThat(stage.exchange("y").alternate()).isEqualTo("declared");
    }

    @Test
    void keysOfOldReleasesAreKeptWithoutEffect() {
        stage.change(Stage.declareQueue("q"));
        set(policy("p", "q", 0, Map.of("ha-mode", "all", "queue-mode", "lazy", "max-length", 3L)));
        assertThat(settings("q").limits().messages()).hasValue(3);
        assertThat(stage.host().policies().get(0).definition()).containsEntry("ha-mode", "all");
    }

    @Test
    void nonsenseIsRefused() {
        assertRefused(policy("p", "q", 0, Map.of("colour", "red")), "'colour' is not recognised as a policy setting");
        assertRefused(policy("p", "q", 0, Map.of("max-length", -1L)), "'-1' is not a valid value of 'max-length'");
        assertRefused(policy("p", "q", 0, Map.of("expires", 0L)), "'0' is not a valid value of 'expires'");
        assertRefused(policy("p", "q", 0, Map.of("overflow", "drop")), "'drop' is not a valid value of 'overflow'");
        assertRefused(policy("p", "q", 0, Map.of("message-ttl", "1")), "'1' is not a valid value of 'message-ttl'");
        assertRefused(policy("p", "(", 0, Map.of("max-length", 1L)), "'(' is not a regular expression");
        assertRefused(policy("p", "q", 0, Map.of()), "has no settings");
        assertRefused(
                operatorPolicy("o", "q", Map.of("dead-letter-exchange", "x")),
                "'dead-letter-exchange' is not recognised as an operator policy setting");
    }

    private void assertRefused(Policy policy, String why) {
        assertThatThrownBy(() -> set(policy))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining(why);
    }

    private Decision set(Policy policy) {
        return stage.administer(new AdminChange.SetPolicy(HOST, policy));
    }

    private QueueSettings settings(String queue) {
        return stage.queue(queue).settings();
    }

    private static QueueSpec withDeadLetter(DeadLetter deadLetter) {
        return new QueueSpec(
                "q",
                true,
                false,
                false,
                false,
                QueueLimits.NONE,
                deadLetter,
                1,
                0,
                false,
                OptionalInt.empty(),
                OptionalLong.empty(),
                Retention.SETTLED,
                Map.of());
    }

    private static QueueSpec withDeliveryLimit(String name, int limit) {
        return new QueueSpec(
                name,
                true,
                false,
                false,
                true,
                QueueLimits.NONE,
                null,
                1,
                0,
                false,
                OptionalInt.of(limit),
                OptionalLong.empty(),
                Retention.SETTLED,
                Map.of());
    }
}
