package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.topology.QueueSpec;
import org.junit.jupiter.api.Test;

/** The table of unanswered deliveries is a map. */
class InflightTest {
    private static final byte[] STATES = {Inflight.AWAITS_ACK, Inflight.AWAITS_RECEIVED, Inflight.AWAITS_COMPLETE};

    private final Inflight inflight = new Inflight();
    private final Map<Integer, Entry> model = new HashMap<>();

    private record Entry(byte state, QueueHandle queue, long position) {}

    private record Queue(long id) implements QueueHandle {
        @Override
        public String name() {
            return "q" + id;
        }

        @Override
        public QueueSpec spec() {
            return QueueSpec.plain(name(), true, false, false);
        }
    }

    private void add(int id, byte state, QueueHandle queue, long position) {
        inflight.add(id, state, queue, position);
        model.put(id, new Entry(state, queue, position));
    }

    private void check() {
        assertThat(inflight.size()).isEqualTo(model.size());
        model.forEach((id, entry) -> {
            int slot = inflight.find(id);
            assertThat(slot).as("slot of %d", id).isNotEqualTo(Inflight.NONE);
            assertThat(new Entry(inflight.state(slot), inflight.queue(slot), inflight.position(slot)))
                    .isEqualTo(entry);
        });
    }

    @Test
    void anEmptyOneHasNothing() {
        assertThat(inflight.size()).isZero();
        assertThat(inflight.find(1)).isEqualTo(Inflight.NONE);
    }

    @Test
    void randomChangesAreThoseOfAMap() {
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            // Few different identifiers collide, many make it grow.
            int ids = new int[] {10, 40, 300, 65_535}[seed % 4];
            int most = Math.min(ids, 1 + random.nextInt(600));
            while (!model.isEmpty()) {
                int id = model.keySet().iterator().next();
                inflight.remove(inflight.find(id));
                model.remove(id);
            }
            for (int step = 0; step < 1_500; step++) {
                int id = 1 + random.nextInt(ids);
                Entry entry = model.get(id);
                if (entry == null) {
                    assertThat(inflight.find(id)).isEqualTo(Inflight.NONE);
                    if (model.size() < most) {
                        add(
                                id,
                                STATES[random.nextInt(3)],
                                random.nextInt(4) == 0 ? null : new Queue(random.nextInt(5)),
                                random.nextLong() >>> 1);
                    }
                } else if (random.nextInt(3) == 0) {
                    inflight.state(inflight.find(id), STATES[step % 3]);
                    model.put(id, new Entry(STATES[step % 3], entry.queue(), entry.position()));
                } else if (entry.queue() == null) {
                    Queue queue = new Queue(9);
                    inflight.queue(inflight.find(id), queue);
                    model.put(id, new Entry(entry.state(), queue, entry.position()));
                } else {
                    inflight.remove(inflight.find(id));
                    model.remove(id);
                }
                if (step % 100 == 0) {
                    check();
                }
            }
            check();
        }
    }

    @Test
    void aPositionHasTheSameIdentifierWheneverItComes() {
        for (long position : new long[] {0, 1, 65_533, 65_534, 1_000_000, Long.MAX_VALUE / 2}) {
            int id = inflight.idOf(position);
            assertThat(id).isBetween(1, 65_535).isEqualTo(new Inflight().idOf(position));
        }
        assertThat(inflight.idOf(0)).isEqualTo(1);
        assertThat(inflight.idOf(65_534)).isEqualTo(65_535);
        assertThat(inflight.idOf(65_535)).isEqualTo(1);
    }

    @Test
    void anIdentifierInUseIsNotGivenAgain() {
        add(1, Inflight.AWAITS_ACK, null, 0);

        int other = inflight.idOf(65_535);
        assertThat(other).isBetween(2, 65_535);
        add(other, Inflight.AWAITS_ACK, null, 65_535);
        assertThat(inflight.freeId()).isNotIn(1, other);
    }

    @Test
    void allIdentifiersCanBeInUse() {
        for (int i = 0; i < 65_535; i++) {
            int id = inflight.freeId();
            assertThat(id).isBetween(1, 65_535);
            add(id, Inflight.AWAITS_ACK, null, i);
        }
        assertThat(model).hasSize(65_535);
        inflight.remove(inflight.find(4_711));
        assertThat(inflight.freeId()).isEqualTo(4_711);
    }
}
