package org.entrepot.amqp.v091;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.entrepot.spi.topology.QueueLimits;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.Retention;

/**
 * Direct reply-to: a client consumes from a queue that is none and names it as the reply-to of its requests, and gets
 * the answers on the same channel.
 *
 * <p>Underneath is an exclusive, short-lived queue whose name nobody can guess; that name is the address that requests
 * carry. Answers are volatile: where they come faster than the client reads, the oldest are dropped.
 */
final class ReplyTo {

    /** What clients consume from and name. */
    static final String PSEUDO_QUEUE = "amq.rabbitmq.reply-to";

    /** What addresses begin with. */
    static final String ADDRESS_PREFIX = PSEUDO_QUEUE + ".";

    /** Bytes of answers that wait for a client that does not read. */
    private static final long WAITING_BYTES_MAX = 32 << 20;

    private static final byte[] PSEUDO_QUEUE_BYTES = PSEUDO_QUEUE.getBytes(StandardCharsets.US_ASCII);

    private ReplyTo() {}

    /** Whether these bytes are the name of the queue that is none. */
    static boolean isPseudoQueue(ByteBuf buffer, int index, int length) {
        if (length != PSEUDO_QUEUE_BYTES.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (buffer.getByte(index + i) != PSEUDO_QUEUE_BYTES[i]) {
                return false;
            }
        }
        return true;
    }

    /** The queue behind an address. */
    static QueueSpec queue(String address) {
        QueueLimits limits = new QueueLimits(
                OptionalLong.empty(),
                OptionalLong.of(WAITING_BYTES_MAX),
                QueueLimits.Overflow.DROP_HEAD,
                OptionalLong.empty(),
                OptionalLong.empty());
        QueueSpec plain = QueueSpec.plain(address, false, true, true);
        return new QueueSpec(
                address,
                plain.durable(),
                plain.exclusive(),
                plain.autoDelete(),
                plain.replicated(),
                limits,
                null,
                plain.priorities(),
                plain.defaultPriority(),
                plain.singleActiveConsumer(),
                OptionalInt.empty(),
                OptionalLong.empty(),
                Retention.SETTLED,
                plain.extras());
    }
}
