package org.entrepot.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Receipts that wait for their publishes, against a plain map. */
class PendingReceiptsTest {

    @Test
    void behavesAsAMapDoes() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        PendingReceipts receipts = new PendingReceipts();
        TreeMap<Long, String> model = new TreeMap<>();
        long published = 0;
        List<Long> unreported = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            if (random.nextInt(3) > 0) {
                published++;
                unreported.add(published);
                if (random.nextBoolean()) {
                    String id = "r" + published;
                    receipts.add(published, id.getBytes(StandardCharsets.US_ASCII));
                    model.put(published, id);
                    if (random.nextInt(20) == 0) {
                        receipts.removeLast();
                        model.remove(published);
                    }
                }
            } else if (!unreported.isEmpty()) {
                int from = random.nextInt(unreported.size());
                int to = from;
                while (to + 1 < unreported.size()
                        && unreported.get(to + 1) == unreported.get(to) + 1
                        && random.nextInt(4) > 0) {
                    to++;
                }
                long first = unreported.get(from);
                long last = unreported.get(to);
                unreported.subList(from, to + 1).clear();
                List<String> taken = new ArrayList<>();
                receipts.take(first, last, id -> taken.add(new String(id, StandardCharsets.US_ASCII)));
                assertThat(taken)
                        .as("seed %d", seed)
                        .isEqualTo(List.copyOf(
                                model.subMap(first, true, last, true).values()));
                model.subMap(first, true, last, true).clear();
            }
            assertThat(receipts.isEmpty()).as("seed %d", seed).isEqualTo(model.isEmpty());
        }
    }
}
