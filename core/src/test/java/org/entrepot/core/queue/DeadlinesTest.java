package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.TreeSet;
import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
    private record Deadline(long instant, long position) {
        static final Comparator<Deadline> ORDER =
                Comparator.comparingLong(Deadline::instant).thenComparingLong(Deadline::position);
    }

    @Test
    void givesTheEarliestFirstThenTheOldestAndKnowsEachEntryOnce() {
        Seeds.each(300, random -> {
            Deadlines deadlines = new Deadlines();
            TreeSet<Deadline> model = new TreeSet<>(Deadline.ORDER);
            for (int i = 0; i < 1_000; i++) {
                int choice = random.below(100);
                if (choice < 60) {
                    long position = random.below(300);
                    long instant = random.below(100);
                    deadlines.add(instant, position);
                    if (model.stream().noneMatch(known -> known.position() == position)) {
                        model.add(new Deadline(instant, position));
                    }
                } else if (choice < 98 && !model.isEmpty()) {
                    deadlines.removeFirst();
                    model.pollFirst();
                } else if (choice >= 98) {
                    long least = random.below(7);
                    deadlines.retain(position -> position % 7 >= least);
                    model.removeIf(known -> known.position() % 7 < least);
                }
                assertThat(deadlines.size()).isEqualTo(model.size());
                if (model.isEmpty()) {
                    assertThat(deadlines.first()).isEqualTo(Deadlines.NONE);
                } else {
                    assertThat(deadlines.first()).isEqualTo(model.first().instant());
                    assertThat(deadlines.firstPosition())
                            .isEqualTo(model.first().position());
                }
            }
        });
    }
}
