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
        assertThat(clock.checkWallClock()).isZero();
    }

    @Test
    void aWallClockThatIsSetChangesNothingAndIsToldOnce() {
        wall.addAndGet(-DAY);
        pass(10);
        assertThat(clock.getAsLong()).isEqualTo(20 * DAY + 10);
        assertThat(clock.checkWallClock()).isEqualTo(-DAY);
        assertThat(clock.checkWallClock()).isZero();

        wall.addAndGet(2 * DAY);
        assertThat(clock.getAsLong()).isEqualTo(20 * DAY + 10);
        assertThat(clock.checkWallClock()).isEqualTo(2 * DAY);
    }

    @Test
    void aWallClockThatIsPutRightAllTheTimeIsNotTold() {
        for (int i = 0; i < 10; i++) {
            pass(1_000);
            wall.addAndGet(i % 2 == 0 ? 90 : -90);
            assertThat(clock.checkWallClock()).isZero();
        }
    }
}
