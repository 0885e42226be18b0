package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;

class ReturnCountsTest {

    @Test
    void behavesAsAMap() {
        Seeds.each(300, random -> {
            ReturnCounts counts = new ReturnCounts();
            Map<Long, Integer> model = new HashMap<>();
            int range = random.oneOf(8, 200, 5_000);
            long base = random.percent(50) ? 0 : random.next() >>> 12;
            for (int i = 0; i < 3_000; i++) {
                long position = base + random.below(range);
                if (random.percent(55)) {
                    int failures = random.below(5);
                    counts.put(position, failures);
                    model.put(position, failures);
                } else {
                    counts.remove(position);
                    model.remove(position);
                }
                long probe = base + random.below(range);
                assertThat(counts.get(probe)).isEqualTo(model.getOrDefault(probe, ReturnCounts.NEVER));
                assertThat(counts.size()).isEqualTo(model.size());
            }
            for (int i = 0; i < range; i++) {
                assertThat(counts.get(base + i)).isEqualTo(model.getOrDefault(base + i, ReturnCounts.NEVER));
            }
            model.keySet().forEach(counts::remove);
            assertThat(counts.size()).isZero();
        });
    }
}
