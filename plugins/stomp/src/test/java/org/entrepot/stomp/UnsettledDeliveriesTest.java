package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Numbers of deliveries, against a plain map. */
class UnsettledDeliveriesTest {
    private final Subscription subscription = new Subscription(
            null,
            new SubscriptionName("1", true),
            AckMode.CLIENT,
            Destination.Kind.QUEUE,
            "s",
            StompVersion.V1_2,
            null);

    @Test
    void behavesAsAMapDoes() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        UnsettledDeliveries deliveries = new UnsettledDeliveries();
        TreeMap<Long, Long> model = new TreeMap<>();
        long last = 0;
        for (int i = 0; i < 200_000; i++) {
            int choice = random.nextInt(100);
            if (choice < 45) {
                long position = random.nextLong();
                last = deliveries.add(subscription, position);
                model.put(last, position);
            } else if (choice < 50) {
                last = deliveries.skip();
            } else if (choice < 97 || model.isEmpty()) {
                long number = 1 + (long) (random.nextDouble() * (last + 2));
                Long oldest = model.floorKey(number);
                long chosen = oldest == null || choice < 60 ? number : oldest;
                List<Long> taken = new ArrayList<>();
                deliveries.take(chosen, (of, position) -> taken.add(position));
                Long expected = model.remove(chosen);
                assertThat(taken).as("seed %d", seed).isEqualTo(expected == null ? List.of() : List.of(expected));
            } else if (choice < 98) {
                long number = model.ceilingKey(model.firstKey() + random.nextInt(3)) == null
                        ? model.lastKey()
                        : model.ceilingKey(model.firstKey() + random.nextInt(1));
                List<Long> taken = new ArrayList<>();
                deliveries.takeUpTo(number, (of, position) -> taken.add(position));
                assertThat(taken)
                        .as("seed %d", seed)
                        .isEqualTo(List.copyOf(model.headMap(number, true).values()));
                model.headMap(number, true).clear();
            }
            assertThat(deliveries.size()).as("seed %d", seed).isEqualTo(model.size());
            long asked = 1 + (long) (random.nextDouble() * (last + 2));
            assertThat(deliveries.find(asked) != null).as("seed %d", seed).isEqualTo(model.containsKey(asked));
        }
    }

    @Test
    void oneOldDeliveryDoesNotMakeItLong() {
        UnsettledDeliveries deliveries = new UnsettledDeliveries();
        deliveries.add(subscription, 0);
        for (int i = 0; i < 100_000; i++) {
            deliveries.take(deliveries.add(subscription, i), (of, position) -> {});
        }
        assertThat(deliveries.capacity()).isLessThanOrEqualTo(UnsettledDeliveries.CAPACITY_KEPT);
        assertThat(deliveries.find(1)).isNotNull();
    }
}
