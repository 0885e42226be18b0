package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;

class ReadySetTest {

    @Test
    void behavesAsASortedSetThatGrowsAtItsEndAndTakesBackWhatLeft() {
        Seeds.each(500, random -> {
            ReadySet set = new ReadySet();
            TreeSet<Long> model = new TreeSet<>();
            List<Long> left = new ArrayList<>();
            long tail = random.percent(50) ? 0 : random.below(100_000);
            int growth = random.between(20, 60);
            for (int i = 0; i < 2_000; i++) {
                int choice = random.below(100);
                if (random.percent(2)) {
                    long from = random.percent(50) && !model.isEmpty() ? model.first() : random.below((int) tail + 1);
                    long to = from + random.below(random.percent(90) ? 20 : 20_000);
                    Set<Long> gone = model.subSet(from, true, to, true);
                    assertThat(set.removeAll(from, to)).isEqualTo(gone.size());
                    left.addAll(gone);
                    gone.clear();
                } else if (random.percent(2)) {
                    long from = tail + random.below(random.percent(70) ? 5 : 5_000);
                    tail = from + random.between(1, random.percent(90) ? 20 : 3_000);
                    set.addAll(from, tail - 1);
                    for (long position = from; position < tail; position++) {
                        model.add(position);
                    }
                } else if (choice < growth) {
                    set.add(tail);
                    model.add(tail);
                    tail += random.percent(90) ? 1 : random.between(2, 10_000);
                } else if (choice < 80) {
                    if (!model.isEmpty()) {
                        Long victim = random.percent(80) ? model.first() : model.floor(model.last() - random.below(50));
                        if (victim != null) {
                            assertThat(set.remove(victim)).isTrue();
                            assertThat(set.remove(victim)).isFalse();
                            model.remove(victim);
                            left.add(victim);
                        }
                    }
                } else if (!left.isEmpty()) {
                    long back = left.remove(random.percent(50) ? left.size() - 1 : random.below(left.size()));
                    set.add(back);
                    model.add(back);
                }
                assertThat(set.first()).isEqualTo(model.isEmpty() ? ReadySet.NONE : model.first());
                assertThat(set.isEmpty()).isEqualTo(model.isEmpty());
                long probe = Math.max(0, tail - random.below(500));
                Long next = model.ceiling(probe);
                assertThat(set.next(probe)).isEqualTo(next == null ? ReadySet.NONE : next);
                if (next != null) {
                    long end = next;
                    while (model.contains(end)) {
                        end++;
                    }
                    assertThat(set.endOfRun(next)).isEqualTo(end);
                }
                assertThat(set.contains(probe)).isEqualTo(model.contains(probe));
            }
            while (!model.isEmpty()) {
                assertThat(set.first()).isEqualTo(model.first());
                assertThat(set.remove(model.pollFirst())).isTrue();
            }
            assertThat(set.isEmpty()).isTrue();
        });
    }
}
