package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.storage.KeepingStorage;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.topology.QueueSpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages beyond what may stay in memory. */
@Timeout(60)
class MessageMemoryTest {
    private static final Envelope LASTING = TestMessages.envelope(true, Envelope.NO_PRIORITY, Envelope.NO_TTL);
    private static final long BYTES_MAX = 4 << 20;
    private static final int MESSAGE_BYTES = 10_000;

    private final KeepingStorage storage = KeepingStorage.prompt();
    private final Node node = new Node(storage, BYTES_MAX);

    @AfterEach
    void closeNode() throws Exception {
        node.close();
    }

    @Test
    void longBacklogsLeaveMemoryAndComeOutInOrder() throws Exception {
        LocalQueue here = node.queue(QueueSpec.plain("here", true, false, false), node.loop(0));
        LocalQueue there = node.queue(QueueSpec.plain("there", true, false, false), node.loop(1));
        publish(here, 1_000);
        publish(there, 1_000);
        awaitRoom();

        assertThat(node.on(node.loop(0), () -> here.report().readyBytes())).isEqualTo(10_000_000);
        assertThat(consume(here, 1_000)).isEqualTo(names(1_000));
        assertThat(consume(there, 1_000)).isEqualTo(names(1_000));
        node.quiesce();
        assertThat(node.queues.residentBytes()).isZero();
    }

    @Test
    void whatAConsumerHoldsLeavesMemoryFirstAndComesBackWhenItIsReturned() throws Exception {
        LocalQueue queue = node.queue(QueueSpec.plain("q", true, false, false), node.loop(0));
        publish(queue, 200);
        Object session = new Object();
        RecordingOutlet outlet = new RecordingOutlet(node.loop(0));
        QueueConsumer.Terms terms = new QueueConsumer.Terms(false, false, 0, 0, false, OptionalLong.empty());
        node.on(node.loop(0), () -> queue.attach(outlet, session, terms, 1L << 30));
        for (int i = 0; i < 200; i++) {
            assertThat(outlet.news.poll(20, TimeUnit.SECONDS)).isEqualTo("m" + i);
        }
        LocalQueue other = node.queue(QueueSpec.plain("other", true, false, false), node.loop(0));
        publish(other, 1_000);
        awaitRoom();
        long held = node.on(node.loop(0), () -> storage.log(queue.id()).residentBytes());
        assertThat(held).isLessThan(200L * MESSAGE_BYTES);

        node.on(node.loop(0), () -> {
            queue.release(session);
            return null;
        });
        assertThat(consume(queue, 200)).isEqualTo(names(200));
    }

    /** Waits until room was made, which takes its time and is done in the background. */
    private void awaitRoom() throws Exception {
        do {
            node.quiesce();
        } while (node.queues.residentBytes() > BYTES_MAX);
    }

    private void publish(LocalQueue queue, int count) throws Exception {
        Loop home = queue.home();
        RecordingPublisher publisher = new RecordingPublisher(home);
        CompletableFuture<Void> stored = node.on(home, () -> {
            for (int i = 0; i < count; i++) {
                queue.enqueue(TestMessages.of("m" + i, MESSAGE_BYTES), LASTING, publisher, i);
            }
            return publisher.receipts(count);
        });
        stored.get(20, TimeUnit.SECONDS);
    }

    private List<String> consume(LocalQueue queue, int count) throws Exception {
        Loop home = queue.home();
        Object session = new Object();
        RecordingOutlet outlet = new RecordingOutlet(home);
        outlet.onBatch = batch -> {
            for (int i = 0; i < batch.size(); i++) {
                queue.settle(session, batch.position(i), batch.position(i), Outcome.ACCEPTED);
            }
        };
        QueueConsumer.Terms terms = new QueueConsumer.Terms(false, false, 0, 20, false, OptionalLong.empty());
        node.on(home, () -> queue.attach(outlet, session, terms, 1L << 40));
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(outlet.news.poll(20, TimeUnit.SECONDS));
        }
        return names;
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }
}
