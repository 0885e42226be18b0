package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.storage.KeepingStorage;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.ErrorKind;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.topology.DeadLetter;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues whose logs outlive the node that they were on. */
@Timeout(60)
class RestartTest {
    private static final Envelope LASTING = TestMessages.envelope(true, Envelope.NO_PRIORITY, Envelope.NO_TTL);
    private static final Envelope PASSING = TestMessages.envelope(false, Envelope.NO_PRIORITY, Envelope.NO_TTL);
    private static final QueueSpec DURABLE = QueueSpec.plain("q", true, false, false);

    private KeepingStorage storage = KeepingStorage.prompt();
    private Node node = new Node(storage);
    private final Object session = new Object();

    @AfterEach
    void closeNode() throws Exception {
        node.close();
    }

    @Test
    void whatWasDurableIsThereInOrderAndKnowsThatItWasReturned() throws Exception {
        LocalQueue queue = node.queue(DURABLE, node.loop(0));
        publish(queue, LASTING, "a", "b");
        publish(queue, PASSING, "gone");
        publish(queue, LASTING, "c", "d");
        pull(queue, false);
        pull(queue, false);
        settle(queue, 0, 0, Outcome.MODIFIED);
        settle(queue, 1, 1, Outcome.ACCEPTED);

        LocalQueue again = restarted(DURABLE, 1);

        assertThat(again.stored()).isEqualTo(3);
        assertThat(again.home()).isNull();
        again.home(node.loop(1));
        DeliveryBatch first = pull(again, true).orElseThrow().delivery();
        assertThat(TestMessages.name(first.message(0))).isEqualTo("a");
        assertThat(first.returns(0)).isOne();
        assertThat(drain(again)).containsExactly("c", "d");
    }

    /** The log sees to it that no stamp is less than the one before. */
    @Test
    void aClockThatWasSetBackChangesNoOrder() throws Exception {
        publish(node.queue(DURABLE, node.loop(0)), LASTING, "a", "b");

        restart(() -> System.currentTimeMillis() - 86_400_000);
        node.queues.add(1, "/", DURABLE, null);
        LocalQueue again = node.queues.get(1);
        again.home(node.loop(0));
        publish(again, LASTING, "c");

        assertThat(drain(again)).containsExactly("a", "b", "c");
    }

    @Test
    void aCheckpointStandsForWhatCameBefore() throws Exception {
        LocalQueue queue = node.queue(DURABLE, node.loop(0));
        publish(queue, LASTING, "a", "b", "c");
        pull(queue, true);
        wantCheckpoint(queue);
        publish(queue, LASTING, "d");
        pull(queue, true);

        LocalQueue again = restarted(DURABLE, 0);

        QueueReport report = onOpen(again, again::report);
        assertThat(report.ready()).isEqualTo(2);
        assertThat(report.readyBytes()).isEqualTo(20);
        assertThat(drain(again)).containsExactly("c", "d");
    }

    @Test
    void aPurgeOfWhatACheckpointKnowsLeavesNothing() throws Exception {
        LocalQueue queue = node.queue(DURABLE, node.loop(0));
        publish(queue, LASTING, "a", "b", "held", "c");
        wantCheckpoint(queue);
        pull(queue, false);
        onOpen(queue, queue::purge);
        publish(queue, LASTING, "d");

        LocalQueue again = restarted(DURABLE, 0);

        assertThat(onOpen(again, again::report).readyBytes()).isEqualTo(20);
        assertThat(drain(again)).containsExactly("a", "d");
    }

    @Test
    void commandsThatComeWhileTheLogIsReadAreDoneInOrder() throws Exception {
        publish(node.queue(DURABLE, node.loop(0)), LASTING, "a", "b");
        LocalQueue again = restarted(DURABLE, 0);
        RecordingOutlet outlet = new RecordingOutlet(node.loop(0));
        RecordingPublisher publisher = new RecordingPublisher(node.loop(0));
        CompletableFuture<Long> purged = new CompletableFuture<>();
        QueueConsumer.Terms terms = new QueueConsumer.Terms(true, false, 0, 0, false, OptionalLong.empty());

        node.on(node.loop(0), () -> {
            again.enqueue(TestMessages.of("c", 10), LASTING, publisher, 1);
            assertThatThrownBy(again::purge).isInstanceOf(IllegalStateException.class);
            again.whenOpen(() -> purged.complete(again.purge()));
            again.enqueue(TestMessages.of("d", 10), LASTING, publisher, 2);
            again.whenOpen(() -> again.attach(outlet, session, terms, 1_000));
            assertThat(again.report().ready()).isEqualTo(2);
            return null;
        });

        assertThat(purged.get(20, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(outlet.news.poll(20, TimeUnit.SECONDS)).isEqualTo("d");
        assertThat(node.on(node.loop(0), () -> List.copyOf(publisher.stored))).containsExactly(1L, 2L);
    }

    @Test
    void aQueueIsDeletedWithWhatItHoldsWhetherItWasUsedOrNot() throws Exception {
        publish(node.queue(DURABLE, node.loop(0)), LASTING, "a", "b");
        restarted(DURABLE, 0);
        node.queues.remove(1, "it is deleted");
        node.quiesce();

        assertThat(storage.entries(1)).isZero();
        assertThat(storage.history).doesNotContain("opened 1");
    }

    @Test
    void aQueueWhoseLogCannotBeReadRefusesEverythingButToBeDeleted() throws Exception {
        publish(node.queue(DURABLE, node.loop(0)), LASTING, "a");
        storage.unreadable(1);
        LocalQueue again = restarted(DURABLE, 0);
        RecordingPublisher publisher = new RecordingPublisher(node.loop(0));

        node.on(node.loop(0), () -> {
            again.enqueue(TestMessages.of("b", 10), LASTING, publisher, 1);
            return null;
        });
        assertThatThrownBy(() -> onOpen(again, again::purge))
                .hasCauseInstanceOf(BrokerException.class)
                .cause()
                .extracting(refusal -> ((BrokerException) refusal).kind())
                .isEqualTo(ErrorKind.INTERNAL_ERROR);
        assertThat(node.on(node.loop(0), () -> List.copyOf(publisher.refused))).containsExactly(1L);

        assertThat(node.on(node.loop(0), () -> again.delete("it is deleted"))).isOne();
        assertThat(storage.entries(1)).isZero();
    }

    @Test
    void whatIsOutOfMemoryIsLoadedToBePulled() throws Exception {
        String[] names = IntStream.range(0, 100).mapToObj(i -> "m" + i).toArray(String[]::new);
        publish(node.queue(DURABLE, node.loop(0)), LASTING, names);

        assertThat(drain(restarted(DURABLE, 1))).containsExactly(names);
    }

    @Test
    void whatIsOutOfMemoryIsLoadedToBeReadAndStays() throws Exception {
        String[] names = IntStream.range(0, 100).mapToObj(i -> "m" + i).toArray(String[]::new);
        publish(node.queue(DURABLE, node.loop(0)), LASTING, names);
        LocalQueue again = restarted(DURABLE, 1);

        assertThat(read(again, 100)).containsExactly(names);
        assertThat(drain(again)).containsExactly(names);
    }

    /** The reader's turns and the puller's come one after the other. */
    @Test
    void readersAndThoseWhoTakeDoNotKeepEachOtherWaiting() throws Exception {
        String[] names = IntStream.range(0, 100).mapToObj(i -> "m" + i).toArray(String[]::new);
        publish(node.queue(DURABLE, node.loop(0)), LASTING, names);
        LocalQueue again = restarted(DURABLE, 0);
        RecordingOutlet outlet = new RecordingOutlet(node.loop(0));
        QueueConsumer.Terms terms = new QueueConsumer.Terms(false, false, 0, 0, false, OptionalLong.empty());

        CompletableFuture<ReadRequest> last = onOpen(again, () -> {
                    again.attach(outlet, session, terms, Long.MAX_VALUE);
                    return again.read(session, 99, 1);
                })
                .toCompletableFuture();

        assertThat(last.get(20, TimeUnit.SECONDS).found().position(0)).isEqualTo(99);
        for (String name : names) {
            assertThat(outlet.news.poll(20, TimeUnit.SECONDS)).isEqualTo(name);
        }
        assertThat(read(again, 1_000)).containsExactly(names);
    }

    private List<String> read(LocalQueue queue, int bytesMax) throws Exception {
        List<String> names = new ArrayList<>();
        for (ReadRequest some = readOnce(queue, 0, bytesMax);
                some.found() != null;
                some = readOnce(queue, some.next(), bytesMax)) {
            DeliveryBatch found = some.found();
            for (int i = 0; i < found.size(); i++) {
                names.add(TestMessages.name(found.message(i)));
            }
        }
        return names;
    }

    private ReadRequest readOnce(LocalQueue queue, long from, int bytesMax) throws Exception {
        return onOpen(queue, () -> queue.read(session, from, bytesMax))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    @Test
    void queuesInWhichSomethingIsDueAreOpenedAtOnce() throws Exception {
        QueueLimits expires = new QueueLimits(
                OptionalLong.empty(),
                OptionalLong.empty(),
                QueueLimits.Overflow.DROP_HEAD,
                OptionalLong.empty(),
                OptionalLong.of(1));
        QueueLimits ages = new QueueLimits(
                OptionalLong.empty(),
                OptionalLong.empty(),
                QueueLimits.Overflow.DROP_HEAD,
                OptionalLong.of(3_600_000),
                OptionalLong.empty());
        QueueSpec dying = spec(QueueLimits.NONE, new DeadLetter("dlx", RoutingKey.of("k"), false));
        List<QueueSpec> specs = List.of(DURABLE, spec(ages, null), dying, spec(expires, null), spec(ages, null));
        for (QueueSpec spec : specs) {
            LocalQueue queue = node.queue(spec, node.loop(0));
            if (queue.id() <= 3) {
                long ttl = queue.id() == 3 ? 0 : Envelope.NO_TTL;
                publish(queue, TestMessages.envelope(true, Envelope.NO_PRIORITY, ttl), "m" + queue.id());
            }
        }

        restart();
        for (QueueSpec spec : specs) {
            node.queues.add(node.queues.all().size() + 1L, "/", spec, null);
        }
        node.queues.openWhatMayBecomeDue();

        assertThat(node.letters.poll(20, TimeUnit.SECONDS))
                .satisfies(letter ->
                        assertThat(TestMessages.name(letter.message())).isEqualTo("m3"));
        assertThat(node.abandoned.poll(20, TimeUnit.SECONDS)).isEqualTo(4);
        node.quiesce();
        assertThat(storage.history).contains("opened 2", "opened 3", "opened 4").doesNotContain("opened 1", "opened 5");
        assertThat(node.queues.get(2).home()).isNotNull();
    }

    @Test
    void afterTheLogHasFailedPublishesAreRefusedAndTheRestGoesOn() throws Exception {
        LocalQueue queue = node.queue(DURABLE, node.loop(0));
        publish(queue, LASTING, "a", "b");
        RecordingPublisher publisher = new RecordingPublisher(node.loop(0));
        node.on(node.loop(0), () -> {
            storage.log(queue.id()).fail();
            queue.enqueue(TestMessages.of("c", 10), PASSING, publisher, 1);
            return null;
        });

        assertThat(node.on(node.loop(0), () -> List.copyOf(publisher.refused))).containsExactly(1L);
        assertThat(drain(queue)).containsExactly("a", "b");
    }

    private static QueueSpec spec(QueueLimits limits, DeadLetter deadLetter) {
        return new QueueSpec(
                "q",
                true,
                false,
                false,
                false,
                limits,
                deadLetter,
                1,
                0,
                false,
                OptionalInt.empty(),
                OptionalLong.empty(),
                Retention.SETTLED,
                Map.of());
    }

    private LocalQueue restarted(QueueSpec spec, int loop) throws Exception {
        restart();
        node.queues.add(1, "/", spec, null);
        LocalQueue queue = node.queues.get(1);
        if (loop == 0) {
            queue.home(node.loop(0));
        }
        return queue;
    }

    private void restart() throws Exception {
        restart(System::currentTimeMillis);
    }

    private void restart(LongSupplier clockMillis) throws Exception {
        node.quiesce();
        node.stop();
        storage = storage.restarted();
        node = new Node(storage, Long.MAX_VALUE, clockMillis);
    }

    private void publish(LocalQueue queue, Envelope envelope, String... names) throws Exception {
        Loop home = queue.home();
        RecordingPublisher publisher = new RecordingPublisher(home);
        CompletableFuture<Void> stored = node.on(home, () -> {
            for (String name : names) {
                queue.enqueue(TestMessages.of(name, 10), envelope, publisher, 1);
            }
            return publisher.receipts(names.length);
        });
        stored.get(20, TimeUnit.SECONDS);
    }

    private void wantCheckpoint(LocalQueue queue) throws Exception {
        node.on(queue.home(), () -> {
            storage.log(queue.id()).wantCheckpoint();
            return null;
        });
    }

    private <T> T onOpen(LocalQueue queue, java.util.concurrent.Callable<T> asking) throws Exception {
        CompletableFuture<T> answer = new CompletableFuture<>();
        node.on(queue.home(node.loop(0)), () -> {
            queue.whenOpen(() -> {
                try {
                    answer.complete(asking.call());
                } catch (Exception refusal) {
                    answer.completeExceptionally(refusal);
                }
            });
            return null;
        });
        return answer.get(20, TimeUnit.SECONDS);
    }

    private Optional<LocalQueue.Pulled> pull(LocalQueue queue, boolean settled) throws Exception {
        return onOpen(queue, () -> queue.pull(session, settled))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    private void settle(LocalQueue queue, long from, long to, Outcome outcome) throws Exception {
        node.on(queue.home(), () -> {
            queue.settle(session, from, to, outcome);
            return null;
        });
    }

    private List<String> drain(LocalQueue queue) throws Exception {
        List<String> names = new ArrayList<>();
        for (Optional<LocalQueue.Pulled> next = pull(queue, true); next.isPresent(); next = pull(queue, true)) {
            names.add(TestMessages.name(next.get().delivery().message(0)));
        }
        return names;
    }
}
