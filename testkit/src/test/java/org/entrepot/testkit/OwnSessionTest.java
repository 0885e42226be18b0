package org.entrepot.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.entrepot.spi.Broker;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.BrokerPlugin;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.OwnSession;
import org.entrepot.spi.PluginContext;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.ConsumerSpec;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.session.SessionListener;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.TopologyAnswer;
import org.entrepot.spi.topology.TopologyChange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a plugin does in its own name. */
@Timeout(60)
class OwnSessionTest {
    private static final long PATIENCE_SECONDS = 20;
    private static final ConsumerSpec CONSUMER =
            new ConsumerSpec("q", "own", true, false, 0, 0, OptionalLong.empty(), Map.of());

    private final DirectClients clients = new DirectClients();
    private final Keeper plugin = new Keeper();
    private EmbeddedBroker broker;

    @AfterEach
    void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void whatAPluginPreparesIsThereBeforeClientsCanConnect() {
        start();

        try (DirectClient client = clients.connect(broker)) {
            assertThat(client.read("amq.kept", 1_000)).containsExactly("k=prepared");
        }
        assertThat(plugin.broker.virtualHosts()).containsExactly("/");
    }

    @Test
    void thereIsNoBrokerBeforeItHasStarted() {
        start();

        assertThat(plugin.tooEarly).isCompletedExceptionally();
    }

    @Test
    void aPluginThatDoesNotGetReadyKeepsTheBrokerFromStarting() {
        plugin.ready = CompletableFuture.failedFuture(new IllegalStateException("the shelf is full"));

        assertThatThrownBy(this::start).hasMessage("plugin keeper does not get ready: the shelf is full");
    }

    @Test
    void whatIsDeliveredAndReceiptedIsToldOnTheLoop() throws Exception {
        start();
        LinkedBlockingQueue<String> delivered = new LinkedBlockingQueue<>();
        plugin.await(
                session -> session.change(new TopologyChange.DeclareQueue(QueueSpec.plain("q", false, false, false))));
        plugin.await(session -> session.consume(CONSUMER, some -> {
            for (int i = 0; i < some.size(); i++) {
                delivered.add(some.message(i).body().toUtf8());
            }
        }));

        try (DirectClient client = clients.connect(broker)) {
            client.publish("q", "k", "from a client");
            assertThat(delivered.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("from a client");
        }
        plugin.receipts.clear();
        plugin.await(session -> {
            plugin.publish(session, "q", "own");
            return CompletableFuture.completedFuture(null);
        });

        assertThat(delivered.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("own");
        assertThat(plugin.receipts.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(SessionListener.Receipt.STORED);
    }

    /** A long stream of deliveries needs credit that is given back. */
    @Test
    void aPluginIsDeliveredAsMuchAsThereIs() throws Exception {
        start();
        LinkedBlockingQueue<Integer> sizes = new LinkedBlockingQueue<>();
        plugin.await(
                session -> session.change(new TopologyChange.DeclareQueue(QueueSpec.plain("q", false, false, false))));
        plugin.await(session -> session.consume(CONSUMER, some -> {
            for (int i = 0; i < some.size(); i++) {
                sizes.add(some.message(i).size());
            }
        }));

        plugin.await(session -> {
            for (int i = 0; i < 100; i++) {
                plugin.publish(session, "q", "x".repeat(50_000));
            }
            return CompletableFuture.completedFuture(null);
        });

        for (int i = 0; i < 100; i++) {
            assertThat(sizes.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(50_000);
        }
    }

    @Test
    void aPluginIsNoConnectionAndItsExclusiveQueuesGoWithItsSession() {
        start();
        assertThat(broker.status().connections()).isZero();
        plugin.await(
                session -> session.change(new TopologyChange.DeclareQueue(QueueSpec.plain("x", false, true, false))));
        try (DirectClient client = clients.connect(broker)) {
            assertThatThrownBy(() -> client.read("x", 1))
                    .isInstanceOfSatisfying(
                            BrokerException.class,
                            refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.RESOURCE_LOCKED));

            DirectClient.get(plugin.session.close().toCompletableFuture());

            assertThatThrownBy(() -> client.read("x", 1)).hasMessage("no queue 'x' in vhost '/'");
        }
    }

    @Test
    void whatIsScheduledRunsOnTheLoopWhileTheSessionIsOpen() throws Exception {
        start();
        CompletableFuture<Boolean> ran = new CompletableFuture<>();
        plugin.session.schedule(() -> ran.complete(plugin.session.session().busy()), 1);

        assertThat(ran.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void theEndOfTheBrokerIsToldToThePlugin() throws Exception {
        start();

        broker.close();
        broker = null;

        assertThat(plugin.failures.poll(PATIENCE_SECONDS, TimeUnit.SECONDS).kind())
                .isEqualTo(ErrorKind.FORCED);
        assertThat(plugin.broker.openSession("/", plugin)).isCompletedExceptionally();
    }

    @Test
    void aVirtualHostThatIsNotThereIsRefused() {
        start();

        assertThatThrownBy(() -> DirectClient.get(
                        plugin.broker.openSession("none", plugin).toCompletableFuture()))
                .hasMessage("vhost none not found");
    }

    private void start() {
        broker = EmbeddedBroker.with("direct", clients).plugin("keeper", plugin).start();
    }

    /** Keeps something in a queue of its own, which is there before clients are. */
    private final class Keeper implements BrokerPlugin, SessionListener {
        final LinkedBlockingQueue<Receipt> receipts = new LinkedBlockingQueue<>();
        final LinkedBlockingQueue<BrokerException> failures = new LinkedBlockingQueue<>();
        Broker broker;
        CompletableFuture<OwnSession> tooEarly;
        CompletableFuture<Void> ready = new CompletableFuture<>();
        volatile OwnSession session;

        @Override
        public void start(PluginContext context) {
            broker = context.broker();
            tooEarly = broker.openSession("/", this).toCompletableFuture();
        }

        @Override
        public void started() {
            broker.openSession("/", this).thenAccept(opened -> {
                session = opened;
                opened.loop().execute(this::declare);
            });
        }

        private void declare() {
            session.session()
                    .change(List.of(new TopologyChange.DeclareQueue(QueueSpec.plain("amq.kept", false, false, false))))
                    .whenComplete(this::declared);
        }

        private void declared(List<TopologyAnswer> answers, Throwable failure) {
            if (failure == null) {
                publish(session.session(), "amq.kept", "prepared");
            } else {
                ready.completeExceptionally(failure);
            }
        }

        void publish(Session to, String queue, String text) {
            RoutingKey key = RoutingKey.of("k");
            to.publish(
                    to.queueAddress(queue, key),
                    new Message(clients, Bytes.EMPTY, Bytes.utf8(text)),
                    Envelope.of("", key, true));
        }

        @Override
        public CompletionStage<Void> ready() {
            return ready;
        }

        @Override
        public void receipts(long first, long last, Receipt receipt) {
            receipts.add(receipt);
            ready.complete(null);
        }

        @Override
        public void failed(BrokerException reason) {
            failures.add(reason);
        }

        <T> T await(Function<Session, CompletionStage<T>> call) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            session.loop().execute(() -> {
                try {
                    call.apply(session.session()).whenComplete((result, failure) -> {
                        if (failure == null) {
                            answer.complete(result);
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    });
                } catch (RuntimeException refusal) {
                    answer.completeExceptionally(refusal);
                }
            });
            return DirectClient.get(answer);
        }
    }
}
