package org.entrepot.core.queue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.entrepot.spi.message.DeathReason;
import org.entrepot.spi.message.RoutingKey;

/**
 * The encoding of a queue's facts, version 1. Entries, and which of them are released, are encoded by the storage engine.
 * Owned by the queue's home loop: what it returns is valid until its next call.
 *
 * <p>A fact is a version byte, a kind byte, the cursor (0: the only one), then the kind's fields. Kinds: 1 Left (from, to,
 * bytes), 2 Returned (position, failures), 3 Checkpoint (see {@link QueueCheckpoint}), 5 Erased (position, key), 8 Dies
 * (position, reason, priority, bytes). Reserved: 4 Leased, 6 CursorSet, 7 Decided (for transactions over several nodes).
 */
final class QueueRecords {
    static final int VERSION = 1;
    static final int CHECKPOINT = 3;
    private static final int LEFT = 1;
    private static final int RETURNED = 2;
    private static final int ERASED = 5;
    private static final int DIES = 8;
    private static final int ONLY_CURSOR = 0;

    private final ByteBuf scratch = Unpooled.buffer(32);

    /** Entries that the newest checkpoint counts, all at these positions, are about to be released, and weigh so much. */
    ByteBuf left(long from, long to, long bytes) {
        return begin(scratch.clear(), LEFT).writeLong(from).writeLong(to).writeLong(bytes);
    }

    ByteBuf returned(long position, int failures) {
        return begin(scratch.clear(), RETURNED).writeLong(position).writeInt(failures);
    }

    /** What a key of a table has below a position is erased. */
    ByteBuf erased(RoutingKey key, long below) {
        ByteBuf out = begin(scratch.clear(), ERASED).writeLong(below);
        key.writeTo(out);
        return out;
    }

    /** A committed transaction has sent an entry to the dead-letter exchange, which may not have it yet. */
    ByteBuf dies(long position, DeathReason reason, int lane, int bytes) {
        return begin(scratch.clear(), DIES)
                .writeLong(position)
                .writeByte(code(reason))
                .writeByte(lane)
                .writeInt(bytes);
    }

    static int code(DeathReason reason) {
        return switch (reason) {
            case REJECTED -> 1;
            case EXPIRED -> 2;
            case MAXLEN -> 3;
            case DELIVERY_LIMIT -> 4;
        };
    }

    static DeathReason reason(int code) {
        return switch (code) {
            case 1 -> DeathReason.REJECTED;
            case 2 -> DeathReason.EXPIRED;
            case 3 -> DeathReason.MAXLEN;
            case 4 -> DeathReason.DELIVERY_LIMIT;
            default -> throw new IllegalArgumentException("a death for a reason " + code + ", which there is not");
        };
    }

    static ByteBuf begin(ByteBuf out, int kind) {
        return out.writeByte(VERSION).writeByte(kind).writeByte(ONLY_CURSOR);
    }

    /** Takes what facts say. */
    interface Visitor {
        void left(long from, long to, long bytes);

        void returned(long position, int failures);

        void erased(RoutingKey key, long below);

        void dies(long position, DeathReason reason, int lane, int bytes);
    }

    /**
     * Reads a fact.
     *
     * @throws IllegalArgumentException where it is of no kind that this release knows
     */
    static void read(ByteBuf fact, Visitor visitor) {
        int kind = kind(fact);
        switch (kind) {
            case LEFT -> visitor.left(fact.readLong(), fact.readLong(), fact.readLong());
            case RETURNED -> visitor.returned(fact.readLong(), fact.readInt());
            case ERASED -> {
                long below = fact.readLong();
                visitor.erased(RoutingKey.copyOf(fact, fact.readerIndex(), fact.readableBytes()), below);
            }
            case DIES ->
                visitor.dies(fact.readLong(), reason(fact.readByte()), fact.readUnsignedByte(), fact.readInt());
            default ->
                throw new IllegalArgumentException("a fact of kind " + kind + ", which this release does not know");
        }
    }

    /** Reads what {@link #begin} wrote; gives the kind. */
    static int kind(ByteBuf in) {
        int version = in.readByte();
        int kind = in.readByte();
        int cursor = in.readByte();
        if (version != VERSION || cursor != ONLY_CURSOR) {
            throw new IllegalArgumentException("a record of kind " + kind + " in version " + version + " for cursor "
                    + cursor + ", which this release does not know");
        }
        return kind;
    }
}
