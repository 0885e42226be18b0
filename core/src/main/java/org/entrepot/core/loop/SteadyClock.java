package org.entrepot.core.loop;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Milliseconds since 1970 that go on as time passes, from what a wall clock said in the beginning: one that is set meanwhile
 * lets no message expire early or late. Any thread may ask.
 */
public final class SteadyClock implements LongSupplier {
    private static final Logger log = LoggerFactory.getLogger(SteadyClock.class);
    private static final long NANOS_A_MILLI = 1_000_000;

    /** A wall clock is put right by less than this all the time. */
    private static final long SET_MILLIS_MIN = 1_000;

    private final LongSupplier wallMillis;
    private final LongSupplier nanos;
    private final long startMillis;
    private final long startNanos;
    /** By how much the wall clock goes before; guarded by this. */
    private long ahead;

    /** A clock that begins now. */
    public SteadyClock(LongSupplier wallMillis, LongSupplier nanos) {
        this.wallMillis = wallMillis;
        this.nanos = nanos;
        this.startMillis = wallMillis.getAsLong();
        this.startNanos = nanos.getAsLong();
    }

    @Override
    public long getAsLong() {
        return startMillis + (nanos.getAsLong() - startNanos) / NANOS_A_MILLI;
    }

    /** Logs when the wall clock was set; gives by how many milliseconds, 0 for not. To be called every now and then. */
    public synchronized long checkWallClock() {
        long aheadNow = wallMillis.getAsLong() - getAsLong();
        long set = aheadNow - ahead;
        if (Math.abs(set) < SET_MILLIS_MIN) {
            return 0;
        }
        ahead = aheadNow;
        log.warn(
                "The clock of the machine was set {} by {} s. Until the broker is started again its messages go by the time"
                        + " that has passed since its start.",
                set > 0 ? "ahead" : "back",
                Math.abs(set) / 1_000);
        return set;
    }
}
