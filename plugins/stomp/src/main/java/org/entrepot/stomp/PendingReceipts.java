package org.entrepot.stomp;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receipts that a client waits for because its messages are not safe yet: by the numbers that the session gave the
 * publishes, in a ring. Owned by the session's loop.
 */
final class PendingReceipts {

    /** Places the ring begins with, a power of two. */
    private static final int CAPACITY_MIN = 16;

    /** A larger ring is given back when it runs empty. */
    private static final int CAPACITY_KEPT = 4096;

    private long[] numbers = new long[CAPACITY_MIN];
    private byte[] @Nullable [] ids = new byte[CAPACITY_MIN][];
    private int first;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** A publish has been made, with a higher number than those before. */
    void add(long number, byte[] id) {
        if (size == numbers.length) {
            resize(2 * size);
        }
        int slot = slot(size);
        numbers[slot] = number;
        ids[slot] = id;
        size++;
    }

    /** The publish that was added last has come to nothing. */
    void removeLast() {
        size--;
        ids[slot(size)] = null;
    }

    /** Hands on and forgets the receipts of the publishes {@code from} to {@code to}. */
    void take(long from, long to, Consumer<byte[]> taker) {
        for (int i = indexOf(from); i < size && numbers[slot(i)] <= to; i++) {
            byte[] id = ids[slot(i)];
            if (id != null) {
                ids[slot(i)] = null;
                taker.accept(id);
            }
        }
        while (size > 0 && ids[slot(0)] == null) {
            first = slot(1);
            size--;
        }
        if (size == 0 && numbers.length > CAPACITY_KEPT) {
            resize(CAPACITY_MIN);
        }
    }

    /** The index of the first number that is not lower. */
    private int indexOf(long number) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (numbers[slot(middle)] < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int slot(int index) {
        return (first + index) & (numbers.length - 1);
    }

    private void resize(int capacity) {
        long[] otherNumbers = new long[capacity];
        byte[] @Nullable [] otherIds = new byte[capacity][];
        for (int i = 0; i < size; i++) {
            otherNumbers[i] = numbers[slot(i)];
            otherIds[i] = ids[slot(i)];
        }
        numbers = otherNumbers;
        ids = otherIds;
        first = 0;
    }
}
