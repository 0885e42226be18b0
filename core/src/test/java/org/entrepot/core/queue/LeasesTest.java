package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;

class LeasesTest {
    private record Lease(Holder holder, long deadline, int lane, int bytes) {}

    @Test
    void behavesAsASortedMap() {
        List<Holder> holders = List.of(new Holder("a", null), new Holder("b", null), new Holder("c", null));
        Seeds.each(200, random -> {
            Leases leases = new Leases();
            TreeMap<Long, Lease> model = new TreeMap<>();
            PositionSetTest.Walk walk = new PositionSetTest.Walk(random);
            for (int i = 0; i < 2_000; i++) {
                long position = walk.next();
                switch (random.below(4)) {
                    case 0, 1 -> {
                        if (!model.containsKey(position)) {
                            Lease lease = new Lease(
                                    random.oneOf(holders),
                                    random.percent(50) ? Leases.NO_DEADLINE : random.below(1_000),
                                    random.below(256),
                                    random.below(100_000));
                            leases.put(position, lease.holder(), lease.deadline(), lease.lane(), lease.bytes());
                            model.put(position, lease);
                        }
                    }
                    case 2 -> {
                        Long victim = random.percent(60) ? model.ceilingKey(position) : Long.valueOf(position);
                        if (victim != null) {
                            assertThat(leases.remove(victim)).isEqualTo(model.remove(victim) != null);
                        }
                    }
                    default -> {
                        Long next = model.ceilingKey(position);
                        assertThat(leases.next(position)).isEqualTo(next == null ? Leases.NONE : next);
                    }
                }
                Lease there = model.get(position);
                assertThat(leases.holder(position)).isSameAs(there == null ? null : there.holder());
                if (there != null) {
                    assertThat(leases.deadline(position)).isEqualTo(there.deadline());
                    assertThat(leases.lane(position)).isEqualTo(there.lane());
                    assertThat(leases.bytes(position)).isEqualTo(there.bytes());
                }
                assertThat(leases.size()).isEqualTo(model.size());
                assertThat(leases.bytes())
                        .isEqualTo(
                                model.values().stream().mapToLong(Lease::bytes).sum());
                assertThat(leases.next(0)).isEqualTo(model.isEmpty() ? Leases.NONE : model.firstKey());
            }
            for (Long position : random.shuffled(List.copyOf(model.keySet()))) {
                assertThat(leases.remove(position)).isTrue();
            }
            assertThat(leases.size()).isZero();
            assertThat(leases.next(0)).isEqualTo(Leases.NONE);
        });
    }

    @Test
    void oneOldLeaseDoesNotMakeTheOthersSlow() {
        Leases leases = new Leases();
        Holder holder = new Holder("session", null);
        leases.put(0, holder, Leases.NO_DEADLINE, 0, 10);
        for (long position = 1; position < 1L << 28; position += 1 << 8) {
            leases.put(position, holder, Leases.NO_DEADLINE, 0, 10);
            assertThat(leases.remove(position)).isTrue();
        }

        assertThat(leases.next(0)).isZero();
        assertThat(leases.next(1)).isEqualTo(Leases.NONE);
        assertThat(leases.size()).isOne();
    }
}
