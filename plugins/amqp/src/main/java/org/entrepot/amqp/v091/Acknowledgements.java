package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;
import org.entrepot.amqp.v091.wire.AckCursor;
import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.session.Outcome;
import org.entrepot.spi.session.QueueHandle;
import org.entrepot.spi.session.Session;
import org.jspecify.annotations.Nullable;

/**
 * How a client settles what a channel delivered: basic.ack, nack, reject and recover. Owned by the channel's loop.
 *
 * <p>As RabbitMQ has it since 4.3, only basic.reject with requeue says that a delivery failed; basic.nack gives it back
 * untried.
 */
final class Acknowledgements {
    private final AckCursor cursor = new AckCursor();
    private final DeliveryTags tags;
    private final Settlement settlement;
    private long tag;
    private boolean multiple;
    private Outcome outcome = Outcome.ACCEPTED;

    Acknowledgements(Session session, DeliveryTags tags) {
        this.tags = tags;
        this.settlement = new Settlement(session::settle);
    }

    /** Reads a basic.ack, nack or reject, to be performed next. */
    void read(int method, ByteBuf buffer, int index, int length) {
        cursor.parse(method, buffer, index, length);
        tag = cursor.deliveryTag();
        multiple = cursor.multiple();
        outcome = outcome(method, cursor.requeue());
    }

    private static Outcome outcome(int method, boolean requeue) {
        if (method == Methods.BASIC_ACK) {
            return Outcome.ACCEPTED;
        }
        if (!requeue) {
            return Outcome.REJECTED;
        }
        return method == Methods.BASIC_NACK ? Outcome.RELEASED : Outcome.MODIFIED;
    }

    /** Performs what was read: at once, or in the transaction. */
    void perform(@Nullable GatheredTransaction transaction) {
        perform(tag, multiple, outcome, transaction);
    }

    /** What was read, to be performed later. */
    Runnable held(Supplier<@Nullable GatheredTransaction> transaction) {
        long heldTag = tag;
        boolean heldMultiple = multiple;
        Outcome heldOutcome = outcome;
        return () -> perform(heldTag, heldMultiple, heldOutcome, transaction.get());
    }

    private void perform(long tag, boolean multiple, Outcome outcome, @Nullable GatheredTransaction transaction) {
        DeliveryTags.Taker taker = transaction == null ? settlement.begin(outcome) : transaction.settling(outcome);
        boolean known = true;
        if (!multiple) {
            known = tags.take(tag, taker);
        } else if (tag == 0) {
            tags.takeAll(taker);
        } else {
            known = tags.takeUpTo(tag, taker);
        }
        settlement.end();
        if (!known) {
            throw AmqpChannel.preconditionFailed("unknown delivery tag " + Long.toUnsignedString(tag));
        }
    }

    /** Gives everything that is unsettled back to its queues. */
    void recover(boolean requeue) {
        if (!requeue) {
            throw new WireException(ReplyCode.NOT_IMPLEMENTED, "requeue=false", Methods.NONE);
        }
        tags.takeAll(settlement.begin(Outcome.RELEASED));
        settlement.end();
    }

    /** A delivery whose transaction is rolled back is unsettled again. */
    void restore(long tag, QueueHandle queue, long position) {
        tags.restore(tag, queue, position);
    }
}
