package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.entrepot.spi.session.QueueHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryTagsTest {
    private static final QueueHandle QUEUE = new NamedQueue(1, "q");

    private final DeliveryTags tags = new DeliveryTags();
    private final List<String> taken = new ArrayList<>();
    private final DeliveryTags.Taker taker = (tag, queue, position) -> taken.add(tag + "@" + position);

    @Test
    void tagsCountFromOne() {
        assertThat(tags.add(QUEUE, 70)).isEqualTo(1);
        assertThat(tags.skip()).isEqualTo(2);
        assertThat(tags.add(QUEUE, 71)).isEqualTo(3);
        assertThat(tags.size()).isEqualTo(2);
    }

    @Test
    void aTagIsTakenOnce() {
        tags.add(QUEUE, 70);
        assertThat(tags.take(1, taker)).isTrue();
        assertThat(tags.take(1, taker)).isFalse();
        assertThat(taken).containsExactly("1@70");
    }

    @Test
    void aTagThatWasSettledByBeingDeliveredIsUnknown() {
        tags.add(QUEUE, 70);
        tags.skip();
        assertThat(tags.take(2, taker)).isFalse();
        assertThat(tags.takeUpTo(2, taker)).isFalse();
        assertThat(tags.take(0, taker)).isFalse();
        assertThat(tags.take(99, taker)).isFalse();
        assertThat(tags.take(-1, taker)).isFalse();
        assertThat(taken).isEmpty();
    }

    @Test
    void takingUpToATagTakesAllBelow() {
        for (int i = 0; i < 5; i++) {
            tags.add(QUEUE, 70 + i);
        }
        tags.take(2, taker);
        taken.clear();
        assertThat(tags.takeUpTo(4, taker)).isTrue();
        assertThat(taken).containsExactly("1@70", "3@72", "4@73");
        assertThat(tags.size()).isEqualTo(1);
    }

    @Test
    void anOldDeliveryDoesNotMakeTheRingGrow() {
        tags.add(QUEUE, 0);
        for (int i = 1; i <= 1_000_000; i++) {
            long tag = tags.add(QUEUE, i);
            assertThat(tags.take(tag, (t, q, p) -> {})).isTrue();
        }
        assertThat(tags.capacity()).isEqualTo(DeliveryTags.CAPACITY_MIN);
        assertThat(tags.takeUpTo(1, taker)).isTrue();
        assertThat(taken).containsExactly("1@0");
    }

    @Test
    void manyOldDeliveriesAmongSettledOnesAreKept() {
        List<String> kept = new ArrayList<>();
        for (int i = 1; i <= 20_000; i++) {
            long tag = tags.add(QUEUE, i);
            if (i % 8 == i / 100 % 8) {
                kept.add(tag + "@" + i);
            } else {
                tags.take(tag, (t, q, p) -> {});
            }
        }
        assertThat(tags.size()).isEqualTo(kept.size());
        tags.takeAll(taker);
        assertThat(taken).isEqualTo(kept);
    }

    @Test
    void aLargeRingIsGivenBackWhenItIsEmpty() {
        for (int i = 0; i < 100_000; i++) {
            tags.add(QUEUE, i);
        }
        assertThat(tags.capacity()).isGreaterThan(DeliveryTags.CAPACITY_KEPT);
        tags.takeAll((tag, queue, position) -> {});
        assertThat(tags.capacity()).isZero();
        assertThat(tags.add(QUEUE, 5)).isEqualTo(100_001);
    }

    @Test
    void whatIsRestoredCanBeTakenAgain() {
        for (int i = 0; i < 40; i++) {
            tags.add(QUEUE, i);
        }
        tags.takeUpTo(30, (tag, queue, position) -> {});
        for (long tag = 1; tag <= 30; tag++) {
            tags.restore(tag, QUEUE, tag - 1);
        }
        assertThat(tags.size()).isEqualTo(40);
        assertThat(tags.takeUpTo(40, taker)).isTrue();
        assertThat(taken).hasSize(40).startsWith("1@0", "2@1").endsWith("40@39");
    }

    /** Compares with a plain map under random use. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void behavesAsASortedMap(long seed) {
        Random random = new Random(seed);
        TreeMap<Long, Long> model = new TreeMap<>();
        long last = 0;
        for (int step = 0; step < 20_000; step++) {
            int what = random.nextInt(100);
            if (what < 50) {
                last = tags.add(QUEUE, step);
                model.put(last, (long) step);
            } else if (what < 55) {
                last = tags.skip();
            } else if (what < 92) {
                long tag = random.nextBoolean() ? last - random.nextInt(20) : random.nextLong(last + 2);
                taken.clear();
                Long position = model.remove(tag);
                assertThat(tags.take(tag, taker))
                        .as("seed %d, tag %d", seed, tag)
                        .isEqualTo(position != null);
                assertThat(taken).hasSize(position == null ? 0 : 1);
                if (position != null && random.nextInt(10) == 0) {
                    tags.restore(tag, QUEUE, position);
                    model.put(tag, position);
                }
            } else if (what < 99) {
                long tag = last - random.nextInt(200);
                boolean known = model.containsKey(tag);
                taken.clear();
                assertThat(tags.takeUpTo(tag, taker))
                        .as("seed %d, up to %d", seed, tag)
                        .isEqualTo(known);
                assertThat(taken).isEqualTo(known ? texts(model.headMap(tag, true)) : List.of());
                if (known) {
                    model.headMap(tag, true).clear();
                }
            } else if (random.nextInt(20) == 0) {
                taken.clear();
                tags.takeAll(taker);
                assertThat(taken).isEqualTo(texts(model));
                model.clear();
            }
            assertThat(tags.size()).isEqualTo(model.size());
        }
    }

    private static List<String> texts(Map<Long, Long> entries) {
        List<String> texts = new ArrayList<>();
        entries.forEach((tag, position) -> texts.add(tag + "@" + position));
        return texts;
    }
}
