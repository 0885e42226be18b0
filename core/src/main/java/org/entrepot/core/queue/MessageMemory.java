package org.entrepot.core.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.entrepot.core.loop.Loop;

/** How much memory messages may take on this node before queues let some of them out. Any thread may call it. */
final class MessageMemory {
    /** To this part of what they may take room is made. */
    private static final double LEFT_PART = 0.875;

    private final long bytesMax;
    private final IntSupplier queues;
    private final List<MemoryShare> shares = new ArrayList<>();

    /**
     * @param queues how many queues there are
     */
    MessageMemory(long bytesMax, IntSupplier queues, List<Loop> loops) {
        this.bytesMax = bytesMax;
        this.queues = queues;
        for (Loop loop : loops) {
            shares.add(new MemoryShare(loop, this));
        }
    }

    MemoryShare share(Loop loop) {
        return shares.get(loop.index());
    }

    long bytesMax() {
        return bytesMax;
    }

    int queues() {
        return queues.getAsInt();
    }

    /** Bytes that all messages take, roughly. */
    long bytes() {
        long sum = 0;
        for (int i = 0; i < shares.size(); i++) {
            sum += shares.get(i).bytes();
        }
        return sum;
    }

    /** Has room made where there is none left. */
    void check() {
        if (bytes() > bytesMax) {
            shares.forEach(MemoryShare::makeRoom);
        }
    }

    /** Which part of what is in memory is too much; 0 or less for none. */
    double excessPart() {
        long bytes = bytes();
        return bytes <= bytesMax ? 0 : 1 - bytesMax * LEFT_PART / bytes;
    }
}
