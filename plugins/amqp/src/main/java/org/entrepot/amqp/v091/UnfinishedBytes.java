package org.entrepot.amqp.v091;

import org.entrepot.amqp.v091.wire.Methods;
import org.entrepot.amqp.v091.wire.ReplyCode;
import org.entrepot.amqp.v091.wire.WireException;
import org.entrepot.spi.protocol.GatheringRoom;

/**
 * The memory that a connection's unfinished messages take, on all its channels together: a client that begins messages
 * and does not finish them must not fill the heap. Owned by the connection's loop.
 *
 * <p>Of the room that all connections share it takes lumps, and none for the little that most messages are.
 */
final class UnfinishedBytes {

    /** What a connection may have without asking for room. */
    static final int FREE_BYTES = 64 << 10;

    /** What it takes at a time, at least. */
    static final int LUMP_BYTES = 256 << 10;

    private final long max;
    private final GatheringRoom room;
    private long bytes;
    private long taken;

    UnfinishedBytes(long max, GatheringRoom room) {
        this.max = max;
        this.room = room;
    }

    /** Throws RESOURCE_ERROR when that is too much. */
    void add(int more) {
        if (bytes + more > max) {
            throw tooMuch("unfinished messages of this connection take more than " + max + " bytes");
        }
        long missing = bytes + more - FREE_BYTES - taken;
        if (missing > 0) {
            take(Math.max(missing, LUMP_BYTES));
        }
        bytes += more;
    }

    private void take(long lump) {
        if (!room.take(lump)) {
            throw tooMuch("unfinished messages and transactions of all connections take more than " + room.bytesMax()
                    + " bytes");
        }
        taken += lump;
    }

    private static WireException tooMuch(String text) {
        return new WireException(ReplyCode.RESOURCE_ERROR, text, Methods.BASIC_PUBLISH);
    }

    void remove(long less) {
        bytes -= less;
        assert bytes >= 0;
        if (bytes == 0 && taken > 0) {
            room.giveBack(taken);
            taken = 0;
        }
    }
}
