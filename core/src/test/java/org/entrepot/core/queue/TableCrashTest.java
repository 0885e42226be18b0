package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.seeded.SeededRandom;
import org.entrepot.core.seeded.Seeds;
import org.entrepot.core.storage.KeepingLog;
import org.entrepot.core.storage.KeepingStorage;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.storage.LogTransaction;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tables through crashes: whatever is put and erased, in transactions or not, and wherever among the records a process ends,
 * the next finds of each key the newest that is among the records, or nothing, where that is an erasure.
 */
@Timeout(120)
class TableCrashTest {
    private static final QueueSpec TABLE = QueueSpec.table("t", true, QueueLimits.NONE);
    private static final int SEEDS = 150;
    private static final int LIVES = 4;
    private static final int STEPS_MAX = 40;
    private static final List<String> KEYS = List.of("a", "b", "c", "d");

    @Test
    void aCrashLeavesOfEachKeyTheNewestOfWhatIsOnTheDisk() {
        Seeds.each(SEEDS, random -> {
            try {
                new Lives(random).run();
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        });
    }

    /**
     * Something that was done with a key.
     *
     * @param order when it was done, or prepared
     * @param text what was put; null for an erasure
     * @param lasts whether a restart finds it
     * @param record the log's record with which it has effect
     */
    private record Event(long order, String key, @Nullable String text, boolean lasts, long record) {}

    /** A transaction that is prepared and not decided. */
    private record Open(TransactionPart part, LogTransaction in, List<Event> events) {}

    /** One table, restarted some times. Used by one thread. */
    private static final class Lives {
        private final SeededRandom random;
        private KeepingStorage storage = KeepingStorage.lagging();
        private Node node;
        private LocalQueue queue;
        private RecordingPublisher publisher;
        private List<Event> events = new ArrayList<>();
        private @Nullable Open open;
        private long order;
        private int published;
        private int made;

        Lives(SeededRandom random) {
            this.random = random;
        }

        void run() throws Exception {
            for (int life = 0; life < LIVES; life++) {
                begin();
                try {
                    assertThat(read()).as("after %d crashes", life).isEqualTo(expected(Long.MAX_VALUE, false));
                    for (int steps = random.below(STEPS_MAX); steps > 0; steps--) {
                        step();
                    }
                    assertThat(read()).as("in life %d", life).isEqualTo(expected(Long.MAX_VALUE, false));
                    crash();
                } finally {
                    node.close();
                }
            }
        }

        private void begin() throws Exception {
            node = new Node(storage);
            queue = node.queue(TABLE, node.loop(0));
            publisher = new RecordingPublisher(node.loop(0));
            open = null;
            published = 0;
        }

        private Loop loop() {
            return node.loop(0);
        }

        private void step() throws Exception {
            switch (random.below(10)) {
                case 0 ->
                    node.on(loop(), () -> {
                        log().wantCheckpoint();
                        return null;
                    });
                case 1 -> becomeDurable();
                case 2 -> prepare();
                case 3 -> decide();
                default -> publish();
            }
        }

        private void publish() throws Exception {
            String key = random.oneOf(KEYS);
            boolean lasts = open != null || random.percent(90);
            String text = random.percent(30) ? null : "m" + made++;
            events.add(node.on(loop(), () -> {
                long before = log().index();
                queue.enqueue(message(text), envelope(key, lasts), publisher, ++published);
                // What does not last leaves no record but that what it replaced is gone, which comes last.
                long record = lasts || text == null ? before + 1 : log().index();
                return new Event(++order, key, text, lasts, record);
            }));
        }

        private void becomeDurable() throws Exception {
            node.on(loop(), () -> {
                log().becomeDurable(log().index());
                return null;
            });
            node.quiesce();
            assertThat(publisher.stored).hasSize(published);
        }

        private void prepare() throws Exception {
            if (open != null) {
                return;
            }
            LogTransaction in = storage.begin();
            TransactionPart part = new TransactionPart(queue, publisher, () -> {});
            List<Event> prepared = new ArrayList<>();
            for (int items = random.between(1, 3); items > 0; items--) {
                String key = random.oneOf(KEYS);
                String text = random.percent(30) ? null : "t" + made++;
                part.publish(message(text), envelope(key, true));
                prepared.add(new Event(++order, key, text, true, 0));
            }
            assertThat(node.on(loop(), () -> queue.prepare(part, in))).isEqualTo(TransactionPart.Prepared.YES);
            open = new Open(part, in, prepared);
        }

        private void decide() throws Exception {
            Open deciding = open;
            if (deciding == null) {
                return;
            }
            open = null;
            if (random.percent(30)) {
                node.on(loop(), () -> {
                    queue.giveUp(deciding.part());
                    return null;
                });
                return;
            }
            long record = node.on(loop(), () -> log().index()) + 1;
            deciding.in().commit(loop(), lasts -> {});
            node.quiesce();
            for (Event event : deciding.events()) {
                events.add(new Event(event.order(), event.key(), event.text(), true, record));
            }
        }

        private void crash() throws Exception {
            long upTo = node.on(loop(), () -> {
                KeepingLog log = log();
                long cut = random.between((int) log.durableIndex(), (int) log.index());
                log.crash(cut);
                return cut;
            });
            Map<String, String> left = expected(upTo, true);
            events = new ArrayList<>();
            left.forEach((key, text) -> events.add(new Event(++order, key, text, true, 0)));
            storage = storage.restarted();
        }

        /** What is in the table where these records are there; for the next process, or for this one. */
        private Map<String, String> expected(long upTo, boolean restarted) {
            Map<String, Event> newest = new HashMap<>();
            for (Event event : events) {
                if (event.record() <= upTo) {
                    newest.merge(event.key(), event, (one, other) -> one.order() > other.order() ? one : other);
                }
            }
            Map<String, String> expected = new TreeMap<>();
            newest.forEach((key, event) -> {
                if (event.text() != null && (event.lasts() || !restarted)) {
                    expected.put(key, event.text());
                }
            });
            return expected;
        }

        private Map<String, String> read() throws Exception {
            Map<String, String> found = new TreeMap<>();
            long from = 0;
            while (true) {
                long next = from;
                CompletableFuture<ReadRequest> asked = new CompletableFuture<>();
                node.on(loop(), () -> {
                    queue.whenOpen(() -> queue.read(this, next, 25).thenAccept(asked::complete));
                    // Whatever is asked for comes, a few at a time.
                    while (log().isLoading()) {
                        log().answerLoad(random.between(1, 3));
                    }
                    return null;
                });
                ReadRequest read = asked.get(20, TimeUnit.SECONDS);
                DeliveryBatch batch = read.found();
                if (batch == null) {
                    return found;
                }
                for (int i = 0; i < batch.size(); i++) {
                    String before =
                            found.put(batch.envelope(i).routingKey().toString(), TestMessages.name(batch.message(i)));
                    assertThat(before).as("a key is there once").isNull();
                }
                from = read.next();
            }
        }

        private KeepingLog log() {
            return storage.log(queue.id());
        }

        private static Message message(@Nullable String text) {
            return text == null ? TestMessages.of("none", 0) : TestMessages.of(text, 10);
        }

        private static Envelope envelope(String key, boolean lasts) {
            return TestMessages.envelope(key, lasts, Envelope.NO_PRIORITY, Envelope.NO_TTL);
        }
    }
}
