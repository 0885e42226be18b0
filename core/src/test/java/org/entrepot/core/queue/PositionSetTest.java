package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeSet;
import org.entrepot.core.seeded.SeededRandom;
import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PositionSetTest {

    @Test
    void behavesAsASortedSet() {
        Seeds.each(200, random -> {
            PositionSet set = new PositionSet();
            TreeSet<Long> model = new TreeSet<>();
            Walk walk = new Walk(random);
            for (int i = 0; i < 2_000; i++) {
                long position = walk.next();
                switch (random.below(4)) {
                    case 0, 1 -> assertThat(set.add(position)).isEqualTo(model.add(position));
                    case 2 -> {
                        Long victim = random.percent(60) ? model.ceiling(position) : Long.valueOf(position);
                        if (victim != null) {
                            assertThat(set.remove(victim)).isEqualTo(model.remove(victim));
                        }
                    }
                    default -> {
                        Long next = model.ceiling(position);
                        assertThat(set.next(position)).isEqualTo(next == null ? PositionSet.NONE : next);
                        assertThat(set.contains(position)).isEqualTo(model.contains(position));
                    }
                }
                assertThat(set.size()).isEqualTo(model.size());
                assertThat(set.isEmpty()).isEqualTo(model.isEmpty());
                assertThat(set.first()).isEqualTo(model.isEmpty() ? PositionSet.NONE : model.first());
            }
            for (Long position : random.shuffled(model.stream().toList())) {
                assertThat(set.remove(position)).isTrue();
            }
            assertThat(set.first()).isEqualTo(PositionSet.NONE);
        });
    }

    @Test
    @Timeout(30) // looking through the 262,144 pages that were passed, each time, takes minutes
    void findsTheFirstAtOnceAfterMuchHasPassedBelowIt() {
        // A straggler keeps the set from ever being empty while a billion positions pass through it.
        PositionSet set = new PositionSet();
        set.add(0);
        for (long position = 1; position < 1L << 30; position += 1 << 10) {
            set.add(position);
            set.remove(position);
        }
        set.add(1L << 30);
        set.remove(0);

        long sum = 0;
        for (int i = 0; i < 1_000_000; i++) {
            sum += set.first();
        }
        assertThat(sum).isEqualTo(1_000_000L << 30);
    }

    /** Positions that move upwards with a few stragglers, as a queue's do. */
    static final class Walk {
        private final SeededRandom random;
        private final int spread;
        private long at;

        Walk(SeededRandom random) {
            this.random = random;
            this.spread = random.oneOf(10, 1_000, 100_000);
            this.at = random.percent(50) ? 0 : random.next() >>> 20;
        }

        long next() {
            at += random.below(spread / 10);
            return Math.max(0, at + random.below(spread) - spread / 2);
        }
    }
}
