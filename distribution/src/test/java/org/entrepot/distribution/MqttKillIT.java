package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * MQTT's qualities of service hold while the product is killed: at least once at QoS 1, exactly once at QoS 2, in order. {@code
 * -Dkill.cycles=200 -Dpower.cycles=100} says how often, {@code -Dseed=N} by which seed.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class MqttKillIT {
    private static final long SEED = Long.getLong("seed", 1);

    @TempDir
    Path directory;

    @Test
    void qualitiesOfServiceHoldWhenTheProductIsKilled(TestReporter reporter) throws Exception {
        try (CrashingBroker broker = new KilledBroker(directory, "file")) {
            mustBeGood(new MqttCycles(broker, SEED).run(Integer.getInteger("kill.cycles", 2)), reporter);
        }
    }

    private static void mustBeGood(MqttLedger.Result result, TestReporter reporter) {
        reporter.publishEntry("ledger", result.toString());
        assertThat(result.good()).as(result.toString()).isTrue();
        assertThat(result.acknowledged()).isPositive();
    }
}
