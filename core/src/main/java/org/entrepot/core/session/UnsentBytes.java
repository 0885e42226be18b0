package org.entrepot.core.session;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all sockets of the node have been given and have not taken yet. Any thread may call it.
 *
 * <p>It lies in direct memory, of which there is little. So nobody may leave more unsent than a part of what others have left
 * over: a few clients that are slow to read get much, many get little, and all together hardly more than there is. A floor
 * keeps those going who do read, and while nothing is left, those who do not are let go.
 */
final class UnsentBytes {

    /** Less than half of the direct memory that the start script allows; reading sockets takes some, and fragments do. */
    static final long BYTES_MAX = 96L << 20;

    /** What a connection may leave unsent in any case. Less than that is not counted. */
    static final int SHARE_MIN = 32 << 10;

    /** The part of what is left that one connection may take. */
    private static final int SHARE_DIVISOR = 8;

    private final AtomicLong total = new AtomicLong();

    /** How much one connection may leave unsent at present, out of {@code most}. */
    long share(long most) {
        return Math.max(SHARE_MIN, Math.min(most, (BYTES_MAX - total.get()) / SHARE_DIVISOR));
    }

    /** Whether there is nothing left, so that somebody's gain is everybody's loss. */
    boolean exhausted() {
        return total.get() >= BYTES_MAX;
    }

    void change(long by) {
        long now = total.addAndGet(by);
        assert now >= 0;
    }

    long total() {
        return total.get();
    }
}
