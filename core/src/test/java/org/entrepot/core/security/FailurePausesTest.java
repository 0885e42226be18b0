package org.entrepot.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailurePausesTest {
    private static final ClientAddress HERE = new ClientAddress("10.0.0.1");
    private static final ClientAddress THERE = new ClientAddress("10.0.0.2");

    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final FailurePauses pauses = new FailurePauses(3, 10_000, clock::get);

    private void fail(int times, ClientAddress address, String user) {
        for (int i = 0; i < times; i++) {
            pauses.failed(address, user);
        }
    }

    @Test
    void theFirstFailuresAreFree() {
        fail(2, HERE, "alice");
        assertThat(pauses.remainingMillis(HERE, "alice")).isZero();

        fail(1, HERE, "alice");
        assertThat(pauses.remainingMillis(HERE, "alice")).isEqualTo(1000);
    }

    @Test
    void pausesDoubleUpToAMostAndPass() {
        fail(3, HERE, "alice");
        clock.addAndGet(999);
        assertThat(pauses.remainingMillis(HERE, "alice")).isEqualTo(1);
        clock.addAndGet(1);
        assertThat(pauses.remainingMillis(HERE, "alice")).isZero();

        fail(1, HERE, "alice");
        assertThat(pauses.remainingMillis(HERE, "alice")).isEqualTo(2000);
        fail(2, HERE, "alice");
        assertThat(pauses.remainingMillis(HERE, "alice")).isEqualTo(8000);
        fail(1000, HERE, "alice");
        assertThat(pauses.remainingMillis(HERE, "alice")).isEqualTo(10_000);
    }

    @Test
    void othersAreNotDelayed() {
        fail(100, HERE, "alice");

        assertThat(pauses.remainingMillis(THERE, "alice")).isZero();
        assertThat(pauses.remainingMillis(HERE, "bob")).isZero();
    }

    @Test
    void aSuccessClearsTheCountOfThatUserAtThatAddress() {
        fail(100, HERE, "alice");
        fail(100, HERE, "bob");
        fail(100, THERE, "alice");
        pauses.succeeded(HERE, "alice");

        assertThat(pauses.remainingMillis(HERE, "alice")).isZero();
        assertThat(pauses.remainingMillis(HERE, "bob")).isPositive();
        assertThat(pauses.remainingMillis(THERE, "alice")).isPositive();
        fail(2, HERE, "alice");
        assertThat(pauses.remainingMillis(HERE, "alice")).isZero();
    }

    @Test
    void whatNoLongerCountsIsForgotten() {
        fail(100, HERE, "alice");
        clock.addAndGet(600_000);
        fail(1, HERE, "alice");

        assertThat(pauses.remainingMillis(HERE, "alice")).isZero();
    }

    @Test
    void manyNamesFromOneAddressShareACountAndWashNoneAway() {
        fail(3, HERE, "alice");
        for (int i = 0; i < 2000; i++) {
            fail(1, HERE, "name" + i);
        }

        assertThat(pauses.remainingMillis(HERE, "alice")).isPositive();
        assertThat(pauses.remainingMillis(HERE, "a name not tried before")).isEqualTo(10_000);
        assertThat(pauses.remainingMillis(THERE, "alice")).isZero();
        assertThat(pauses.addresses()).isEqualTo(1);
    }

    @Test
    void manyAddressesAreRememberedUpToABoundTheNewestForSure() {
        for (int i = 0; i < 3 * FailurePauses.ADDRESSES_MAX; i++) {
            clock.incrementAndGet();
            fail(3, new ClientAddress("10.1." + i / 256 + "." + i % 256), "alice");
        }
        fail(3, HERE, "alice");

        assertThat(pauses.addresses()).isLessThanOrEqualTo(FailurePauses.ADDRESSES_MAX + 1);
        assertThat(pauses.remainingMillis(HERE, "alice")).isPositive();
    }

    @Test
    void pausesCanBeTurnedOff() {
        FailurePauses off = new FailurePauses(1, 0, clock::get);
        for (int i = 0; i < 100; i++) {
            off.failed(HERE, "alice");
        }

        assertThat(off.remainingMillis(HERE, "alice")).isZero();
        assertThat(off.addresses()).isZero();
    }
}
