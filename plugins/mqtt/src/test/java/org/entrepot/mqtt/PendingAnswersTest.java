package org.entrepot.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.entrepot.mqtt.wire.Packets;
import org.entrepot.mqtt.wire.Reason;
import org.junit.jupiter.api.Test;

/** Answers go out in the order of the publishes, each once all that it waits for is done (specification 4.6). */
class PendingAnswersTest {
    private final PendingAnswers answers = new PendingAnswers();
    private final List<String> told = new ArrayList<>();

    private List<String> tell() {
        answers.tell((type, id, reason) -> told.add(Packets.name(type) + " " + id + " " + reason));
        List<String> now = List.copyOf(told);
        told.clear();
        return now;
    }

    private long published(int id, long number) {
        long place = answers.add(Packets.PUBACK, id);
        answers.published(place, number);
        return place;
    }

    @Test
    void answersAreToldInOrder() {
        published(7, 1);
        published(8, 2);
        published(9, 3);
        answers.receipts(2, 2, Reason.SUCCESS);
        assertThat(tell()).isEmpty();
        answers.receipts(1, 1, Reason.SUCCESS);
        assertThat(tell()).containsExactly("PUBACK 7 0", "PUBACK 8 0");
        assertThat(answers.isEmpty()).isFalse();
        answers.receipts(3, 3, Reason.QUOTA_EXCEEDED);
        assertThat(tell()).containsExactly("PUBACK 9 151");
        assertThat(answers.isEmpty()).isTrue();
    }

    @Test
    void oneReceiptMayBeForMany() {
        for (int i = 1; i <= 100; i++) {
            published(i, 2L * i);
        }
        answers.receipts(1, 100, Reason.SUCCESS);
        assertThat(tell()).hasSize(50);
        answers.receipts(101, 200, Reason.SUCCESS);
        assertThat(tell()).hasSize(50).last().isEqualTo("PUBACK 100 0");
    }

    @Test
    void anAnswerWaitsForAllItsThingsAndAFaultOfOneStays() {
        long place = published(5, 1);
        answers.waitForMore(place);
        answers.waitForMore(place);
        answers.done(place, Reason.NO_MATCHING_SUBSCRIBERS);
        answers.receipts(1, 1, Reason.SUCCESS);
        assertThat(tell()).isEmpty();
        answers.done(place, Reason.SUCCESS);
        assertThat(tell()).containsExactly("PUBACK 5 16");
    }

    @Test
    void anAnswerWithoutAPublishDoesNotKeepReceiptsFromThoseBehindIt() {
        published(1, 1);
        long repeated = answers.add(Packets.PUBREC, 2);
        answers.done(repeated, Reason.SUCCESS);
        long refused = answers.add(Packets.PUBACK, 3);
        answers.done(refused, Reason.NOT_AUTHORIZED);
        published(4, 2);
        answers.receipts(1, 2, Reason.SUCCESS);

        assertThat(tell()).containsExactly("PUBACK 1 0", "PUBREC 2 0", "PUBACK 3 135", "PUBACK 4 0");
    }

    @Test
    void anAnswerThatWaitsForSomethingElseDoesNotEither() {
        long transaction = answers.add(Packets.PUBREC, 1);
        published(2, 1);
        answers.receipts(1, 1, Reason.SUCCESS);
        assertThat(tell()).isEmpty();
        answers.done(transaction, Reason.SUCCESS);

        assertThat(tell()).containsExactly("PUBREC 1 0", "PUBACK 2 0");
    }

    @Test
    void randomPublishesAndReceiptsAreAnsweredOnceAndInOrder() {
        for (int seed = 0; seed < 300; seed++) {
            randomPublishes(new Random(seed), seed);
        }
    }

    private void randomPublishes(Random random, int seed) {
        /* What an answer still waits for: receipts by number, and other things by count. */
        class Expected {
            int id;
            int type;
            long place;
            long number;
            int others;
            int reason;
        }
        ArrayDeque<Expected> open = new ArrayDeque<>();
        long number = 0;
        long receipted = 0;
        for (int step = 0; step < 400 || !open.isEmpty(); step++) {
            boolean adds = step < 400 && random.nextInt(5) < 3;
            if (adds) {
                Expected one = new Expected();
                one.id = 1 + random.nextInt(65_535);
                one.type = new int[] {Packets.PUBACK, Packets.PUBREC, Packets.PUBCOMP}[random.nextInt(3)];
                one.place = answers.add(one.type, one.id);
                if (random.nextInt(4) == 0) {
                    one.others = 1;
                } else {
                    number += 1 + random.nextInt(2);
                    one.number = number;
                    answers.published(one.place, number);
                }
                while (random.nextInt(4) == 0) {
                    answers.waitForMore(one.place);
                    one.others++;
                }
                open.add(one);
            } else if (random.nextBoolean() && receipted < number) {
                long last = receipted + 1 + random.nextInt((int) (number - receipted));
                int reason = random.nextInt(5) == 0 ? Reason.QUOTA_EXCEEDED : Reason.SUCCESS;
                answers.receipts(receipted + 1, last, reason);
                for (Expected one : open) {
                    if (one.number > receipted && one.number <= last) {
                        one.number = 0;
                        one.reason = reason == Reason.SUCCESS ? one.reason : reason;
                    }
                }
                receipted = last;
            } else {
                List<Expected> waiting =
                        open.stream().filter(one -> one.others > 0).toList();
                if (!waiting.isEmpty()) {
                    Expected one = waiting.get(random.nextInt(waiting.size()));
                    int reason = random.nextInt(5) == 0 ? Reason.NO_MATCHING_SUBSCRIBERS : Reason.SUCCESS;
                    answers.done(one.place, reason);
                    one.others--;
                    one.reason = reason == Reason.SUCCESS ? one.reason : reason;
                }
            }
            List<String> expected = new ArrayList<>();
            while (!open.isEmpty() && open.peek().number == 0 && open.peek().others == 0) {
                Expected due = open.remove();
                expected.add(Packets.name(due.type) + " " + due.id + " " + due.reason);
            }
            assertThat(tell()).as("seed %d, step %d", seed, step).isEqualTo(expected);
            assertThat(answers.isEmpty()).isEqualTo(open.isEmpty());
        }
    }
}
