package org.entrepot.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.entrepot.core.topology.Stage.HOST;
import static org.entrepot.core.topology.Stage.OWNER;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.Loops;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TopologyServiceTest {
    private final Loops loops = new Loops(2, System::currentTimeMillis);
    private final Loop home = loops.get(0);
    private final Loop clients = loops.get(1);
    private final HeldLog log = new HeldLog();
    private final Witness witness = new Witness();
    private TopologyService service;

    @BeforeEach
    void start() throws Exception {
        service = service(log);
        finish(service.start());
        log.hold = false;
        finish(service.administer(List.of(Stage.virtualHost(HOST)), clients));
        witness.heard.clear();
    }

    @AfterEach
    void stop() throws Exception {
        finish(loops.close());
    }

    @Test
    void aChangeIsAnsweredOnTheCallersLoopWhenItCanBeSeen() throws Exception {
        CompletableFuture<TopologyOutcome> answered = new CompletableFuture<>();
        clients.post(() -> service.change(HOST, OWNER, List.of(Stage.declareQueue("q")), clients)
                .whenComplete((outcomes, failure) -> {
                    if (clients.owns() && service.current().virtualHost(HOST).queue("q") != null) {
                        answered.complete(outcomes.get(0));
                    } else {
                        answered.completeExceptionally(new AssertionError("elsewhere, or too early"));
                    }
                }));
        assertThat(finish(answered))
                .isEqualTo(new TopologyOutcome.QueueIs(
                        service.current().virtualHost(HOST).queue("q"), true));
    }

    @Test
    void aRefusalIsTheFailureItself() {
        CompletableFuture<List<TopologyOutcome>> answer = service.change(
                        HOST, OWNER, List.of(Stage.bind("absent", "q", "")), clients)
                .toCompletableFuture();
        assertThat(answer)
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_FOUND));
    }

    @Test
    void nothingIsSeenBeforeItIsDurable() throws Exception {
        log.hold = true;
        CompletableFuture<?> answer = change(Stage.declareQueue("q"));
        settle();
        assertThat(answer).isNotDone();
        assertThat(service.current().virtualHost(HOST).queue("q")).isNull();
        log.release();
        finish(answer);
        assertThat(service.current().virtualHost(HOST).queue("q")).isNotNull();
    }

    @Test
    void laterChangesAreDecidedOnEarlierOnesThatAreNotDurableYet() throws Exception {
        log.hold = true;
        CompletableFuture<?> declared = change(Stage.declareQueue("q"));
        CompletableFuture<?> bound = change(Stage.bind("amq.direct", "q", "k"));
        CompletableFuture<List<TopologyOutcome>> again = change(Stage.declareQueue("q"));
        settle();
        assertThat(again).as("an answer that rests on what is not durable").isNotDone();
        log.release();
        finish(declared);
        finish(bound);
        assertThat(((TopologyOutcome.QueueIs) finish(again).get(0)).created()).isFalse();
    }

    @Test
    void volatileChangesAreNotLoggedAndWaitForThoseBefore() throws Exception {
        int before = log.appended.size();
        finish(change(Stage.declareExclusiveQueue("e")));
        assertThat(log.appended).hasSize(before);
        log.hold = true;
        CompletableFuture<?> durable = change(Stage.declareQueue("q"));
        CompletableFuture<?> exclusive = change(Stage.declareExclusiveQueue("f"));
        settle();
        assertThat(exclusive).isNotDone();
        log.release();
        finish(durable);
        finish(exclusive);
    }

    @Test
    void aSnapshotIsShownInOrderThoughTheLogFinishesInAnother() throws Exception {
        log.hold = true;
        CompletableFuture<?> first = change(Stage.declareQueue("a"));
        CompletableFuture<?> second = change(Stage.declareQueue("b"));
        settle();
        log.releaseLast();
        settle();
        assertThat(second).isNotDone();
        assertThat(service.current().virtualHost(HOST).queue("b")).isNull();
        log.release();
        finish(first);
        finish(second);
    }

    @Test
    void queuesAreAnnouncedBeforeTheyAreSeenAndMissedAfterwards() throws Exception {
        finish(change(Stage.declareQueue("q")));
        finish(service.administer(
                List.of(new AdminChange.SetPolicy(HOST, Stage.policy("p", "q", 0, java.util.Map.of("max-length", 1L)))),
                clients));
        finish(change(Stage.deleteQueue("q")));
        assertThat(witness.heard).containsExactly("added q, unseen", "changed q, seen", "removed q, unseen");
    }

    @Test
    void aConnectionThatGoesTakesItsQueuesWithIt() throws Exception {
        int queues = 250;
        for (int i = 0; i < queues; i++) {
            finish(change(Stage.declareExclusiveQueue("e" + i)));
        }
        finish(service.dropOwner(OWNER, clients));
        assertThat(service.current().virtualHost(HOST).queues()).isEmpty();
    }

    @Test
    void aQueueCanDeleteItselfAndBeLateWithIt() throws Exception {
        finish(change(Stage.declareQueue("q")));
        long id = service.current().virtualHost(HOST).queue("q").id();
        service.deleteQueue(id);
        service.deleteQueue(id);
        settle();
        assertThat(service.current().queue(id)).isNull();
        assertThat(witness.heard).containsExactly("added q, unseen", "removed q, unseen");
    }

    @Test
    void aRestartFindsWhatWasDurable() throws Exception {
        finish(change(Stage.declareQueue("q"), Stage.declareExclusiveQueue("e"), Stage.bind("amq.direct", "q", "k")));
        witness.heard.clear();
        TopologyService restarted = service(log);
        finish(restarted.start());
        assertThat(restarted.current().virtualHost(HOST).queues())
                .extracting(QueueNode::name)
                .containsExactly("q");
        assertThat(restarted.current().virtualHost(HOST).exchange("amq.direct").bindings())
                .containsExactly(Stage.toQueue("amq.direct", "q", "k"));
        assertThat(witness.heard).containsExactly("added q, unseen");
    }

    @Test
    void aLogThatCannotBeReplayedFailsTheStart() {
        TopologyService broken = service(new TopologyLog() {
            @Override
            public void append(List<TopologyRecord> records, Runnable whenDurable) {
                whenDurable.run();
            }

            @Override
            public void open(Owner owner) {
                owner.failed("records that end too early");
            }

            @Override
            public void close() {}
        });
        assertThat(broken.start().toCompletableFuture())
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("records that end too early");
    }

    @Test
    void afterTheLogHasFailedNothingChangesAnyMore() throws Exception {
        log.hold = true;
        CompletableFuture<?> waiting = change(Stage.declareQueue("q"));
        settle();
        home.post(() -> log.last.failed("a failure that this test wants"));
        assertRefusedForGood(waiting);
        assertRefusedForGood(change(Stage.declareQueue("r")));
        log.release();
        settle();
        assertThat(service.current().virtualHost(HOST).queues()).isEmpty();
    }

    private static void assertRefusedForGood(CompletableFuture<?> answer) {
        assertThat(answer)
                .failsWithin(10, TimeUnit.SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.INTERNAL_ERROR));
    }

    private TopologyService service(TopologyLog keptIn) {
        TopologyService made =
                new TopologyService(home, keptIn, Stage.TYPES, witness, TopologyLimits.DEFAULT, Stage.STANDARD);
        witness.watched = made;
        return made;
    }

    private CompletableFuture<List<TopologyOutcome>> change(org.entrepot.spi.topology.TopologyChange... changes) {
        return service.change(HOST, OWNER, List.of(changes), clients).toCompletableFuture();
    }

    /** Waits until the home loop has done everything posted so far. */
    private void settle() throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        home.post(() -> home.post(() -> done.complete(null)));
        finish(done);
    }

    private static <T> T finish(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /** Hears of queues, and looks whether they can be seen at that moment. */
    private static final class Witness implements TopologyListener {
        private final List<String> heard = java.util.Collections.synchronizedList(new ArrayList<>());
        private volatile TopologyService watched;

        @Override
        public void queueAdded(QueueNode queue) {
            note("added", queue);
        }

        @Override
        public void queueChanged(QueueNode queue) {
            note("changed", queue);
        }

        @Override
        public void queueRemoved(QueueNode queue) {
            note("removed", queue);
        }

        private void note(String what, QueueNode queue) {
            boolean seen = watched.current().queue(queue.id()) == queue;
            heard.add(what + " " + queue.name() + (seen ? ", seen" : ", unseen"));
        }
    }

    /** A log that is durable when it is told to be. */
    private static final class HeldLog implements TopologyLog {
        private final List<TopologyRecord> appended = java.util.Collections.synchronizedList(new ArrayList<>());
        private final Queue<Runnable> held = new ArrayDeque<>();
        private volatile boolean hold;
        private volatile Owner last;

        @Override
        public void append(List<TopologyRecord> records, Runnable whenDurable) {
            appended.addAll(records);
            synchronized (held) {
                if (hold) {
                    held.add(whenDurable);
                    return;
                }
            }
            whenDurable.run();
        }

        @Override
        public void open(Owner owner) {
            last = owner;
            List.copyOf(appended).forEach(owner::replayed);
            owner.ended();
        }

        @Override
        public void close() {}

        void release() {
            synchronized (held) {
                hold = false;
                for (Runnable next = held.poll(); next != null; next = held.poll()) {
                    next.run();
                }
            }
        }

        void releaseLast() {
            synchronized (held) {
                List<Runnable> all = new ArrayList<>(held);
                Runnable last = all.remove(all.size() - 1);
                held.clear();
                held.addAll(all);
                last.run();
            }
        }
    }
}
