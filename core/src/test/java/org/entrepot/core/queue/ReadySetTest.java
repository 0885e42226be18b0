package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
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
                if (choice < growth) {
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
