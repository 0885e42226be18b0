package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.entrepot.core.topology.Stage.HOST;
import static org.entrepot.core.topology.Stage.OWNER;
import static org.entrepot.core.topology.Stage.bind;
import static org.entrepot.core.topology.Stage.bindExchange;
import static org.entrepot.core.topology.Stage.declareAutoDeleteExchange;
import static org.entrepot.core.topology.Stage.declareExchange;
import static org.entrepot.core.topology.Stage.declareExclusiveQueue;
import static org.entrepot.core.topology.Stage.declareQueue;
import static org.entrepot.core.topology.Stage.declareTransientQueue;
import static org.entrepot.core.topology.Stage.deleteExchange;
import static org.entrepot.core.topology.Stage.deleteQueue;
import static org.entrepot.core.topology.Stage.policy;
import static org.entrepot.core.topology.Stage.toExchange;
import static org.entrepot.core.topology.Stage.toQueue;
import static org.entrepot.core.topology.Stage.unbind;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.BrokerException.Scope;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.TopologyChange;
import org.junit.jupiter.api.Test;

class TopologyMachineTest {
    private static final String LOCKED = "cannot obtain exclusive access to locked queue 'q' in vhost '/'. It could be"
            + " originally declared on another connection or the exclusive property value does not match that of the"
            + " original declaration.";

    private static final int MANY = 1_000;

    private final Stage stage = new Stage();

    @Test
    void declaringANewQueueAddsIt() {
        Decision decision = stage.change(declareQueue("q"));
        assertThat(decision.outcomes()).containsExactly(new TopologyOutcome.QueueIs(stage.queue("q"), true));
        assertThat(decision.added()).containsExactly(stage.queue("q"));
        assertThat(stage.queue("q").owner()).isZero();
        assertThat(stage.machine.topology().queue(stage.queue("q").id())).isSameAs(stage.queue("q"));
    }

    @Test
    void declaringAQueueThatIsThereAnswersWithItUncompared() {
        stage.change(declareQueue("q"));
        QueueNode before = stage.queue("q");
        Decision decision = stage.changeAs(8, declareTransientQueue("q"));
        assertThat(decision.outcomes()).containsExactly(new TopologyOutcome.QueueIs(before, false));
        assertThat(decision.records()).isEmpty();
        assertThat(stage.queue("q")).isSameAs(before);
    }

    @Test
    void aQueueDeclaredAgainHasAnotherId() {
        stage.change(declareQueue("q"));
        long first = stage.queue("q").id();
        stage.change(deleteQueue("q"), declareQueue("q"));
        assertThat(stage.queue("q").id()).isGreaterThan(first);
        assertThat(stage.machine.topology().queue(first)).isNull();
    }

    @Test
    void anExclusiveQueueIsClosedToOtherConnections() {
        stage.change(declareExclusiveQueue("q"), declareExchange("x", "fanout"));
        assertThat(stage.queue("q").owner()).isEqualTo(OWNER);
        assertRefused(ErrorKind.RESOURCE_LOCKED, LOCKED, () -> stage.changeAs(8, declareQueue("q")));
        assertRefused(ErrorKind.RESOURCE_LOCKED, LOCKED, () -> stage.changeAs(8, declareExclusiveQueue("q")));
        assertRefused(ErrorKind.RESOURCE_LOCKED, LOCKED, () -> stage.changeAs(8, deleteQueue("q")));
        assertRefused(ErrorKind.RESOURCE_LOCKED, LOCKED, () -> stage.changeAs(8, bind("x", "q", "")));
        assertRefused(ErrorKind.RESOURCE_LOCKED, LOCKED, () -> stage.changeAs(8, unbind("x", "q", "")));
    }

    @Test
    void anExclusiveQueueIsOpenToItsOwnConnectionAndToTheBroker() {
        stage.change(declareExclusiveQueue("q"), declareExchange("x", "fanout"));
        stage.change(declareExclusiveQueue("q"), bind("x", "q", ""), unbind("x", "q", ""), deleteQueue("q"));
        stage.change(declareExclusiveQueue("q"));
        stage.changeAsSystem(deleteQueue("q"));
        assertThat(stage.queue("q")).isNull();
    }

    @Test
    void reservedNamesAreRefusedForNewThingsOnly() {
        assertRefused(
                ErrorKind.ACCESS_REFUSED,
                "queue name 'amq.foo' contains reserved prefix 'amq.*'",
                () -> stage.change(declareQueue("amq.foo")));
        assertRefused(
                ErrorKind.ACCESS_REFUSED,
                "exchange name 'amq.foo' contains reserved prefix 'amq.*'",
                () -> stage.change(declareExchange("amq.foo", "direct")));
        stage.changeAsSystem(declareQueue("amq.foo"));
        assertThat(stage.change(declareQueue("amq.foo")).outcomes())
                .containsExactly(new TopologyOutcome.QueueIs(stage.queue("amq.foo"), false));
        assertThat(stage.change(declareExchange("amq.direct", "direct")).outcomes())
                .containsExactly(new TopologyOutcome.ExchangeIs(stage.exchange("amq.direct"), false));
    }

    @Test
    void theDefaultExchangeIsOffLimits() {
        for (TopologyChange change : List.of(
                declareExchange("", "direct"),
                deleteExchange(""),
                bind("", "q", "k"),
                unbind("", "q", "k"),
                bindExchange("amq.direct", "", "k"),
                bindExchange("", "amq.direct", "k"))) {
            assertRefused(
                    ErrorKind.ACCESS_REFUSED,
                    "operation not permitted on the default exchange",
                    () -> stage.changeAsSystem(change));
        }
    }

    @Test
    void standardExchangesCannotBeDeleted() {
        assertRefused(
                ErrorKind.ACCESS_REFUSED,
                "deletion of system exchange 'amq.direct' in vhost '/' not allowed",
                () -> stage.change(deleteExchange("amq.direct")));
    }

    @Test
    void anUnknownTypeOfExchangeIsRefusedEvenWhereTheNameExists() {
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "unknown exchange type 'zzz'",
                () -> stage.change(declareExchange("x", "zzz")));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "unknown exchange type 'zzz'",
                () -> stage.change(declareExchange("amq.direct", "zzz")));
    }

    @Test
    void theTypeOfAnExchangeChecksItAndItsBindings() {
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "Unsupported property: colour",
                () -> stage.change(new TopologyChange.DeclareExchange(new ExchangeSpec(
                        "x", "x-consistent-hash", true, false, false, null, Map.of("hash-property", "colour")))));
        stage.change(declareExchange("x", "x-consistent-hash"), declareQueue("q"));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "The binding key must be an integer: <<\"heavy\">>",
                () -> stage.change(bind("x", "q", "heavy")));
    }

    @Test
    void deletingWhatIsNotThereSucceeds() {
        assertThat(stage.change(deleteQueue("q"), deleteExchange("x")).outcomes())
                .containsExactly(new TopologyOutcome.Gone(null, null), new TopologyOutcome.Gone(null, null));
    }

    @Test
    void anExchangeInUseIsKeptWhereAskedTo() {
        stage.change(declareExchange("x", "direct"), declareQueue("q"), bind("x", "q", "k"));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "exchange 'x' in vhost '/' in use",
                () -> stage.change(new TopologyChange.DeleteExchange("x", true)));
        stage.change(unbind("x", "q", "k"), new TopologyChange.DeleteExchange("x", true));
        assertThat(stage.exchange("x")).isNull();
    }

    @Test
    void anExchangeThatIsOnlyBoundToIsNotInUse() {
        stage.change(declareExchange("x", "direct"), bindExchange("amq.direct", "x", "k"));
        stage.change(new TopologyChange.DeleteExchange("x", true));
        assertThat(stage.exchange("amq.direct").bindings()).isEmpty();
    }

    @Test
    void bindingNeedsBothEnds() {
        stage.change(declareQueue("q"));
        assertRefused(ErrorKind.NOT_FOUND, "no exchange 'x' in vhost '/'", () -> stage.change(bind("x", "q", "k")));
        assertRefused(
                ErrorKind.NOT_FOUND, "no queue 'r' in vhost '/'", () -> stage.change(bind("amq.direct", "r", "k")));
        assertRefused(
                ErrorKind.NOT_FOUND,
                "no exchange 'y' in vhost '/'",
                () -> stage.change(bindExchange("amq.direct", "y", "k")));
    }

    @Test
    void bindingTwiceIsOneBinding() {
        stage.change(declareQueue("q"));
        assertThat(stage.change(bind("amq.direct", "q", "k"), bind("amq.direct", "q", "k"))
                        .outcomes())
                .containsExactly(new TopologyOutcome.Bound(true), new TopologyOutcome.Bound(false));
        assertThat(stage.exchange("amq.direct").bindings()).containsExactly(toQueue("amq.direct", "q", "k"));
        assertThat(stage.host().bindingCount()).isEqualTo(1);
    }

    @Test
    void unbindingWhatIsNotBoundSucceeds() {
        stage.change(declareQueue("q"));
        assertThat(stage.change(
                                unbind("amq.direct", "q", "k"),
                                unbind("amq.direct", "absent", "k"),
                                unbind("absent", "q", "k"))
                        .outcomes())
                .containsOnly(new TopologyOutcome.Bound(false));
    }

    @Test
    void everyChangeOfItsBindingsMakesAnotherExchange() {
        stage.change(declareQueue("q"));
        Exchange before = stage.exchange("amq.direct");
        Exchange untouched = stage.exchange("amq.topic");
        stage.change(bind("amq.direct", "q", "k"));
        Exchange bound = stage.exchange("amq.direct");
        stage.change(unbind("amq.direct", "q", "k"));
        assertThat(bound).isNotSameAs(before);
        assertThat(stage.exchange("amq.direct")).isNotSameAs(bound);
        assertThat(stage.exchange("amq.direct").id()).isEqualTo(before.id());
        assertThat(stage.exchange("amq.topic")).isSameAs(untouched);
    }

    @Test
    void aQueueTakesItsBindingsWithIt() {
        stage.change(declareQueue("q"), bind("amq.direct", "q", "a"), bind("amq.topic", "q", "b"));
        Decision decision = stage.change(deleteQueue("q"));
        assertThat(decision.removed()).hasSize(1);
        assertThat(stage.exchange("amq.direct").bindings()).isEmpty();
        assertThat(stage.exchange("amq.topic").bindings()).isEmpty();
        assertThat(stage.host().bindingCount()).isZero();
    }

    @Test
    void anExchangeTakesBindingsFromItAndToItWithIt() {
        stage.change(
                declareQueue("q"),
                declareExchange("x", "fanout"),
                bind("x", "q", ""),
                bindExchange("amq.direct", "x", "k"));
        stage.change(deleteExchange("x"));
        assertThat(stage.exchange("amq.direct").bindings()).isEmpty();
        assertThat(stage.host().bindingsTo(toQueue("x", "q", "").destination())).isEmpty();
        assertThat(stage.host().bindingCount()).isZero();
    }

    @Test
    void anAutoDeleteExchangeGoesWithTheLastBindingFromIt() {
        stage.change(declareQueue("q"), declareAutoDeleteExchange("x"), bind("x", "q", "a"), bind("x", "q", "b"));
        stage.change(unbind("x", "q", "a"));
        assertThat(stage.exchange("x")).isNotNull();
        stage.change(unbind("x", "q", "b"));
        assertThat(stage.exchange("x")).isNull();
    }

    @Test
    void anAutoDeleteExchangeThatNeverHadABindingStays() {
        stage.change(declareAutoDeleteExchange("x"), bindExchange("amq.direct", "x", "k"));
        stage.change(new TopologyChange.Unbind(toExchange("amq.direct", "x", "k")));
        assertThat(stage.exchange("x")).isNotNull();
    }

    @Test
    void autoDeleteExchangesGoInAChain() {
        stage.change(
                declareQueue("q"),
                declareAutoDeleteExchange("a"),
                declareAutoDeleteExchange("b"),
                declareAutoDeleteExchange("c"),
                bindExchange("a", "b", ""),
                bindExchange("b", "c", ""),
                bind("c", "q", ""));
        stage.change(deleteQueue("q"));
        assertThat(stage.exchange("a")).isNull();
        assertThat(stage.exchange("b")).isNull();
        assertThat(stage.exchange("c")).isNull();
    }

    @Test
    void aLongChainOfAutoDeleteExchangesIsNoRecursion() {
        int length = 20_000;
        stage.change(declareQueue("q"));
        stage.change(declareAutoDeleteExchange("x0"), bind("x0", "q", ""));
        for (int i = 1; i < length; i++) {
            stage.change(declareAutoDeleteExchange("x" + i), bindExchange("x" + i, "x" + (i - 1), ""));
        }
        stage.change(deleteQueue("q"));
        assertThat(stage.host().exchanges()).hasSize(Stage.STANDARD.size());
    }

    @Test
    void exchangesBoundInACircleGoToo() {
        stage.change(
                declareAutoDeleteExchange("a"),
                declareAutoDeleteExchange("b"),
                bindExchange("a", "b", ""),
                bindExchange("b", "a", ""),
                bindExchange("a", "a", ""));
        stage.change(deleteExchange("b"));
        assertThat(stage.exchange("a")).isNotNull();
        stage.change(new TopologyChange.Unbind(toExchange("a", "a", "")));
        assertThat(stage.exchange("a")).isNull();
    }

    @Test
    void aConnectionTakesItsExclusiveQueuesWithIt() {
        stage.change(declareExclusiveQueue("a"), declareExclusiveQueue("b"), declareQueue("shared"));
        stage.changeAs(8, declareExclusiveQueue("other"));
        stage.change(bind("amq.direct", "a", "k"));
        Decision first = stage.machine.dropOwner(OWNER, 1);
        stage.machine.apply(first);
        assertThat(first.removed()).extracting(QueueNode::name).containsExactly("a");
        Decision second = stage.machine.dropOwner(OWNER, MANY);
        stage.machine.apply(second);
        assertThat(second.removed()).extracting(QueueNode::name).containsExactly("b");
        assertThat(stage.host().queues()).extracting(QueueNode::name).containsExactlyInAnyOrder("other", "shared");
        assertThat(stage.exchange("amq.direct").bindings()).isEmpty();
        assertThat(stage.machine.dropOwner(OWNER, MANY).records()).isEmpty();
    }

    @Test
    void aQueueDeletedByItsIdIsThatOneAndNotItsSuccessor() {
        stage.change(declareQueue("q"));
        long first = stage.queue("q").id();
        stage.change(deleteQueue("q"), declareQueue("q"));
        Decision late = stage.machine.deleteQueue(first);
        assertThat(late.records()).isEmpty();
        stage.machine.apply(stage.machine.deleteQueue(stage.queue("q").id()));
        assertThat(stage.queue("q")).isNull();
    }

    @Test
    void aListOfChangesIsMadeWholeOrNotAtAll() {
        Topology before = stage.machine.topology();
        assertRefused(
                ErrorKind.NOT_FOUND,
                "no exchange 'absent' in vhost '/'",
                () -> stage.change(declareQueue("q"), bind("amq.direct", "q", "k"), bind("absent", "q", "k")));
        assertThat(stage.machine.topology()).isSameAs(before);
    }

    @Test
    void whatIsAddedAndRemovedInOneListIsNeither() {
        Decision decision = stage.change(declareQueue("q"), deleteQueue("q"));
        assertThat(decision.added()).isEmpty();
        assertThat(decision.removed()).isEmpty();
    }

    @Test
    void onlyWhatSurvivesARestartIsLogged() {
        Decision decision = stage.change(
                declareQueue("durable"),
                declareTransientQueue("transient"),
                declareExclusiveQueue("exclusive"),
                new TopologyChange.DeclareQueue(QueueSpec.plain("both", true, true, false)),
                new TopologyChange.DeclareExchange(ExchangeSpec.plain("x", "direct", false)),
                bind("amq.direct", "durable", "k"),
                bind("amq.direct", "transient", "k"),
                bind("x", "durable", "k"),
                bindExchange("amq.direct", "x", "k"),
                bindExchange("amq.direct", "amq.topic", "k"));
        assertThat(decision.records().stream().filter(TopologyRecord::logged))
                .containsExactly(
                        new TopologyRecord.QueueAdded(
                                HOST,
                                stage.queue("durable").id(),
                                0,
                                stage.queue("durable").spec()),
                        new TopologyRecord.Bound(HOST, toQueue("amq.direct", "durable", "k"), true),
                        new TopologyRecord.Bound(HOST, toExchange("amq.direct", "amq.topic", "k"), true));
        assertThat(stage.queue("both").settings().durable()).isFalse();
    }

    @Test
    void limitsOfAQueueAreReplacedUnderItsPolicies() {
        QueueLimits limits = new QueueLimits(
                OptionalLong.of(50),
                OptionalLong.empty(),
                QueueLimits.Overflow.REJECT_PUBLISH,
                OptionalLong.empty(),
                OptionalLong.of(7));
        stage.change(declareQueue("q"), declareTransientQueue("t"));
        stage.administer(new AdminChange.SetPolicy(HOST, policy("p", "q", 0, Map.of("max-length", 20L))));
        long id = stage.queue("q").id();

        Decision decision = stage.change(
                new TopologyChange.ChangeLimits("q", limits), new TopologyChange.ChangeLimits("t", limits));

        assertThat(stage.queue("q").id()).isEqualTo(id);
        assertThat(stage.queue("q").spec().limits()).isEqualTo(limits);
        assertThat(stage.queue("q").settings().limits().messages()).hasValue(20);
        assertThat(stage.queue("q").settings().limits().idleMillis()).hasValue(7);
        assertThat(decision.changed()).containsExactly(stage.queue("q"), stage.queue("t"));
        assertThat(decision.records().stream().filter(TopologyRecord::logged)).hasSize(1);
        assertThat(stage.change(new TopologyChange.ChangeLimits("q", limits)).records())
                .isEmpty();
        assertRefused(
                ErrorKind.NOT_FOUND,
                "no queue 'none' in vhost '/'",
                () -> stage.change(new TopologyChange.ChangeLimits("none", limits)));
    }

    @Test
    void limitsOnQueuesAreKept() {
        stage.administer(new AdminChange.SetVirtualHostLimits(
                HOST, new VirtualHostLimits(OptionalLong.empty(), OptionalLong.of(1))));
        stage.change(declareQueue("a"));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "cannot declare queue 'b': queue limit in vhost '/' (1) is reached",
                () -> stage.change(declareQueue("b")));
        stage.change(declareQueue("a"));
    }

    @Test
    void limitsOfTheBrokerAreKept() {
        Stage small = new Stage(new TopologyLimits(1, 1, 3, 1, 1, 1));
        small.change(declareQueue("a"), declareExchange("x", "direct"), bind("x", "a", "k"));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "cannot declare queue 'b': queue limit in vhost '/' (1) is reached",
                () -> small.change(declareQueue("b")));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "cannot declare exchange 'y' in vhost '/': exchange limit of 3 is reached",
                () -> small.change(declareExchange("y", "direct")));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "cannot bind to exchange 'x' in vhost '/': binding limit of 1 is reached",
                () -> small.change(bind("x", "a", "l")));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "cannot create vhost 'v': vhost limit of 1 is reached",
                () -> small.administer(Stage.virtualHost("v")));
        small.administer(new AdminChange.PutUser(Stage.user("u")));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "cannot create user 'v': user limit of 1 is reached",
                () -> small.administer(new AdminChange.PutUser(Stage.user("v"))));
    }

    @Test
    void namesHaveALengthAndOne() {
        assertRefused(ErrorKind.PRECONDITION_FAILED, "a queue needs a name", () -> stage.change(declareQueue("")));
        String longest = "ü".repeat(512);
        stage.change(declareQueue(longest));
        assertRefused(
                ErrorKind.PRECONDITION_FAILED,
                "the name of a queue may have 1024 bytes",
                () -> stage.change(declareQueue(longest + "u")));
    }

    @Test
    void aVirtualHostThatIsNotThereEndsTheConnection() {
        assertThatExceptionOfType(BrokerException.class)
                .isThrownBy(() -> stage.machine.decide("nope", OWNER, false, List.of(declareQueue("q"))))
                .satisfies(refusal -> {
                    assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_ALLOWED);
                    assertThat(refusal.scope()).isEqualTo(Scope.CONNECTION);
                    assertThat(refusal.text()).isEqualTo("vhost nope not found");
                });
    }

    @Test
    void aVirtualHostComesWithItsStandardExchangesAndGoesWithAllInIt() {
        stage.administer(Stage.virtualHost("v"));
        assertThat(stage.machine.topology().virtualHost("v").exchanges())
                .extracting(Exchange::name)
                .containsExactlyInAnyOrder("amq.direct", "amq.topic");
        stage.machine.apply(stage.machine.decide("v", OWNER, false, List.of(declareExclusiveQueue("q"))));
        long id = stage.machine.topology().virtualHost("v").queue("q").id();
        Decision decision = stage.administer(new AdminChange.DeleteVirtualHost("v"));
        assertThat(decision.removed()).extracting(QueueNode::id).containsExactly(id);
        assertThat(stage.machine.topology().virtualHost("v")).isNull();
        assertThat(stage.machine.topology().queue(id)).isNull();
        assertThat(stage.machine.dropOwner(OWNER, MANY).records()).isEmpty();
    }

    @Test
    void idsAreReservedInTheLogSoThatARestartGivesNoneTwice() {
        stage.change(declareTransientQueue("q"));
        long given = stage.queue("q").id();
        TopologyMachine restarted = new TopologyMachine(Stage.TYPES, TopologyLimits.DEFAULT, Stage.STANDARD);
        Checkpoint.of(stage.machine.topology()).forEach(restarted::apply);
        restarted.apply(restarted.begin());
        restarted.apply(restarted.decide(HOST, OWNER, false, List.of(declareQueue("q"))));
        assertThat(restarted.topology().virtualHost(HOST).queue("q").id()).isGreaterThan(given);
    }

    @Test
    void virtualHostsGetStandardExchangesThatCameLater() {
        TopologyMachine upgraded = new TopologyMachine(
                Stage.TYPES, TopologyLimits.DEFAULT, List.of(ExchangeSpec.plain("amq.fanout", "fanout", true)));
        Checkpoint.of(stage.machine.topology()).forEach(upgraded::apply);
        upgraded.apply(upgraded.begin());
        assertThat(upgraded.topology().virtualHost(HOST).exchanges())
                .extracting(Exchange::name)
                .containsExactlyInAnyOrder("amq.direct", "amq.fanout", "amq.topic");
    }

    private static void assertRefused(ErrorKind kind, String text, ThrowingCallable call) {
        assertThatExceptionOfType(BrokerException.class).isThrownBy(call).satisfies(refusal -> {
            assertThat(refusal.text()).isEqualTo(text);
            assertThat(refusal.kind()).isEqualTo(kind);
            assertThat(refusal.scope()).isEqualTo(Scope.SESSION);
        });
    }
}
