package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;

class DeadlinesTest {

    @Test
    void givesTheEarliestFirstAndKnowsEachEntryOnce() {
        Seeds.each(300, random -> {
            Deadlines deadlines = new Deadlines();
            TreeMap<Long, Set<Long>> byInstant = new TreeMap<>();
            Map<Long, Long> instants = new HashMap<>();
            for (int i = 0; i < 1_000; i++) {
                int choice = random.below(100);
                if (choice < 60) {
                    long position = random.below(300);
                    long instant = random.below(100);
                    deadlines.add(instant, position);
                    if (instants.putIfAbsent(position, instant) == null) {
                        byInstant
                                .computeIfAbsent(instant, at -> new TreeSet<>())
                                .add(position);
                    }
                } else if (choice < 98 && !byInstant.isEmpty()) {
                    long position = deadlines.firstPosition();
                    assertThat(byInstant.firstEntry().getValue()).contains(position);
                    deadlines.removeFirst();
                    forget(byInstant, instants, position);
                } else if (choice >= 98) {
                    long kept = random.below(7);
                    deadlines.retain(position -> position % 7 >= kept);
                    for (Long position : new TreeSet<>(instants.keySet())) {
                        if (position % 7 < kept) {
                            forget(byInstant, instants, position);
                        }
                    }
                }
                assertThat(deadlines.first()).isEqualTo(byInstant.isEmpty() ? Deadlines.NONE : byInstant.firstKey());
                assertThat(deadlines.size()).isEqualTo(instants.size());
            }
        });
    }

    private static void forget(Map<Long, Set<Long>> byInstant, Map<Long, Long> instants, long position) {
        long instant = instants.remove(position);
        byInstant.get(instant).remove(position);
        if (byInstant.get(instant).isEmpty()) {
            byInstant.remove(instant);
        }
    }
}
