package org.entrepot.core.queue;

import org.jspecify.annotations.Nullable;

/**
 * Publishes whose receipts wait until their entry is durable, in the order of their records: a ring. Owned by the queue's
 * home loop.
 */
final class WaitingReceipts {
    private long[] indexes = new long[0];
    private long[] numbers = new long[0];
    private @Nullable Publisher[] publishers = new Publisher[0];
    private int head;
    private int size;
    private long lastIndex;

    /** The record that the next {@link #add} waits for. */
    void appended(long index) {
        lastIndex = index;
    }

    void add(Publisher publisher, long number) {
        if (size == indexes.length) {
            grow();
        }
        int slot = (head + size) & (indexes.length - 1);
        indexes[slot] = lastIndex;
        numbers[slot] = number;
        publishers[slot] = publisher;
        size++;
    }

    /** Tells one publisher. */
    @FunctionalInterface
    interface Answers {
        void answer(Publisher publisher, long number, boolean stored);
    }

    void answerUpTo(long index, Answers answers, boolean stored) {
        while (size > 0 && indexes[head] <= index) {
            Publisher publisher = publishers[head];
            publishers[head] = null;
            long number = numbers[head];
            head = (head + 1) & (indexes.length - 1);
            size--;
            if (publisher != null) {
                answers.answer(publisher, number, stored);
            }
        }
    }

    private void grow() {
        int length = Math.max(16, size * 2);
        long[] grownIndexes = new long[length];
        long[] grownNumbers = new long[length];
        @Nullable Publisher[] grownPublishers = new Publisher[length];
        for (int i = 0; i < size; i++) {
            int slot = (head + i) & (indexes.length - 1);
            grownIndexes[i] = indexes[slot];
            grownNumbers[i] = numbers[slot];
            grownPublishers[i] = publishers[slot];
        }
        indexes = grownIndexes;
        numbers = grownNumbers;
        publishers = grownPublishers;
        head = 0;
    }
}
