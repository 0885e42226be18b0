package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.entrepot.core.loop.Loop;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.storage.StorageEngine.Durability;
import org.entrepot.spi.topology.QueueSpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a queue promises its publishers, and tells its log. */
@Timeout(60)
class DurabilityTest {
    private static final Envelope LASTING = TestMessages.envelope(true, Envelope.NO_PRIORITY, Envelope.NO_TTL);
    private static final Envelope TRANSIENT = TestMessages.envelope(false, Envelope.NO_PRIORITY, Envelope.NO_TTL);

    private final LaggingStorage storage = new LaggingStorage();
    private final Node node = new Node(storage);
    private final Loop loop = node.loop(0);
    private final RecordingPublisher publisher = new RecordingPublisher(loop);

    @AfterEach
    void closeNode() throws Exception {
        node.close();
    }

    @Test
    void aReceiptWaitsUntilItsEntryIsDurable() throws Exception {
        LocalQueue queue = node.queue(QueueSpec.plain("q", true, false, false), loop);
        publish(queue, LASTING, 1);
        publish(queue, TRANSIENT, 2);
        publish(queue, LASTING, 3);
        assertThat(stored()).containsExactly(2L);

        durable(1);
        assertThat(stored()).containsExactly(2L, 1L);

        durable(3);
        assertThat(stored()).containsExactly(2L, 1L, 3L);
    }

    @Test
    void theLogIsToldWhatPoliciesWantFromTheFirstUseOn() throws Exception {
        QueueSpec spec = QueueSpec.plain("q", true, false, false);
        node.queues.add(1, "/", spec, Durability.OPERATING_SYSTEM);
        LocalQueue queue = node.queues.get(1);
        queue.home(loop);
        publish(queue, LASTING, 1);
        assertThat(storage.last.demanded).isEqualTo(Durability.OPERATING_SYSTEM);

        node.queues.change(1, spec, null);
        node.quiesce();
        assertThat(storage.last.demanded).isEqualTo(storage.durability());

        node.queues.change(1, spec, Durability.OPERATING_SYSTEM);
        node.quiesce();
        assertThat(storage.last.demanded).isEqualTo(Durability.OPERATING_SYSTEM);
    }

    @Test
    void aTransientQueuePromisesNothingAndSaysSoAtOnce() throws Exception {
        LocalQueue queue = node.queue(QueueSpec.plain("q", false, false, false), loop);
        publish(queue, LASTING, 1);

        assertThat(stored()).containsExactly(1L);
    }

    @Test
    void afterTheLogHasFailedNothingIsPromisedAnyMore() throws Exception {
        LocalQueue queue = node.queue(QueueSpec.plain("q", true, false, false), loop);
        publish(queue, LASTING, 1);
        node.on(loop, () -> {
            storage.last.fail();
            return null;
        });
        publish(queue, LASTING, 2);

        assertThat(stored()).isEmpty();
        assertThat(node.on(loop, () -> List.copyOf(publisher.refused))).containsExactly(1L, 2L);
    }

    @Test
    void deletingAnswersWhoStillWaits() throws Exception {
        LocalQueue queue = node.queue(QueueSpec.plain("q", true, false, false), loop);
        publish(queue, LASTING, 1);
        node.on(loop, () -> queue.delete("it is deleted"));

        assertThat(stored()).containsExactly(1L);
    }

    @Test
    void factsAreWrittenAsTheFormatSays() throws Exception {
        LocalQueue queue = node.queue(QueueSpec.plain("q", true, false, false), loop);
        Object session = new Object();
        RecordingOutlet outlet = new RecordingOutlet(loop);
        QueueConsumer.Terms terms = new QueueConsumer.Terms(false, false, 0, 0, false, OptionalLong.empty());
        QueueConsumer consumer = node.on(loop, () -> queue.attach(outlet, session, terms, 1_000_000));
        for (long number = 1; number <= 4; number++) {
            publish(queue, LASTING, number);
        }
        node.quiesce();
        node.on(loop, () -> {
            queue.detach(consumer);
            queue.settle(session, 0, 1, Outcome.ACCEPTED);
            queue.settle(session, 3, 3, Outcome.MODIFIED);
            return null;
        });

        // Version, kind, cursor; then position and failures. What is settled the log is told otherwise.
        assertThat(storage.facts).containsExactly("01" + "02" + "00" + "0000000000000003" + "00000001");
    }

    private void publish(LocalQueue queue, Envelope envelope, long number) throws Exception {
        node.on(loop, () -> {
            queue.enqueue(TestMessages.of("m", 10), envelope, publisher, number);
            return null;
        });
    }

    private void durable(long index) throws Exception {
        node.on(loop, () -> {
            storage.last.becomeDurable(index);
            return null;
        });
    }

    private List<Long> stored() throws Exception {
        return node.on(loop, () -> List.copyOf(publisher.stored));
    }
}
