package org.entrepot.core.queue;

import org.entrepot.core.seeded.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues and sessions that do what chance wants, in as many histories as there are seeds: what must always hold, holds. */
class QueueSimulationTest {
    private static final int SEEDS = 1_000;

    @Test
    @Timeout(300)
    void invariantsHoldInEveryHistory() {
        Seeds.each(SEEDS, random -> new Simulation(random, QueueInvariants.all()).run());
    }
}
