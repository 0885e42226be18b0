package org.entrepot.core.loop;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Milliseconds since 1970 that go on as time passes, from what a wall clock said in the beginning: one that is set meanwhile
 * lets no message expire early or late. It follows the wall clock by at most one part in a hundred, as Erlang's does: that
 * makes up for clocks that go wrong a little, and after a long while for one that was set. Any thread may ask.
 */
public final class SteadyClock implements LongSupplier {
    private static final Logger log = LoggerFactory.getLogger(SteadyClock.class);
    private static final long NANOS_A_MILLI = 1_000_000;

    /** A wall clock is put right by less than this all the time. */
    private static final long SET_MILLIS_MIN = 1_000;

    private static final int PASSED_PER_MILLI_FOLLOWED = 100;

    private final LongSupplier wallMillis;
    private final LongSupplier nanos;
    private final long startNanos;
    /** What the clock says, less the milliseconds that have passed since the beginning. */
    private volatile long offset;
    /** By how much the wall clock went before this one, and when, at the last look; guarded by this. */
    private long ahead;

    private long lookedAt;

    /** A clock that begins now. */
    public SteadyClock(LongSupplier wallMillis, LongSupplier nanos) {
        this.wallMillis = wallMillis;
        this.nanos = nanos;
        this.startNanos = nanos.getAsLong();
        this.offset = wallMillis.getAsLong();
    }

    @Override
    public long getAsLong() {
        return offset + passed();
    }

    private long passed() {
        return (nanos.getAsLong() - startNanos) / NANOS_A_MILLI;
    }

    /**
     * Looks at the wall clock: follows it, and logs when it was set; gives by how many milliseconds, 0 for not. To be called
     * every now and then.
     */
    public synchronized long followWallClock() {
        long passed = passed();
        long difference = wallMillis.getAsLong() - offset - passed;
        long set = difference - ahead;
        long most = (passed - lookedAt) / PASSED_PER_MILLI_FOLLOWED;
        long step = Math.max(-most, Math.min(most, difference));
        offset += step;
        ahead = difference - step;
        lookedAt = passed;
        if (Math.abs(set) < SET_MILLIS_MIN) {
            return 0;
        }
        log.warn(
                "The clock of the machine was set {} by {} s. Times of messages go on as time has passed, and follow it by"
                        + " at most 36 s an hour; a start takes it as it is.",
                set > 0 ? "ahead" : "back",
                Math.abs(set) / 1_000);
        return set;
    }
}
