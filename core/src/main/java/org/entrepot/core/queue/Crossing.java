package org.entrepot.core.queue;

import java.util.Arrays;
import java.util.Objects;
import org.entrepot.core.loop.Loop;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Outcome;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one loop has to tell another in this pass, in order: posted as one batch at the pass's end. Owned by the loop that
 * it comes from; a batch once posted belongs to the loop it goes to.
 */
public final class Crossing implements Loop.PassWork {
    private static final Logger log = LoggerFactory.getLogger(Crossing.class);

    private final Loop from;
    private final Loop to;
    private @Nullable Batch filling;
    /** The size of the last batch, which the next one is probably like. */
    private int expected = Batch.SIZE_MIN;

    Crossing(Loop from, Loop to) {
        this.from = from;
        this.to = to;
    }

    public void enqueue(LocalQueue queue, Message message, Envelope envelope, Publisher publisher, long number) {
        batch().add(Batch.ENQUEUE, queue, message, envelope, publisher, number, 0);
    }

    public void settle(LocalQueue queue, Object session, long from, long to, Outcome outcome) {
        batch().add(Batch.SETTLE, queue, session, outcome, null, from, to);
    }

    public void grantBytes(LocalQueue queue, QueueConsumer consumer, long bytes) {
        batch().add(Batch.GRANT, queue, consumer, null, null, bytes, 0);
    }

    public void lend(LocalQueue queue, QueueConsumer consumer, int places) {
        batch().add(Batch.LEND, queue, consumer, null, null, places, 0);
    }

    /** Anything else, in order with the rest. */
    public void run(Runnable task) {
        batch().add(Batch.RUN, task, null, null, null, 0, 0);
    }

    void deliver(Outlet outlet, DeliveryBatch deliveries) {
        batch().add(Batch.DELIVER, outlet, deliveries, null, null, 0, 0);
    }

    /** Receipts in a row for one publisher, which is what most are, cross as one. */
    void receipt(Publisher publisher, long number, boolean stored) {
        batch().receipt(stored ? Batch.STORED : Batch.REFUSED, publisher, number);
    }

    private Batch batch() {
        assert from.owns();
        Batch batch = filling;
        if (batch == null) {
            batch = new Batch(expected);
            filling = batch;
            from.atEndOfPass(Loop.Phase.HAND_OVER, this);
        }
        return batch;
    }

    @Override
    public void atEndOfPass() {
        Batch batch = filling;
        filling = null;
        if (batch != null) {
            expected = Math.max(Batch.SIZE_MIN, Math.min(batch.size, Batch.EXPECTED_MAX));
            to.post(batch);
        }
    }

    /** Operations in columns, so that nothing is allocated for each. */
    private static final class Batch implements Runnable {
        static final byte ENQUEUE = 0;
        static final byte SETTLE = 1;
        static final byte GRANT = 2;
        static final byte LEND = 3;
        static final byte RUN = 4;
        static final byte DELIVER = 5;
        static final byte STORED = 6;
        static final byte REFUSED = 7;
        static final int SIZE_MIN = 4;
        static final int EXPECTED_MAX = 4096;
        private static final int OBJECTS = 4;

        private byte[] kinds;
        private @Nullable Object[] objects;
        private long[] numbers;
        private int size;

        Batch(int expected) {
            kinds = new byte[expected];
            objects = new Object[expected * OBJECTS];
            numbers = new long[expected * 2];
        }

        void add(byte kind, Object a, @Nullable Object b, @Nullable Object c, @Nullable Object d, long x, long y) {
            if (size == kinds.length) {
                kinds = Arrays.copyOf(kinds, size * 2);
                objects = Arrays.copyOf(objects, size * 2 * OBJECTS);
                numbers = Arrays.copyOf(numbers, size * 4);
            }
            kinds[size] = kind;
            int at = size * OBJECTS;
            objects[at] = a;
            objects[at + 1] = b;
            objects[at + 2] = c;
            objects[at + 3] = d;
            numbers[size * 2] = x;
            numbers[size * 2 + 1] = y;
            size++;
        }

        void receipt(byte kind, Publisher publisher, long number) {
            int last = size - 1;
            if (last >= 0
                    && kinds[last] == kind
                    && objects[last * OBJECTS] == publisher
                    && numbers[last * 2 + 1] == number - 1) {
                numbers[last * 2 + 1] = number;
            } else {
                add(kind, publisher, null, null, null, number, number);
            }
        }

        private static void receipts(Publisher publisher, long first, long last, boolean stored) {
            for (long number = first; number <= last; number++) {
                publisher.receipt(number, stored);
            }
        }

        @Override
        public void run() {
            for (int i = 0; i < size; i++) {
                int at = i * OBJECTS;
                try {
                    run(kinds[i], objects[at], objects[at + 1], objects[at + 2], objects[at + 3], i * 2);
                } catch (RuntimeException | AssertionError fault) {
                    log.error("A fault in what came from another loop: this is a defect, please report it", fault);
                }
            }
        }

        private void run(
                byte kind, @Nullable Object a, @Nullable Object b, @Nullable Object c, @Nullable Object d, int n) {
            switch (kind) {
                case ENQUEUE ->
                    cast(a, LocalQueue.class)
                            .enqueue(
                                    cast(b, Message.class),
                                    cast(c, Envelope.class),
                                    cast(d, Publisher.class),
                                    numbers[n]);
                case SETTLE ->
                    cast(a, LocalQueue.class)
                            .settle(cast(b, Object.class), numbers[n], numbers[n + 1], cast(c, Outcome.class));
                case GRANT -> cast(a, LocalQueue.class).grantBytes(cast(b, QueueConsumer.class), numbers[n]);
                case LEND -> cast(a, LocalQueue.class).lend(cast(b, QueueConsumer.class), (int) numbers[n]);
                case RUN -> cast(a, Runnable.class).run();
                case DELIVER -> cast(a, Outlet.class).deliver(cast(b, DeliveryBatch.class));
                case STORED -> receipts(cast(a, Publisher.class), numbers[n], numbers[n + 1], true);
                case REFUSED -> receipts(cast(a, Publisher.class), numbers[n], numbers[n + 1], false);
                default -> throw new AssertionError("no such operation: " + kind);
            }
        }

        private static <T> T cast(@Nullable Object object, Class<T> type) {
            return Objects.requireNonNull(type.cast(object));
        }
    }
}
