package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.storage.MemoryStorage;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.topology.QueueSpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How queues pace publishers that run ahead of consumers, between real loops. */
@Timeout(60)
class PacingTest {
    private static final Envelope ENVELOPE = TestMessages.envelope(true, Envelope.NO_PRIORITY, Envelope.NO_TTL);
    /** How far ahead a publisher may be at first. */
    private static final int AHEAD_MAX = 2_000;

    private static final int BURST = 500;

    private final Node node = new Node(new MemoryStorage());
    private final Loop here = node.loop(0);
    private final Loop there = node.loop(1);
    private final LocalQueue queue = node.queue(QueueSpec.plain("q", true, false, false), there);
    private final Object session = new Object();

    @AfterEach
    void closeNode() throws Exception {
        node.close();
    }

    /** Publishes as fast as it may: the next burst when the last one has been answered, and nothing while it is held. */
    private final class EagerPublisher implements Publisher {
        private final int count;
        private final CompletableFuture<Void> finished = new CompletableFuture<>();
        private int published;
        private int answered;
        private int held;
        private int holds;

        EagerPublisher(int count) {
            this.count = count;
        }

        void publishMore() {
            if (held > 0 || answered < published) {
                return;
            }
            if (published == count) {
                finished.complete(null);
            }
            for (int i = 0; i < BURST && published < count; i++) {
                published++;
                node.crossing(here, there)
                        .enqueue(queue, TestMessages.of("m" + published, 100), ENVELOPE, this, published);
            }
        }

        @Override
        public Loop loop() {
            return here;
        }

        @Override
        public void receipt(long number, boolean stored) {
            assert stored;
            if (++answered == published) {
                // Whether it is held comes with the receipts, after them.
                here.post(this::publishMore);
            }
        }

        @Override
        public void hold() {
            assert here.owns();
            holds++;
            held++;
        }

        @Override
        public void resume() {
            assert here.owns();
            held--;
            here.post(this::publishMore);
        }
    }

    @Test
    void aFastPublisherDoesNotRunAwayFromAConsumerThatNearlyKeepsUp() throws Exception {
        long rounds = 400;
        RecordingPublisher publisher = new RecordingPublisher(here);
        RecordingOutlet outlet = new RecordingOutlet(there);
        List<Long> positions = new ArrayList<>();
        outlet.onBatch = batch -> {
            for (int i = 0; i < batch.size(); i++) {
                positions.add(batch.position(i));
            }
        };
        node.on(there, () -> queue.attach(outlet, session, terms(BURST / 2), 1L << 40));
        long most = 0;
        long published = 0;
        for (long round = 0; round < rounds; round++) {
            published += node.on(here, () -> {
                if (publisher.held > 0) {
                    return 0;
                }
                for (int i = 0; i < BURST; i++) {
                    node.crossing(here, there).enqueue(queue, TestMessages.of("m", 100), ENVELOPE, publisher, i);
                }
                return BURST;
            });
            // It takes half of what may come in a round.
            node.on(there, () -> {
                positions.forEach(position -> queue.settle(session, position, position, Outcome.ACCEPTED));
                positions.clear();
                return null;
            });
            most = Math.max(most, node.on(there, () -> queue.report().ready()));
        }

        // Twice as much as it takes would have been published.
        assertThat(published).isBetween(rounds * BURST / 2, rounds * BURST * 2 / 3);
        // Nearly always one burst more than the limit; a machine that stands still for a moment lets the limit double.
        assertThat(most).isBetween((long) AHEAD_MAX, 16L * AHEAD_MAX);
        assertThat(node.on(here, () -> publisher.holds)).isPositive();
    }

    @Test
    void aConsumerThatNeverTakesMoreHoldsNobodyUpForLong() throws Exception {
        RecordingOutlet outlet = new RecordingOutlet(there);
        node.on(there, () -> queue.attach(outlet, session, terms(0), 1_000));
        EagerPublisher publisher = new EagerPublisher(30_000);
        here.post(publisher::publishMore);

        publisher.finished.get(50, TimeUnit.SECONDS);
        node.quiesce();

        // The limit doubles with each hold, from 2,000; without that there was one hold for each burst.
        assertThat(node.on(here, () -> publisher.holds)).isBetween(1, 4);
        assertThat(node.on(there, () -> queue.report().ready())).isGreaterThan(29_000);
    }

    @Test
    void nobodyIsHeldByAQueueWithoutConsumers() throws Exception {
        EagerPublisher publisher = new EagerPublisher(50_000);
        here.post(publisher::publishMore);

        publisher.finished.get(50, TimeUnit.SECONDS);
        node.quiesce();

        assertThat(node.on(here, () -> publisher.holds)).isZero();
    }

    @Test
    void whoIsHeldIsLetGoWhenTheQueueIsDeletedOrLosesItsConsumers() throws Exception {
        for (boolean deleted : new boolean[] {false, true}) {
            RecordingPublisher publisher = new RecordingPublisher(there);
            QueueConsumer consumer =
                    node.on(there, () -> queue.attach(new RecordingOutlet(there), session, terms(0), 1));
            node.on(there, () -> {
                for (int i = 0; i < AHEAD_MAX + 10; i++) {
                    queue.enqueue(TestMessages.of("m", 10), ENVELOPE, publisher, i);
                }
                return null;
            });
            node.quiesce();
            if (deleted) {
                node.on(there, () -> queue.delete("it is deleted"));
            } else {
                node.on(there, () -> {
                    queue.detach(consumer);
                    return queue.purge();
                });
            }
            node.quiesce();
            // Late publishes to a queue that is gone hold nobody.
            node.on(there, () -> {
                queue.enqueue(TestMessages.of("m", 10), ENVELOPE, publisher, 0);
                return null;
            });
            node.quiesce();
            assertThat(node.on(there, () -> publisher.holds)).isOne();
            assertThat(node.on(there, () -> publisher.held)).isZero();
        }
    }

    @Test
    void eachOfManyPublishersIsHeldOnce() throws Exception {
        RecordingPublisher first = new RecordingPublisher(there);
        RecordingPublisher second = new RecordingPublisher(there);
        node.on(there, () -> {
            queue.attach(new RecordingOutlet(there), session, terms(0), 1);
            for (int i = 0; i < AHEAD_MAX + 10; i++) {
                queue.enqueue(TestMessages.of("m", 10), ENVELOPE, i % 2 == 0 ? first : second, i);
            }
            return null;
        });
        node.quiesce();

        assertThat(node.on(there, () -> first.holds)).isOne();
        assertThat(node.on(there, () -> second.holds)).isOne();
    }

    private static QueueConsumer.Terms terms(int window) {
        return new QueueConsumer.Terms(false, false, 0, window, false, OptionalLong.empty());
    }
}
