package org.entrepot.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.entrepot.spi.BrokerException;
import org.entrepot.spi.session.SessionListener;
import org.junit.jupiter.api.Test;

/** Receipts of a session: each publish is told once, with the result of all its queues together. */
class ReceiptsTest {

    /** Expands runs, so that they can be compared number by number. */
    private static final class Heard implements SessionListener {
        final TreeMap<Long, Receipt> receipts = new TreeMap<>();
        int calls;

        @Override
        public void receipts(long first, long last, Receipt receipt) {
            calls++;
            for (long number = first; number <= last; number++) {
                assertThat(receipts.put(number, receipt))
                        .as("receipt of " + number)
                        .isNull();
            }
        }

        @Override
        public void failed(BrokerException reason) {
            throw new AssertionError(reason);
        }
    }

    private final Heard heard = new Heard();
    private final Receipts receipts = new Receipts(heard, new OutstandingBytes(1));

    @Test
    void answersInARowAreToldAsOneRun() {
        for (int i = 0; i < 100; i++) {
            receipts.answered(receipts.begin(1, 10), true);
        }
        receipts.tell();
        assertThat(heard.calls).isEqualTo(1);
        assertThat(heard.receipts).hasSize(100).containsEntry(100L, SessionListener.Receipt.STORED);
        assertThat(receipts.outstanding()).isZero();
        assertThat(receipts.outstandingBytes()).isZero();
    }

    @Test
    void aPublishToNoQueueIsStoredAtOnceAndInItsTurn() {
        long waiting = receipts.begin(1, 10);
        receipts.begin(0, 10);
        receipts.tell();
        assertThat(heard.receipts).containsOnlyKeys(2L);
        receipts.answered(waiting, true);
        receipts.tell();
        assertThat(heard.receipts).containsOnlyKeys(1L, 2L);
    }

    @Test
    void oneQueuesRefusalRefusesTheWholePublish() {
        long number = receipts.begin(3, 10);
        receipts.answered(number, true);
        receipts.answered(number, false);
        receipts.tell();
        assertThat(heard.receipts).isEmpty();
        receipts.answered(number, true);
        receipts.tell();
        assertThat(heard.receipts).containsEntry(number, SessionListener.Receipt.REFUSED);
    }

    @Test
    void answersInAnyOrderAreEachToldOnce() {
        for (long seed = 1; seed <= 200; seed++) {
            randomOrder(seed);
        }
    }

    private static void randomOrder(long seed) {
        Random random = new Random(seed);
        Heard told = new Heard();
        Receipts under = new Receipts(told, new OutstandingBytes(1));
        List<Long> owed = new ArrayList<>();
        TreeMap<Long, Boolean> stored = new TreeMap<>();
        for (int step = 0; step < 2_000; step++) {
            if (random.nextInt(3) > 0) {
                int targets = random.nextInt(4);
                long number = under.begin(targets, random.nextInt(100));
                stored.put(number, true);
                for (int i = 0; i < targets; i++) {
                    owed.add(number);
                }
            } else if (!owed.isEmpty()) {
                answer(random, under, owed, stored);
            }
            if (random.nextInt(20) == 0) {
                under.tell();
            }
        }
        while (!owed.isEmpty()) {
            answer(random, under, owed, stored);
        }
        under.tell();
        TreeMap<Long, SessionListener.Receipt> expected = new TreeMap<>();
        stored.forEach((number, all) ->
                expected.put(number, all ? SessionListener.Receipt.STORED : SessionListener.Receipt.REFUSED));
        assertThat(told.receipts).as("seed " + seed).isEqualTo(expected);
        assertThat(under.outstanding()).as("seed " + seed).isZero();
        assertThat(under.outstandingBytes()).as("seed " + seed).isZero();
    }

    private static void answer(Random random, Receipts under, List<Long> owed, Map<Long, Boolean> stored) {
        long number = owed.remove(random.nextInt(owed.size()));
        boolean accepted = random.nextInt(8) > 0;
        if (!accepted) {
            stored.put(number, false);
        }
        under.answered(number, accepted);
    }

    @Test
    void whatIsOutstandingCountsForAllSessionsOfTheLoopUntilItIsAnswered() {
        OutstandingBytes all = new OutstandingBytes(1);
        Receipts one = new Receipts(heard, all);
        Receipts other = new Receipts(new Heard(), all);
        one.begin(1, 20 << 20);
        assertThat(all.isMuch()).isFalse();
        other.begin(1, 20 << 20);
        assertThat(all.isMuch()).isTrue();
        one.answered(1, false);
        assertThat(all.isMuch()).isFalse();
        assertThat(all.hasRoom()).isFalse();
        other.answered(1, true);
        assertThat(all.hasRoom()).isTrue();
    }
}
