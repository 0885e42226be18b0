package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;

class WaitingReceiptsTest {
    private record Waiting(long index, Publisher publisher, long number) {}

    private record Answer(Publisher publisher, long number, boolean stored) {}

    /** Somebody to tell apart. */
    private record Somebody(String name) implements Publisher {
        @Override
        public Loop loop() {
            throw new AssertionError("not asked");
        }

        @Override
        public void receipt(long number, boolean stored) {
            throw new AssertionError("not told");
        }

        @Override
        public void hold() {}

        @Override
        public void resume() {}
    }

    @Test
    void answersInTheOrderOfTheRecordsUpToTheDurableOne() {
        Seeds.each(300, random -> {
            WaitingReceipts receipts = new WaitingReceipts();
            ArrayDeque<Waiting> model = new ArrayDeque<>();
            List<Somebody> publishers = List.of(new Somebody("a"), new Somebody("b"));
            List<Answer> answers = new ArrayList<>();
            List<Answer> expected = new ArrayList<>();
            long index = 0;
            for (int i = 0; i < 500; i++) {
                if (random.percent(70)) {
                    index += random.between(1, 3);
                    receipts.appended(index);
                    if (random.percent(80)) {
                        Publisher publisher = random.oneOf(publishers);
                        receipts.add(publisher, i);
                        model.add(new Waiting(index, publisher, i));
                    }
                } else {
                    long durable = Math.max(0, index - random.below(10));
                    boolean stored = random.percent(90);
                    receipts.answerUpTo(
                            durable, (publisher, number, ok) -> answers.add(new Answer(publisher, number, ok)), stored);
                    while (!model.isEmpty() && model.peek().index() <= durable) {
                        Waiting next = model.poll();
                        expected.add(new Answer(next.publisher(), next.number(), stored));
                    }
                    assertThat(answers).isEqualTo(expected);
                }
            }
        });
    }
}
