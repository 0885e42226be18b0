package org.entrepot.core.queue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The encoding of a queue's facts, version 1. Entries are encoded by the storage engine. Owned by the queue's home loop:
 * what it returns is valid until its next call.
 *
 * <p>A fact is a version byte, a kind byte, the cursor (0: the only one), then the kind's fields. Kinds: 1 Settled (from,
 * to), 2 Returned (position, failures). Reserved: 3 Checkpoint, 4 Leased, 5 Erased, 6 CursorSet, 7 Decided.
 */
final class QueueRecords {
    private static final int VERSION = 1;
    private static final int SETTLED = 1;
    private static final int RETURNED = 2;
    private static final int ONLY_CURSOR = 0;

    private final ByteBuf scratch = Unpooled.buffer(32);

    ByteBuf settled(long from, long to) {
        return begin(SETTLED).writeLong(from).writeLong(to);
    }

    ByteBuf returned(long position, int failures) {
        return begin(RETURNED).writeLong(position).writeInt(failures);
    }

    private ByteBuf begin(int kind) {
        return scratch.clear().writeByte(VERSION).writeByte(kind).writeByte(ONLY_CURSOR);
    }
}
