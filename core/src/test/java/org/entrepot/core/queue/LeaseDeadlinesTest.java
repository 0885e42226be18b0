package org.entrepot.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;

class LeaseDeadlinesTest {
    private static final long TIMEOUT = 1_000;

    @Test
    void tellsWhenTheOldestThatIsStillHeldIsDue() {
        Seeds.each(300, random -> {
            Leases leases = new Leases();
            Holder holder = new Holder("session", null);
            Holder other = new Holder("another", null);
            LeaseDeadlines deadlines = new LeaseDeadlines(leases, holder);
            TreeMap<Long, Long> held = new TreeMap<>();
            List<Long> returned = new ArrayList<>();
            long now = 0;
            long tail = 0;
            for (int i = 0; i < 1_000; i++) {
                now += random.below(20);
                if (random.percent(50)) {
                    // Entries come for the first time, or once more after they were returned.
                    long position = !returned.isEmpty() && random.percent(50)
                            ? returned.remove(random.below(returned.size()))
                            : tail++;
                    if (random.percent(10)) {
                        leases.put(position, other, now + TIMEOUT, 0, 10);
                    } else {
                        leases.put(position, holder, now + TIMEOUT, 0, 10);
                        deadlines.add(position, now + TIMEOUT);
                        held.put(position, now + TIMEOUT);
                    }
                } else if (!held.isEmpty()) {
                    Long position =
                            random.percent(60) ? held.firstKey() : held.ceilingKey((long) random.below((int) tail));
                    if (position != null) {
                        leases.remove(position);
                        held.remove(position);
                        if (random.percent(50)) {
                            returned.add(position);
                        }
                    }
                }
                long earliest =
                        held.values().stream().mapToLong(Long::longValue).min().orElse(LeaseDeadlines.NONE);
                assertThat(deadlines.firstInstant()).isEqualTo(earliest);
            }
        });
    }

    @Test
    void takesNoMoreRoomThanWhatIsHeldNeeds() {
        Leases leases = new Leases();
        Holder holder = new Holder("session", null);
        LeaseDeadlines deadlines = new LeaseDeadlines(leases, holder);
        // The first is held all the time, and so stays at the head.
        leases.put(0, holder, TIMEOUT, 0, 10);
        deadlines.add(0, TIMEOUT);
        for (long position = 1; position < 100_000; position++) {
            leases.put(position, holder, position + TIMEOUT, 0, 10);
            deadlines.add(position, position + TIMEOUT);
            leases.remove(position);
        }

        assertThat(deadlines.length()).isLessThanOrEqualTo(16);
    }

    @Test
    void takesNoMoreRoomForOneThatIsReturnedAndGotAgainAndAgain() {
        Leases leases = new Leases();
        Holder holder = new Holder("session", null);
        LeaseDeadlines deadlines = new LeaseDeadlines(leases, holder);
        for (long now = 0; now < 100_000; now++) {
            leases.put(7, holder, now + TIMEOUT, 0, 10);
            deadlines.add(7, now + TIMEOUT);
            leases.remove(7);
        }

        assertThat(deadlines.length()).isLessThanOrEqualTo(16);
        assertThat(deadlines.firstInstant()).isEqualTo(LeaseDeadlines.NONE);
    }
}
