package org.entrepot.stomp;

import org.entrepot.spi.protocol.GatheringRoom;
import org.entrepot.stomp.wire.BodyRoom;
import org.entrepot.stomp.wire.WireException;

/**
 * The memory that a connection's unfinished message takes: clients that begin messages and do not finish them must not
 * fill the heap. Owned by the connection's loop.
 *
 * <p>Of the room that all connections share it takes lumps, and none for the little that most messages are.
 */
final class UnfinishedBytes implements BodyRoom {

    /** What a connection may have without asking for room. */
    static final int FREE_BYTES = 64 << 10;

    /** What it takes at a time, at least. */
    static final int LUMP_BYTES = 256 << 10;

    private final GatheringRoom room;
    private long bytes;
    private long lumps;

    UnfinishedBytes(GatheringRoom room) {
        this.room = room;
    }

    @Override
    public void take(int more) {
        long missing = bytes + more - FREE_BYTES - lumps;
        if (missing > 0) {
            long lump = Math.max(missing, LUMP_BYTES);
            if (!room.take(lump)) {
                throw new WireException("unfinished messages and transactions of all connections take more than "
                        + room.bytesMax() + " bytes");
            }
            lumps += lump;
        }
        bytes += more;
    }

    @Override
    public void giveBack(long less) {
        bytes -= less;
        assert bytes >= 0;
        if (bytes == 0 && lumps > 0) {
            room.giveBack(lumps);
            lumps = 0;
        }
    }
}
