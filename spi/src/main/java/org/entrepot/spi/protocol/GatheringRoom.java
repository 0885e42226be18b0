package org.entrepot.spi.protocol;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that messages take that are not in any queue yet, on all connections of a protocol together: begun and not
 * finished, or in a transaction that is not committed. What each connection may have is limited too, but many of them could
 * fill the heap. Vendors make one for each protocol. Any thread may call it.
 */
public final class GatheringRoom {

    /** The part of the heap that this may be. Queues have their own, which memory.high-watermark sets. */
    private static final int HEAP_DIVISOR = 4;

    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    /** Of so many bytes. */
    public GatheringRoom(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Of the part of the heap that a protocol may have. */
    public static GatheringRoom inHeap() {
        return new GatheringRoom(Runtime.getRuntime().maxMemory() / HEAP_DIVISOR);
    }

    /** Takes so many bytes, unless that is more than there are. */
    public boolean take(long more) {
        if (bytes.addAndGet(more) <= bytesMax) {
            return true;
        }
        bytes.addAndGet(-more);
        return false;
    }

    /** Gives so many bytes back that were taken. */
    public void giveBack(long less) {
        long now = bytes.addAndGet(-less);
        assert now >= 0;
    }

    /** How many bytes there are in all. */
    public long bytesMax() {
        return bytesMax;
    }
}
