package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.storage.MemoryStorage;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.message.DeathReason;
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

@Timeout(60)
class LocalQueueTest {
    private static final Envelope ENVELOPE = TestMessages.envelope(true, Envelope.NO_PRIORITY, Envelope.NO_TTL);
    private static final QueueSpec PLAIN = QueueSpec.plain("q", true, false, false);
    private static final long PLENTY = 1L << 40;

    private final Node node = new Node(new MemoryStorage());
    private final Loop here = node.loop(0);
    private final Loop there = node.loop(1);
    private final Object session = new Object();

    @AfterEach
    void closeNode() throws Exception {
        node.close();
    }

    // Homes.

    @Test
    void livesWhereItIsFirstUsedAndStays() {
        node.queues.add(1, "/", PLAIN, null);
        LocalQueue queue = node.queues.get(1);
        assertThat(queue.home()).isNull();

        assertThat(queue.home(there)).isSameAs(there);
        assertThat(queue.home(here)).isSameAs(there);
        assertThat(queue.home()).isSameAs(there);
    }

    @Test
    void aPolicyDoesNotSayWhereAQueueLives() throws Exception {
        node.queues.add(1, "/", PLAIN, null);
        LocalQueue queue = node.queues.get(1);

        node.queues.change(1, limited(OptionalLong.of(1), OptionalLong.empty(), null), null);

        assertThat(queue.home()).isNull();
        queue.home(there);
        RecordingPublisher publisher = new RecordingPublisher(there);
        node.on(there, () -> publish(queue, publisher, "a", "b"));
        assertThat(node.on(there, () -> queue.report().ready())).isOne();
    }

    // Between loops.

    @Test
    void publishesReceiptsDeliveriesAndSettlesCrossInOrder() throws Exception {
        int count = 20_000;
        LocalQueue queue = node.queue(PLAIN, there);
        RecordingPublisher publisher = new RecordingPublisher(here);
        RecordingOutlet outlet = new RecordingOutlet(here);
        outlet.onBatch = batch -> {
            for (int i = 0; i < batch.size(); i++) {
                node.crossing(here, there)
                        .settle(queue, session, batch.position(i), batch.position(i), Outcome.ACCEPTED);
            }
        };
        node.on(there, () -> queue.attach(outlet, session, terms(100), PLENTY));

        CompletableFuture<Void> all = node.on(here, () -> {
            for (int i = 1; i <= count; i++) {
                node.crossing(here, there).enqueue(queue, TestMessages.of("m" + i, 100), ENVELOPE, publisher, i);
            }
            return publisher.receipts(count);
        });
        all.get(20, TimeUnit.SECONDS);
        List<String> delivered =
                IntStream.rangeClosed(1, count).mapToObj(i -> take(outlet)).toList();
        node.quiesce();

        assertThat(delivered)
                .isEqualTo(
                        IntStream.rangeClosed(1, count).mapToObj(i -> "m" + i).toList());
        assertThat(node.on(here, () -> List.copyOf(publisher.stored)))
                .isEqualTo(LongStream.rangeClosed(1, count).boxed().toList());
        QueueReport report = node.on(there, queue::report);
        assertThat(report.acknowledged()).isEqualTo(count);
        assertThat(report.ready()).isZero();
        assertThat(report.unsettled()).isZero();
        assertThat(node.queues.residentBytes()).isZero();
    }

    @Test
    void whatAConsumerWasHandedArrivesBeforeTheAnswerToItsCancelling() throws Exception {
        LocalQueue queue = node.queue(PLAIN, there);
        RecordingPublisher publisher = new RecordingPublisher(there);
        RecordingOutlet outlet = new RecordingOutlet(here);
        QueueConsumer consumer = node.on(there, () -> queue.attach(outlet, session, terms(10), PLENTY));

        node.on(there, () -> {
            publish(queue, publisher, "a");
            // Whoever asks how the queue is has it hand out before the pass ends.
            assertThat(queue.report().unsettled()).isOne();
            queue.detach(consumer);
            node.crossing(there, here).run(() -> outlet.news.add("cancelled"));
            return null;
        });
        node.quiesce();

        assertThat(outlet.heard()).containsExactly("a", "cancelled");
    }

    @Test
    void theSameOnOneLoop() throws Exception {
        LocalQueue queue = node.queue(PLAIN, here);
        RecordingPublisher publisher = new RecordingPublisher(here);
        RecordingOutlet outlet = new RecordingOutlet(here);

        node.on(here, () -> {
            QueueConsumer consumer = queue.attach(outlet, session, terms(10), PLENTY);
            publish(queue, publisher, "a");
            queue.report();
            queue.detach(consumer);
            return outlet.news.add("cancelled");
        });
        node.quiesce();

        assertThat(outlet.heard()).containsExactly("a", "cancelled");
    }

    @Test
    void placesComeBackAfterTheDeliveriesThatUsedTheOthers() throws Exception {
        LocalQueue queue = node.queue(PLAIN, there);
        RecordingPublisher publisher = new RecordingPublisher(there);
        RecordingOutlet outlet = new RecordingOutlet(here);
        QueueConsumer consumer = node.on(there, () -> {
            publish(queue, publisher, "a", "b");
            return queue.attach(outlet, session, sharing(), PLENTY);
        });
        assertThat(take(outlet)).isEqualTo("wants 2");

        node.on(here, () -> {
            node.crossing(here, there).lend(queue, consumer, 5);
            return null;
        });
        node.quiesce();

        assertThat(outlet.heard()).containsExactly("a", "b", "unused 3");
    }

    @Test
    void whoeverIsToldMayAnswerAtOnce() throws Exception {
        // On one loop a session lends as soon as it hears that places are wanted or free: also while it settles.
        LocalQueue queue = node.queue(PLAIN, here);
        RecordingPublisher publisher = new RecordingPublisher(here);
        QueueConsumer[] consumer = new QueueConsumer[1];
        RecordingOutlet outlet = new RecordingOutlet(here);
        outlet.onBatch = batch -> {
            for (int i = 0; i < batch.size(); i++) {
                queue.settle(session, batch.position(i), batch.position(i), Outcome.ACCEPTED);
                queue.lend(consumer[0], 1);
            }
        };
        node.on(here, () -> {
            consumer[0] = queue.attach(outlet, session, sharing(), PLENTY);
            for (int i = 0; i < 100; i++) {
                publish(queue, publisher, "m" + i);
            }
            queue.lend(consumer[0], 1);
            return null;
        });
        node.quiesce();

        assertThat(outlet.heard().stream().filter(news -> news.startsWith("m")))
                .isEqualTo(IntStream.range(0, 100).mapToObj(i -> "m" + i).toList());
        assertThat(node.on(here, () -> queue.report().acknowledged())).isEqualTo(100);
    }

    @Test
    void aFaultInWhatComesFromAnotherLoopLosesNothingElse() throws Exception {
        LocalQueue queue = node.queue(PLAIN, there);
        RecordingPublisher publisher = new RecordingPublisher(here);
        CompletableFuture<Void> both = node.on(here, () -> {
            Crossing crossing = node.crossing(here, there);
            crossing.enqueue(queue, TestMessages.of("a", 10), ENVELOPE, publisher, 1);
            crossing.run(() -> {
                throw new IllegalStateException("a fault that this test wants");
            });
            crossing.enqueue(queue, TestMessages.of("b", 10), ENVELOPE, publisher, 2);
            return publisher.receipts(2);
        });
        both.get(20, TimeUnit.SECONDS);

        assertThat(node.on(there, () -> queue.report().ready())).isEqualTo(2);
    }

    // Life.

    @Test
    void whatAPassBroughtIsInTheReportOfThatPass() throws Exception {
        LocalQueue queue = node.queue(limited(OptionalLong.of(2), OptionalLong.empty(), null), there);
        RecordingPublisher publisher = new RecordingPublisher(there);

        QueueReport report = node.on(there, () -> {
            publish(queue, publisher, "a", "b", "c");
            return queue.report();
        });

        assertThat(report.ready()).isEqualTo(2);
        assertThat(report.overflowed()).isOne();
    }

    @Test
    void refusesAConsumerBesideAnExclusiveOne() throws Exception {
        LocalQueue queue = node.queue(PLAIN, here);
        QueueConsumer.Terms exclusive = new QueueConsumer.Terms(false, true, 0, 0, false, OptionalLong.empty());
        node.on(here, () -> queue.attach(new RecordingOutlet(here), session, exclusive, PLENTY));

        assertThatThrownBy(
                        () -> node.on(here, () -> queue.attach(new RecordingOutlet(here), session, terms(1), PLENTY)))
                .hasCauseInstanceOf(BrokerException.class)
                .hasMessageContaining("queue 'q' in vhost '/' in exclusive use");
    }

    @Test
    void deletingTakesEverythingOffTheAccountOfMemory() throws Exception {
        LocalQueue queue = node.queue(PLAIN, there);
        RecordingPublisher publisher = new RecordingPublisher(there);
        RecordingOutlet outlet = new RecordingOutlet(here);
        QueueConsumer consumer = node.on(there, () -> {
            publish(queue, publisher, "a", "b", "c", "d");
            return queue.attach(outlet, session, terms(2), PLENTY);
        });
        node.quiesce();
        assertThat(node.queues.residentBytes()).isEqualTo(4 * (11 + ResidentBytes.ENTRY_OVERHEAD));

        node.queues.remove(1, "it is deleted");
        node.quiesce();

        assertThat(node.queues.residentBytes()).isZero();
        assertThat(node.queues.get(1)).isNull();
        assertThat(outlet.heard()).containsExactly("a", "b", "revoked: it is deleted");

        // What was under way arrives nowhere, and publishes are answered as if they had come in time.
        node.on(there, () -> {
            queue.settle(session, 0, 10, Outcome.ACCEPTED);
            queue.release(session);
            queue.grantBytes(consumer, 10);
            queue.detach(consumer);
            queue.purge();
            queue.used();
            assertThat(queue.delete("again")).isZero();
            return publish(queue, publisher, "e");
        });
        node.quiesce();
        assertThat(node.on(there, () -> publisher.stored.size())).isEqualTo(5);
        assertThat(node.queues.residentBytes()).isZero();
        assertThatThrownBy(() -> node.on(there, () -> pull(queue, true)))
                .hasCauseInstanceOf(BrokerException.class)
                .hasMessageContaining("no queue 'q' in vhost '/'");
    }

    @Test
    void saysThatItIsOfNoUseOnceItsMachineHasDecided() throws Exception {
        QueueSpec autoDelete = QueueSpec.plain("q", true, false, true);
        LocalQueue queue = node.queue(autoDelete, here);
        RecordingPublisher publisher = new RecordingPublisher(here);

        node.on(here, () -> {
            publish(queue, publisher, "a");
            queue.attach(new RecordingOutlet(here), session, terms(1), PLENTY);
            queue.report();
            queue.release(session);
            // It was decided already, but whoever would delete the queue at once would pull it from under the release.
            assertThat(node.abandoned).isEmpty();
            return null;
        });

        assertThat(node.abandoned.poll(20, TimeUnit.SECONDS)).isEqualTo(1L);
    }

    @Test
    void expiresMessagesWithoutAnybodyDoingAnything() throws Exception {
        DeadLetter to = new DeadLetter("dlx", RoutingKey.of("dead"), false);
        LocalQueue queue = node.queue(limited(OptionalLong.empty(), OptionalLong.of(30), to), there);
        RecordingPublisher publisher = new RecordingPublisher(there);
        node.on(there, () -> publish(queue, publisher, "a", "b"));

        for (String name : List.of("a", "b")) {
            DeadLetters.Letter letter = node.letters.poll(20, TimeUnit.SECONDS);
            assertThat(letter.reason()).isEqualTo(DeathReason.EXPIRED);
            assertThat(letter.to()).isSameAs(to);
            assertThat(TestMessages.name(letter.message())).isEqualTo(name);
            node.on(there, () -> {
                letter.done(true);
                return null;
            });
        }
        node.quiesce();
        assertThat(node.on(there, () -> queue.report().deadLettered())).isEqualTo(2);
        assertThat(node.queues.residentBytes()).isZero();
    }

    @Test
    void pullsWithWhatIsLeft() throws Exception {
        LocalQueue queue = node.queue(PLAIN, there);
        RecordingPublisher publisher = new RecordingPublisher(there);

        LocalQueue.Pulled pulled = node.on(there, () -> {
            publish(queue, publisher, "a", "b", "c");
            return pull(queue, false);
        });
        assertThat(pulled.remaining()).isEqualTo(2);
        assertThat(TestMessages.name(pulled.delivery().message(0))).isEqualTo("a");
        assertThat(pulled.delivery().redelivered(0)).isFalse();

        node.on(there, () -> {
            queue.release(session);
            return null;
        });
        LocalQueue.Pulled again = node.on(there, () -> pull(queue, true));
        assertThat(again.delivery().redelivered(0)).isTrue();
        assertThat(again.delivery().returns(0)).isOne();
        assertThat(node.on(there, queue::purge)).isEqualTo(2);
        assertThat(node.on(there, () -> pull(queue, true))).isNull();
    }

    private LocalQueue.Pulled pull(LocalQueue queue, boolean settled) {
        return queue.pull(session, settled).toCompletableFuture().join().orElse(null);
    }

    private static Void publish(LocalQueue queue, RecordingPublisher publisher, String... names) {
        for (String name : names) {
            queue.enqueue(TestMessages.of(name, 10), ENVELOPE, publisher, 1);
        }
        return null;
    }

    private static String take(RecordingOutlet outlet) {
        try {
            String news = outlet.news.poll(20, TimeUnit.SECONDS);
            assertThat(news).as("something was to arrive").isNotNull();
            return news;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static QueueConsumer.Terms terms(int window) {
        return new QueueConsumer.Terms(false, false, 0, window, false, OptionalLong.empty());
    }

    private static QueueConsumer.Terms sharing() {
        return new QueueConsumer.Terms(false, false, 0, 0, true, OptionalLong.empty());
    }

    private static QueueSpec limited(OptionalLong messages, OptionalLong ttlMillis, DeadLetter deadLetter) {
        QueueLimits limits = new QueueLimits(
                messages, OptionalLong.empty(), QueueLimits.Overflow.DROP_HEAD, ttlMillis, OptionalLong.empty());
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
}
