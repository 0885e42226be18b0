package org.entrepot.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.ConsumerSpec;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener.Receipt;
import org.entrepot.spi.session.Transaction;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.TopologyAnswer;
import org.entrepot.spi.topology.TopologyChange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What sessions offer besides what protocols with channels need: addresses of queues, reading, looking at bindings. */
@Timeout(60)
class SessionTest {
    private final DirectClients clients = new DirectClients();
    private EmbeddedBroker broker;
    private DirectClient client;

    @BeforeEach
    void start() {
        broker = EmbeddedBroker.with("direct", clients).start();
        client = clients.connect(broker);
    }

    @AfterEach
    void stop() {
        client.close();
        broker.close();
    }

    @Test
    void aQueuesAddressLeadsToItWhateverTheKey() {
        declare("a");
        declare("b");

        assertThat(client.publish("a", "b", "one")).isEqualTo(Receipt.STORED);
        assertThat(client.publish("a", "other", "two")).isEqualTo(Receipt.STORED);

        assertThat(client.read("a", 1_000)).containsExactly("b=one", "other=two");
        assertThat(client.read("b", 1_000)).isEmpty();
    }

    @Test
    void anAddressFollowsItsQueue() {
        assertThatThrownBy(() -> client.publish("late", "k", "x"))
                .asInstanceOf(type(BrokerException.class))
                .extracting(BrokerException::kind)
                .isEqualTo(ErrorKind.NOT_FOUND);
        declare("late");
        var address = client.call(() -> client.session().queueAddress("late", RoutingKey.of("k")));
        var envelope = Envelope.of("", RoutingKey.of("k"), false);
        client.call(() -> client.session().publish(address, client.message("first"), envelope));
        client.await(() -> client.session().change(new TopologyChange.DeleteQueue("late", false, false)));

        assertThatThrownBy(() -> client.call(() -> client.session().publish(address, client.message("lost"), envelope)))
                .hasMessage("no queue 'late' in vhost '/'");
        declare("late");
        client.call(() -> client.session().publish(address, client.message("second"), envelope));

        assertThat(client.read("late", 1_000)).containsExactly("k=second");
    }

    @Test
    void aTransactionPublishesToAQueuesAddress() {
        declare("a");
        declare("b");
        Transaction transaction = client.call(() -> {
            Transaction begun = client.session().begin();
            for (String queue : List.of("a", "b")) {
                RoutingKey key = RoutingKey.of("k");
                begun.publish(
                        client.session().queueAddress(queue, key), client.message(queue), Envelope.of("", key, true));
            }
            return begun;
        });
        assertThat(client.read("a", 1_000)).isEmpty();

        assertThat(client.await(transaction::commit)).isTrue();

        assertThat(client.read("a", 1_000)).containsExactly("k=a");
        assertThat(client.read("b", 1_000)).containsExactly("k=b");
    }

    @Test
    void whatFollowsACallComesBeforeWhatWaits() {
        List<String> done = new ArrayList<>();
        client.await(() -> {
            Session session = client.session();
            ConsumerSpec consumer = new ConsumerSpec("q", "c", true, false, 0, 0, OptionalLong.empty(), Map.of());
            CompletionStage<Void> steps = session.change(
                            new TopologyChange.DeclareQueue(QueueSpec.plain("q", false, true, false)))
                    .thenCompose(declared -> session.consume(consumer, deliveries -> {}))
                    .thenAccept(consuming -> done.add("the calls"));
            CompletableFuture<Void> held = new CompletableFuture<>();
            session.whenIdle(
                    () -> {
                        done.add("what waits");
                        held.complete(null);
                    },
                    0);
            return steps.thenCombine(held, (one, other) -> null);
        });

        assertThat(done).containsExactly("the calls", "what waits");
    }

    @Test
    void readingTakesNothingAndSeesWhatOthersHold() {
        declare("q");
        for (String text : List.of("one", "two", "three")) {
            client.publish("q", "k", text);
        }
        List<Deliveries> pulled = new ArrayList<>();
        client.await(() -> client.session().pull("q", false, pulled::add));

        assertThat(client.read("q", 1)).containsExactly("k=one", "k=two", "k=three");
        assertThat(client.read("q", 1 << 20)).containsExactly("k=one", "k=two", "k=three");

        assertThat(client.await(() -> client.session().pull("q", true, some -> {})))
                .isEqualTo(Optional.of(1L));
        assertThat(client.read("q", 1 << 20)).containsExactly("k=one", "k=three");
    }

    @Test
    void whoHasReadToTheEndGoesOnWhereItWas() {
        declare("q");
        client.publish("q", "k", "one");
        long next = client.await(() -> client.session().read("q", 0, 1_000, some -> {}));
        assertThat(client.await(() -> client.session().read("q", next, 1_000, some -> {})))
                .isEqualTo(-1);

        client.publish("q", "k", "two");

        List<String> texts = new ArrayList<>();
        client.await(() -> client.session()
                .read("q", next, 1_000, some -> texts.add(some.message(0).body().toUtf8())));
        assertThat(texts).containsExactly("two");
    }

    @Test
    void aQueueWithAConsumerCanBeRead() {
        declare("q");
        client.await(() -> client.session()
                .consume(new ConsumerSpec("q", "c", false, false, 0, 1, OptionalLong.empty(), Map.of()), some -> {}));
        client.publish("q", "k", "one");
        client.publish("q", "k", "two");

        assertThat(client.read("q", 1_000)).containsExactly("k=one", "k=two");
    }

    @Test
    void aTableKeepsTheNewestMessageOfEachKey() {
        declareTable(QueueLimits.NONE);
        client.publish("t", "a", "1");
        client.publish("t", "b", "2");
        client.publish("t", "a", "3");
        client.publish("t", "b", "");

        assertThat(client.read("t", 1_000)).containsExactly("a=3");
        assertThat(client.await(() -> client.session().purge("t"))).isEqualTo(1);
        assertThat(client.read("t", 1_000)).isEmpty();
    }

    @Test
    void aTableIsPublishedToThroughExchangesAsWell() {
        declareTable(QueueLimits.NONE);
        client.await(() -> client.session()
                .change(List.of(
                        new TopologyChange.DeclareExchange(ExchangeSpec.plain("e", "topic", false)),
                        new TopologyChange.Bind(
                                new BindingSpec("e", Destination.queue("t"), RoutingKey.of("x.#"), Map.of())))));
        for (String text : List.of("1", "2")) {
            client.call(() -> client.session()
                    .publish(
                            client.session().address("e", RoutingKey.of("x.y")),
                            client.message(text),
                            Envelope.of("e", RoutingKey.of("x.y"), true)));
            assertThat(client.receipt()).isEqualTo(Receipt.STORED);
        }

        assertThat(client.read("t", 1_000)).containsExactly("x.y=2");
    }

    @Test
    void aFullTableRefusesNewKeys() {
        declareTable(new QueueLimits(
                OptionalLong.of(1),
                OptionalLong.empty(),
                QueueLimits.Overflow.DROP_HEAD,
                OptionalLong.empty(),
                OptionalLong.empty()));

        assertThat(client.publish("t", "a", "1")).isEqualTo(Receipt.STORED);
        assertThat(client.publish("t", "b", "2")).isEqualTo(Receipt.REFUSED);
        assertThat(client.publish("t", "a", "3")).isEqualTo(Receipt.STORED);
        assertThat(client.publish("t", "a", "")).isEqualTo(Receipt.STORED);
        assertThat(client.publish("t", "b", "4")).isEqualTo(Receipt.STORED);
        assertThat(client.read("t", 1_000)).containsExactly("b=4");
    }

    @Test
    void aTransactionPutsAndErasesTogether() {
        declareTable(QueueLimits.NONE);
        declare("q");
        client.publish("t", "a", "1");
        Transaction transaction = client.call(() -> {
            Transaction begun = client.session().begin();
            publish(begun, "t", "a", "");
            publish(begun, "t", "b", "2");
            publish(begun, "q", "k", "3");
            return begun;
        });
        assertThat(client.read("t", 1_000)).containsExactly("a=1");

        assertThat(client.await(transaction::commit)).isTrue();

        assertThat(client.read("t", 1_000)).containsExactly("b=2");
        assertThat(client.read("q", 1_000)).containsExactly("k=3");
    }

    /** Of one message it is committed plainly. */
    @Test
    void aTransactionOfOneErasureErases() {
        declareTable(QueueLimits.NONE);
        client.publish("t", "a", "1");
        Transaction transaction = client.call(() -> {
            Transaction begun = client.session().begin();
            publish(begun, "t", "a", "");
            return begun;
        });

        assertThat(client.await(transaction::commit)).isTrue();

        assertThat(client.read("t", 1_000)).isEmpty();
    }

    @Test
    void aTableIsNotConsumedFrom() {
        declareTable(QueueLimits.NONE);
        String refusal =
                "queue 't' in vhost '/' keeps the latest message of each key: it can be read, but not consumed from";

        assertThatThrownBy(() -> client.await(() -> client.session().pull("t", true, some -> {})))
                .hasMessage(refusal);
        assertThatThrownBy(() -> client.await(() -> client.session()
                        .consume(
                                new ConsumerSpec("t", "c", false, false, 0, 0, OptionalLong.empty(), Map.of()),
                                some -> {})))
                .hasMessage(refusal);
    }

    @Test
    void whatDoesNotGoWithATableIsRefused() {
        QueueLimits ages = new QueueLimits(
                OptionalLong.empty(),
                OptionalLong.empty(),
                QueueLimits.Overflow.REJECT_PUBLISH,
                OptionalLong.of(1),
                OptionalLong.empty());
        assertThatThrownBy(() -> declareTable(ages))
                .hasMessage(
                        "queue 't' keeps the latest message of each key and cannot have a time to live of its messages");
        declareTable(QueueLimits.NONE);
        assertThatThrownBy(
                        () -> client.await(() -> client.session().change(new TopologyChange.ChangeLimits("t", ages))))
                .hasMessageEndingWith("cannot have a time to live of its messages");
    }

    private void publish(Transaction to, String queue, String key, String text) {
        RoutingKey routingKey = RoutingKey.of(key);
        to.publish(
                client.session().queueAddress(queue, routingKey),
                client.message(text),
                Envelope.of("", routingKey, true));
    }

    private void declareTable(QueueLimits limits) {
        client.await(
                () -> client.session().change(new TopologyChange.DeclareQueue(QueueSpec.table("t", true, limits))));
    }

    @Test
    void bindingsAreFoundByBothEnds() {
        declare("a");
        declare("b");
        client.await(() ->
                client.session().change(new TopologyChange.DeclareExchange(ExchangeSpec.plain("e", "topic", false))));
        BindingSpec star = bind("a", "x.*");
        BindingSpec starOfB = bind("b", "x.*");
        bind("a", "x.y");

        assertThat(client.call(() -> client.session().bindingsFrom("e", RoutingKey.of("x.*"))))
                .containsExactlyInAnyOrder(star, starOfB);
        assertThat(client.call(() -> client.session().bindingsFrom("e", RoutingKey.of("x"))))
                .isEmpty();
        assertThat(client.call(() -> client.session().bindingsFrom("none", RoutingKey.of("x"))))
                .isEmpty();
        assertThat(client.call(() -> client.session().bindingsOf(Destination.queue("a"))))
                .hasSize(2)
                .contains(star);
        assertThat(client.call(() -> client.session().bindingsOf(Destination.queue("none"))))
                .isEmpty();
    }

    @Test
    void queuesAreFoundByTheBeginningsOfTheirNames() {
        declare("mine.1");
        declare("mine.2");
        declare("min");

        assertThat(client.call(() -> client.session().queueNames("mine.")))
                .containsExactlyInAnyOrder("mine.1", "mine.2");
    }

    @Test
    void changesAreMadeWholeOrNotAtAll() {
        declare("old");
        client.publish("old", "k", "one");
        BindingSpec binding = new BindingSpec("e", Destination.queue("q"), RoutingKey.of("k"), Map.of());
        TopologyChange.DeclareQueue queue = new TopologyChange.DeclareQueue(QueueSpec.plain("q", false, false, false));
        TopologyChange.DeclareExchange exchange =
                new TopologyChange.DeclareExchange(ExchangeSpec.plain("e", "topic", false));

        assertThatThrownBy(() -> client.await(
                        () -> client.session().change(List.of(queue, new TopologyChange.Bind(binding), exchange))))
                .hasMessage("no exchange 'e' in vhost '/'");
        assertThat(client.call(() -> client.session().queueNames("q"))).isEmpty();

        List<TopologyAnswer> answers = client.await(() -> client.session()
                .change(List.of(
                        queue,
                        exchange,
                        new TopologyChange.Bind(binding),
                        new TopologyChange.DeleteQueue("old", false, false))));

        assertThat(answers)
                .containsExactly(
                        new TopologyAnswer.Queue(queue.spec(), true, 0, 0),
                        new TopologyAnswer.Exchange(exchange.spec(), true),
                        new TopologyAnswer.Bound(),
                        new TopologyAnswer.Deleted(true, 1));
        assertThat(client.call(() -> client.session().bindingsOf(Destination.queue("q"))))
                .containsExactly(binding);
    }

    @Test
    void aListOfChangesKeepsWhatAConditionForbidsToDelete() {
        declare("full");
        client.publish("full", "k", "one");

        assertThatThrownBy(() -> client.await(() -> client.session()
                        .change(List.of(
                                new TopologyChange.DeclareQueue(QueueSpec.plain("new", false, false, false)),
                                new TopologyChange.DeleteQueue("full", false, true)))))
                .hasMessage("queue 'full' in vhost '/' not empty");

        assertThat(client.call(() -> client.session().queueNames(""))).containsExactly("full");
    }

    @Test
    void otherLimitsHaveEffectAtOnce() {
        declare("q");
        for (String text : List.of("one", "two", "three")) {
            client.publish("q", "k", text);
        }

        TopologyAnswer answer = limit("q", OptionalLong.of(2));

        assertThat(answer).isInstanceOfSatisfying(TopologyAnswer.Queue.class, queue -> {
            assertThat(queue.created()).isFalse();
            assertThat(queue.spec().limits().messages()).hasValue(2);
            assertThat(queue.messages()).isEqualTo(2);
        });
        assertThat(client.read("q", 1_000)).containsExactly("k=two", "k=three");
    }

    private TopologyAnswer limit(String queue, OptionalLong messages) {
        QueueLimits limits = new QueueLimits(
                messages,
                OptionalLong.empty(),
                QueueLimits.Overflow.DROP_HEAD,
                OptionalLong.empty(),
                OptionalLong.empty());
        return client.await(() -> client.session().change(new TopologyChange.ChangeLimits(queue, limits)));
    }

    private BindingSpec bind(String queue, String key) {
        BindingSpec binding = new BindingSpec("e", Destination.queue(queue), RoutingKey.of(key), Map.of());
        client.await(() -> client.session().change(new TopologyChange.Bind(binding)));
        return binding;
    }

    private void declare(String name) {
        client.await(() ->
                client.session().change(new TopologyChange.DeclareQueue(QueueSpec.plain(name, false, false, false))));
    }
}
