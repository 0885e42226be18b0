package org.entrepot.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Time while the machine's clock is set. */
class SteadyClockTest {
    private static final long DAY = 86_400_000;

    private final AtomicLong wall = new AtomicLong(20 * DAY);
    private final AtomicLong nanos = new AtomicLong(-5);
    private final SteadyClock clock = new SteadyClock(wall::get, nanos::get);

    private void pass(long millis) {
        wall.addAndGet(millis);
        nanos.addAndGet(millis * 1_000_000);
    }

    @Test
    void itBeginsWithTheWallClockAndGoesOnAsTimePasses() {
        assertThat(clock.getAsLong()).isEqualTo(20 * DAY);
        pass(1_234);
        assertThat(clock.getAsLong()).isEqualTo(20 * DAY + 1_234);
        assertThat(clock.followWallClock()).isZero();
        assertThat(clock.getAsLong()).isEqualTo(20 * DAY + 1_234);
    }

    @Test
    void aWallClockThatIsSetChangesNothingAtOnceAndIsToldOnce() {
        pass(1_000);
        clock.followWallClock();
        wall.addAndGet(-DAY);
        assertThat(clock.getAsLong()).isEqualTo(20 * DAY + 1_000);
        assertThat(clock.followWallClock()).isEqualTo(-DAY);
        assertThat(clock.followWallClock()).isZero();
        assertThat(clock.getAsLong()).isEqualTo(20 * DAY + 1_000);
    }

    @Test
    void itFollowsByOnePartInAHundred() {
        wall.addAndGet(-500);
        long before = clock.getAsLong();
        for (int second = 1; second <= 50; second++) {
            pass(1_000);
            clock.followWallClock();
            assertThat(clock.getAsLong()).isEqualTo(before + 990);
            before = clock.getAsLong();
        }
        pass(1_000);
        clock.followWallClock();
        assertThat(clock.getAsLong()).isEqualTo(wall.get()).isEqualTo(before + 1_000);
    }

    /** A machine that was asleep: time has passed that nobody has counted. */
    @Test
    void itFollowsAheadTooAndTellsThatOnce() {
        wall.addAndGet(2 * DAY);
        pass(5_000);
        assertThat(clock.followWallClock()).isEqualTo(2 * DAY);
        assertThat(clock.getAsLong()).isEqualTo(20 * DAY + 5_050);
        pass(5_000);
        assertThat(clock.followWallClock()).isZero();
        assertThat(clock.getAsLong()).isEqualTo(20 * DAY + 10_100);
    }

    /** A crystal that is wrong by one part in 10,000 makes a second in three hours. */
    @Test
    void clocksThatGoWrongALittleAreNoClocksThatWereSet() {
        for (int second = 0; second < 30_000; second++) {
            pass(1_000);
            wall.addAndGet(second % 10 == 0 ? 1 : 0);
            assertThat(clock.followWallClock()).isZero();
        }
        assertThat(wall.get() - clock.getAsLong()).isBetween(0L, 1L);
    }
}
