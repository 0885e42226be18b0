package org.entrepot.core.queue;

import java.util.Arrays;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.session.Deliveries;
import org.entrepot.spi.session.QueueHandle;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries from one queue to one consumer, gathered while the queue hands out. Owned by the queue's home loop while it
 * is filled, then by the loop of the consumer's connection, to which it is posted.
 */
public final class DeliveryBatch implements Deliveries {
    /** What a delivery is taken to cost besides its message when credit in bytes is counted. */
    static final int OVERHEAD_BYTES = 64;

    /** Room for this many is made at once where that many are expected. */
    static final int EXPECTED_MAX = 1024;

    private final QueueHandle queue;
    private long[] positions;
    private int[] returns;
    private Message[] messages;
    private Envelope[] envelopes;
    private Annotations[] annotations;
    /** How long each has waited; made for the first that may expire. */
    private long @Nullable [] waited;

    private int size;
    private long bytes;

    /** A batch that probably grows to {@code expected}, at least 1. */
    DeliveryBatch(QueueHandle queue, int expected) {
        this.queue = queue;
        this.positions = new long[expected];
        this.returns = new int[expected];
        this.messages = new Message[expected];
        this.envelopes = new Envelope[expected];
        this.annotations = new Annotations[expected];
    }

    void add(long position, int returns, Message message, Envelope envelope, Annotations annotations) {
        if (size == positions.length) {
            int length = size * 2;
            positions = Arrays.copyOf(positions, length);
            this.returns = Arrays.copyOf(this.returns, length);
            messages = Arrays.copyOf(messages, length);
            envelopes = Arrays.copyOf(envelopes, length);
            this.annotations = Arrays.copyOf(this.annotations, length);
            if (waited != null) {
                waited = Arrays.copyOf(waited, length);
            }
        }
        positions[size] = position;
        this.returns[size] = returns;
        messages[size] = message;
        envelopes[size] = envelope;
        this.annotations[size] = annotations;
        size++;
        bytes += message.size() + OVERHEAD_BYTES;
    }

    /** The one added last may expire, and has waited for so long. */
    void waited(long millis) {
        long[] present = waited;
        if (present == null) {
            present = new long[positions.length];
            waited = present;
        }
        present[size - 1] = millis;
    }

    /** A batch of one, for a pull. */
    static DeliveryBatch of(
            QueueHandle queue,
            long position,
            int returns,
            Message message,
            Envelope envelope,
            Annotations annotations) {
        DeliveryBatch batch = new DeliveryBatch(queue, 1);
        batch.add(position, returns, message, envelope, annotations);
        return batch;
    }

    /** What it costs of a consumer's credit in bytes. */
    public long bytes() {
        return bytes;
    }

    @Override
    public QueueHandle queue() {
        return queue;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public long position(int i) {
        return positions[i];
    }

    @Override
    public boolean redelivered(int i) {
        return returns[i] != ReturnCounts.NEVER;
    }

    @Override
    public int returns(int i) {
        return Math.max(0, returns[i]);
    }

    @Override
    public Message message(int i) {
        return messages[i];
    }

    @Override
    public Envelope envelope(int i) {
        return envelopes[i];
    }

    @Override
    public Annotations annotations(int i) {
        return annotations[i];
    }

    @Override
    public long waitedMillis(int i) {
        return waited == null ? 0 : waited[i];
    }
}
