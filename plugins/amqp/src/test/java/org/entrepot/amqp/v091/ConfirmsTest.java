package org.entrepot.amqp.v091;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.entrepot.spi.session.SessionListener.Receipt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfirmsTest {
    private final List<String> told = new ArrayList<>();
    private final Confirms confirms = new Confirms(0, new Confirms.Sink() {
        @Override
        public void ack(long number, boolean multiple) {
            told.add("ack " + number + (multiple ? " multiple" : ""));
        }

        @Override
        public void nack(long number, boolean multiple) {
            told.add("nack " + number + (multiple ? " multiple" : ""));
        }
    });

    private void stored(long first, long last) {
        confirms.receipts(first, last, Receipt.STORED);
    }

    private void refused(long first, long last) {
        confirms.receipts(first, last, Receipt.REFUSED);
    }

    private List<String> tell() {
        told.clear();
        confirms.tell();
        return told;
    }

    @Test
    void receiptsInOrderBecomeOneAck() {
        stored(1, 3);
        stored(4, 10);
        assertThat(tell()).containsExactly("ack 10 multiple");
        assertThat(confirms.due()).isFalse();
        stored(11, 11);
        assertThat(tell()).containsExactly("ack 11");
    }

    @Test
    void whatIsAboveAGapIsToldAlone() {
        stored(2, 3);
        assertThat(tell()).containsExactly("ack 2", "ack 3");
        stored(1, 1);
        assertThat(tell()).containsExactly("ack 1");
        stored(4, 5);
        assertThat(tell()).containsExactly("ack 5 multiple");
    }

    @Test
    void multipleNeverReachesPastAGap() {
        stored(1, 2);
        stored(4, 6);
        assertThat(tell()).containsExactly("ack 2 multiple", "ack 4", "ack 5", "ack 6");
        stored(3, 3);
        stored(7, 8);
        assertThat(tell()).containsExactly("ack 8 multiple");
    }

    @Test
    void aRefusalIsANack() {
        stored(1, 2);
        refused(3, 4);
        stored(5, 5);
        assertThat(tell()).containsExactly("ack 2 multiple", "nack 4 multiple", "ack 5");
        refused(6, 6);
        assertThat(tell()).containsExactly("nack 6");
    }

    @Test
    void numbersBeginAtTheSelect() {
        List<String> acks = new ArrayList<>();
        Confirms late = new Confirms(100, new Confirms.Sink() {
            @Override
            public void ack(long number, boolean multiple) {
                acks.add(number + (multiple ? "+" : ""));
            }

            @Override
            public void nack(long number, boolean multiple) {}
        });
        late.receipts(90, 100, Receipt.STORED);
        assertThat(late.due()).isFalse();
        late.receipts(95, 103, Receipt.STORED);
        late.tell();
        assertThat(acks).containsExactly("3+");
    }

    @Test
    void nothingIsToldTwice() {
        stored(1, 1);
        assertThat(tell()).hasSize(1);
        assertThat(tell()).isEmpty();
    }

    /** A client that does what the specification says, against receipts in any order. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void everyPublishIsToldOnceAndRightly(long seed) {
        Random random = new Random(seed);
        int count = 5_000;
        BitSet refusals = new BitSet();
        BitSet answered = new BitSet();
        BitSet outstanding = new BitSet();
        BitSet acked = new BitSet();
        BitSet nacked = new BitSet();
        outstanding.set(1, count + 1);
        Confirms subject = new Confirms(0, new Confirms.Sink() {
            @Override
            public void ack(long number, boolean multiple) {
                settle(acked, number, multiple);
            }

            @Override
            public void nack(long number, boolean multiple) {
                settle(nacked, number, multiple);
            }

            private void settle(BitSet verdict, long number, boolean multiple) {
                int first = multiple ? outstanding.nextSetBit(0) : (int) number;
                assertThat(outstanding.get((int) number))
                        .as("seed %d: %d is told twice", seed, number)
                        .isTrue();
                for (int n = first; n >= 0 && n <= number; n = outstanding.nextSetBit(n + 1)) {
                    assertThat(answered.get(n))
                            .as("seed %d: %d has no receipt", seed, n)
                            .isTrue();
                    outstanding.clear(n);
                    verdict.set(n);
                }
            }
        });
        List<int[]> ranges = ranges(random, count);
        shuffleNearby(random, ranges);
        for (int[] range : ranges) {
            boolean refusal = random.nextInt(10) == 0;
            answered.set(range[0], range[1] + 1);
            refusals.set(range[0], range[1] + 1, refusal);
            subject.receipts(range[0], range[1], refusal ? Receipt.REFUSED : Receipt.STORED);
            if (random.nextInt(3) == 0) {
                subject.tell();
            }
        }
        subject.tell();
        assertThat(outstanding.isEmpty()).as("seed %d", seed).isTrue();
        assertThat(nacked).as("seed %d", seed).isEqualTo(refusals);
        acked.or(nacked);
        assertThat(acked.cardinality()).isEqualTo(count);
    }

    private static List<int[]> ranges(Random random, int count) {
        List<int[]> ranges = new ArrayList<>();
        for (int first = 1; first <= count; ) {
            int last = Math.min(count, first + random.nextInt(8));
            ranges.add(new int[] {first, last});
            first = last + 1;
        }
        return ranges;
    }

    private static void shuffleNearby(Random random, List<int[]> ranges) {
        for (int i = 0; i + 20 < ranges.size(); i += 10) {
            if (random.nextBoolean()) {
                Collections.shuffle(ranges.subList(i, i + 20), random);
            }
        }
    }
}
