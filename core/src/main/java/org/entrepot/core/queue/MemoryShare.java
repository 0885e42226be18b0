package org.entrepot.core.queue;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.loop.OwnedBy;

/**
 * One loop's part of the {@linkplain MessageMemory memory for messages}: which of its queues have how much, and how they
 * make room. Costs an addition where the node has room.
 */
@OwnedBy("its loop; makeRoom and bytes may be called by any thread")
final class MemoryShare {
    /** How much queues of a loop grow before the loop asks whether there is still room. */
    private static final long GROWN_BYTES = 256 << 10;

    /** From making room once to doing so again: what is not yet written cannot leave, and is written meanwhile. */
    private static final long PAUSE_MILLIS = 20;

    /** Most that each queue keeps for its next consumers. */
    private static final long KEPT_BYTES_MAX = 1 << 20;

    private final Loop loop;
    private final MessageMemory all;
    private final ResidentBytes resident = new ResidentBytes();
    private final Set<Workings> queues = new LinkedHashSet<>();
    private final AtomicBoolean asked = new AtomicBoolean();
    private long grown;
    private long madeAt = Long.MIN_VALUE / 2;

    MemoryShare(Loop loop, MessageMemory all) {
        this.loop = loop;
        this.all = all;
    }

    void add(Workings queue) {
        queues.add(queue);
    }

    void remove(Workings queue) {
        queues.remove(queue);
    }

    /** Bytes that messages take, roughly. */
    long bytes() {
        return resident.get();
    }

    /** A queue's messages take so much more, or less. */
    void changed(long bytes) {
        resident.add(bytes);
        if (bytes > 0) {
            grown += bytes;
            if (grown >= GROWN_BYTES) {
                grown = 0;
                all.check();
            }
        }
    }

    /** Has the loop make room soon. */
    void makeRoom() {
        if (asked.compareAndSet(false, true)) {
            loop.post(this::makeRoomInTime);
        }
    }

    private void makeRoomInTime() {
        long wait = madeAt + PAUSE_MILLIS - loop.nowMillis();
        if (wait > 0) {
            loop.schedule(this::makeRoomNow, wait);
        } else {
            makeRoomNow();
        }
    }

    /** Each queue gives in proportion to what it has. */
    private void makeRoomNow() {
        asked.set(false);
        madeAt = loop.nowMillis();
        double part = all.excessPart();
        long kept = Math.min(KEPT_BYTES_MAX, all.bytesMax() / 2 / Math.max(1, all.queues()));
        if (part <= 0) {
            return;
        }
        long before = resident.get();
        for (Workings queue : queues) {
            long bytes = queue.accounted();
            if (bytes > kept) {
                queue.unload((long) (bytes * part) + 1, kept);
            }
        }
        if (resident.get() < before) {
            // Other loops may have grown meanwhile; where nothing can be done, nothing is tried before something grows.
            all.check();
        }
    }
}
