package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.storage.KeepingStorage;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions over queues on two loops, and over restarts. */
@Timeout(60)
class TransactionTest {
    private static final Envelope LASTING = TestMessages.envelope(true, Envelope.NO_PRIORITY, Envelope.NO_TTL);
    private static final Envelope PASSING = TestMessages.envelope(false, Envelope.NO_PRIORITY, Envelope.NO_TTL);

    private KeepingStorage storage = KeepingStorage.prompt();
    private Node node = new Node(storage);
    private final AtomicInteger shown = new AtomicInteger();
    private Publisher session = new RecordingPublisher(node.loop(0));

    @AfterEach
    void closeNode() throws Exception {
        node.close();
    }

    @Test
    void nothingShowsBeforeTheCommitAndAllAfterIt() throws Exception {
        LocalQueue first = queue(null, 0);
        LocalQueue second = queue(null, 1);
        publish(first, "a");
        assertThat(pull(first)).contains("a");
        TransactionPart one = part(first, "x");
        one.settle(0, 0, Outcome.ACCEPTED);
        TransactionPart two = part(second, "y", "z");
        LogTransaction transaction = prepare(one, two);
        assertThat(pull(first)).isEmpty();
        assertThat(pull(second)).isEmpty();
        publish(second, "later");

        assertThat(shown).hasValue(0);

        commit(transaction);

        node.quiesce();
        assertThat(shown).hasValue(2);
        assertThat(pull(first)).contains("x");
        // What was prepared earlier has the earlier place.
        assertThat(List.of(pull(second), pull(second), pull(second)))
                .containsExactly(Optional.of("y"), Optional.of("z"), Optional.of("later"));
        assertThat(report(first).acknowledged()).isOne();
    }

    @Test
    void whatWasCommittedIsThereAfterARestartAndWhatWasNotIsNot() throws Exception {
        LocalQueue first = queue(null, 0);
        LocalQueue second = queue(null, 1);
        publish(first, "a", "b");
        pull(first);
        pull(first);
        wantCheckpoint(first);
        TransactionPart one = part(first, "x");
        one.publish(TestMessages.of("gone", 10), PASSING);
        one.settle(0, 0, Outcome.ACCEPTED);
        one.settle(1, 1, Outcome.MODIFIED);
        commit(prepare(one, part(second, "y")));
        prepare(part(first, "never"), part(second, "never"));

        restart();

        assertThat(List.of(pull(queue(null, 0)), pull(again(1)), pull(again(1))))
                .containsExactly(Optional.of("b"), Optional.of("x"), Optional.empty());
        assertThat(List.of(pull(queue(null, 1)), pull(again(2)))).containsExactly(Optional.of("y"), Optional.empty());
        assertThat(report(again(1)).readyBytes()).isZero();
    }

    @Test
    void aCheckpointWaitsForTheDecision() throws Exception {
        LocalQueue queue = queue(null, 0);
        publish(queue, "a");
        TransactionPart part = part(queue, "x");
        LogTransaction transaction = prepare(part);
        // The storage complains of a checkpoint before the decision.
        wantCheckpoint(queue);
        commit(transaction);
        pull(queue);

        restart();

        // The checkpoint holds what was pulled and not settled.
        LocalQueue again = queue(null, 0);
        assertThat(List.of(pull(again), pull(again), pull(again)))
                .containsExactly(Optional.of("a"), Optional.of("x"), Optional.empty());
    }

    @Test
    void whatIsGivenUpWasNeverThereAndWhatWasToBeSettledComesBack() throws Exception {
        LocalQueue queue = queue(null, 1);
        publish(queue, "a");
        pull(queue);
        TransactionPart part = part(queue, "x");
        part.settle(0, 0, Outcome.ACCEPTED);
        prepare(part);
        node.on(node.loop(1), () -> {
            queue.release(session);
            queue.giveUp(part);
            return null;
        });

        assertThat(List.of(pull(queue), pull(queue))).containsExactly(Optional.of("a"), Optional.empty());
        restart();
        LocalQueue again = queue(null, 1);
        assertThat(List.of(pull(again), pull(again))).containsExactly(Optional.of("a"), Optional.empty());
    }

    @Test
    void aRejectedDeliveryStaysRejectedOverRestartsUntilItsDeadLetterIsTaken() throws Exception {
        DeadLetter to = new DeadLetter("dlx", RoutingKey.of("dead"), false);
        LocalQueue queue = queue(to, 0);
        publish(queue, "a", "b", "c");
        pull(queue);
        TransactionPart part = part(queue, "x");
        part.settle(0, 0, Outcome.REJECTED);
        commit(prepare(part));
        assertThat(TestMessages.name(nextLetter().message())).isEqualTo("a");

        restart();
        LocalQueue second = queue(to, 0);
        assertThat(pull(second)).contains("b");
        DeadLetters.Letter letter = nextLetter();
        assertThat(TestMessages.name(letter.message())).isEqualTo("a");
        assertThat(letter.reason()).isEqualTo(DeathReason.REJECTED);
        // A checkpoint takes the place of the record that said so.
        wantCheckpoint(second);

        restart();
        LocalQueue third = queue(to, 0);
        assertThat(report(third).ready()).isEqualTo(3);
        DeadLetters.Letter last = nextLetter();
        assertThat(TestMessages.name(last.message())).isEqualTo("a");
        node.on(node.loop(0), () -> {
            last.done(true);
            return null;
        });

        restart();
        LocalQueue fourth = queue(to, 0);
        assertThat(List.of(pull(fourth), pull(fourth), pull(fourth), pull(fourth)))
                .containsExactly(Optional.of("b"), Optional.of("c"), Optional.of("x"), Optional.empty());
        assertThat(node.letters).isEmpty();
    }

    @Test
    void aQueueThatIsDeletedMeanwhileIsLeftOut() throws Exception {
        LocalQueue first = queue(null, 0);
        LocalQueue second = queue(null, 1);
        TransactionPart one = part(first, "x");
        LogTransaction transaction = prepare(one, part(second, "y"));
        node.queues.remove(second.id(), "it is deleted");
        node.quiesce();

        assertThat(shown).hasValue(1);

        commit(transaction);

        assertThat(pull(first)).contains("x");
        assertThat(storage.entries(second.id())).isZero();
    }

    @Test
    void aQueueWhoseLogHasFailedTakesNothing() throws Exception {
        LocalQueue queue = queue(null, 0);
        publish(queue, "a");
        TransactionPart part = part(queue, "x");
        assertThat(node.on(node.loop(0), () -> {
                    storage.log(queue.id()).fail();
                    return queue.prepare(part, storage.begin());
                }))
                .isEqualTo(TransactionPart.Prepared.REFUSED);
    }

    private LocalQueue queue(DeadLetter deadLetter, int loop) {
        QueueSpec spec = new QueueSpec(
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
        return node.queue(spec, node.loop(loop));
    }

    private LocalQueue again(long id) {
        return node.queues.get(id);
    }

    private TransactionPart part(LocalQueue queue, String... names) {
        TransactionPart part = new TransactionPart(queue, session, () -> shown.incrementAndGet());
        for (String name : names) {
            part.publish(TestMessages.of(name, 10), LASTING);
        }
        return part;
    }

    private LogTransaction prepare(TransactionPart... parts) throws Exception {
        LogTransaction transaction = node.queues.beginTransaction();
        for (TransactionPart part : parts) {
            CompletableFuture<TransactionPart.Prepared> answer = new CompletableFuture<>();
            onOpen(part.queue(), () -> answer.complete(part.queue().prepare(part, transaction)));
            assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo(TransactionPart.Prepared.YES);
        }
        return transaction;
    }

    private void commit(LogTransaction transaction) throws Exception {
        CompletableFuture<Boolean> durable = new CompletableFuture<>();
        node.on(node.loop(0), () -> {
            transaction.commit(node.loop(0), durable::complete);
            return null;
        });
        assertThat(durable.get(20, TimeUnit.SECONDS)).isTrue();
    }

    private void restart() throws Exception {
        node.quiesce();
        node.stop();
        storage = storage.restarted();
        node = new Node(storage);
        session = new RecordingPublisher(node.loop(0));
    }

    private DeadLetters.Letter nextLetter() throws InterruptedException {
        return node.letters.poll(20, TimeUnit.SECONDS);
    }

    private void onOpen(LocalQueue queue, Runnable work) {
        Loop home = queue.home(node.loop(0));
        home.post(() -> queue.whenOpen(work));
    }

    private void publish(LocalQueue queue, String... names) throws Exception {
        Loop home = queue.home();
        RecordingPublisher publisher = new RecordingPublisher(home);
        List<CompletableFuture<Void>> stored = new ArrayList<>();
        node.on(home, () -> {
            for (String name : names) {
                queue.enqueue(TestMessages.of(name, 10), LASTING, publisher, 1);
            }
            return stored.add(publisher.receipts(names.length));
        });
        stored.get(0).get(20, TimeUnit.SECONDS);
    }

    private void wantCheckpoint(LocalQueue queue) throws Exception {
        node.on(queue.home(), () -> {
            storage.log(queue.id()).wantCheckpoint();
            return null;
        });
    }

    private QueueReport report(LocalQueue queue) throws Exception {
        CompletableFuture<QueueReport> report = new CompletableFuture<>();
        onOpen(queue, () -> report.complete(queue.report()));
        return report.get(20, TimeUnit.SECONDS);
    }

    /** The name of a message that is pulled and held. */
    private Optional<String> pull(LocalQueue queue) throws Exception {
        CompletableFuture<Optional<LocalQueue.Pulled>> pulled = new CompletableFuture<>();
        onOpen(queue, () -> queue.pull(session, false).whenComplete((some, failure) -> pulled.complete(some)));
        return pulled.get(20, TimeUnit.SECONDS)
                .map(some -> TestMessages.name(some.delivery().message(0)));
    }
}
