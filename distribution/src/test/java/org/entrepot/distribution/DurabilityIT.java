package org.entrepot.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What was confirmed outlives the product. {@code -Dkill.cycles=200 -Dpower.cycles=100} says how often, {@code
 * -Dcrash.engine=NAME} with which storage engine where it is not the default, {@code -Dseed=N} by which seed.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class DurabilityIT {
    private static final long SEED = Long.getLong("seed", 1);
    private static final String ENGINE = System.getProperty("crash.engine", "file");

    @TempDir
    Path directory;

    /** Shows that the ledger misses what is gone. */
    @Test
    @Timeout(180)
    void theMemoryEngineLosesWhatItIsSaidToLose() throws Exception {
        try (CrashingBroker broker = new KilledBroker(directory, "memory")) {
            ConfirmLedger.Result result = new CrashCycles(broker, SEED).run(1);
            assertThat(result.confirmed()).isPositive();
            assertThat(result.lost()).isPositive();
            assertThat(result.queuesGone()).isPositive();
            assertThat(result.phantoms()).isZero();
            assertThat(result.back()).isZero();
        }
    }

    /** Shows that the ledger complains of nothing else: this broker only loses its clients. */
    @Test
    @Timeout(180)
    void nothingIsLostByABrokerThatGoesOn(TestReporter reporter) throws Exception {
        try (CrashingBroker broker = new GoingOn(new KilledBroker(directory, "memory"))) {
            mustBeGood(new CrashCycles(broker, SEED).run(3), reporter);
        }
    }

    @Test
    void nothingConfirmedIsLostWhenTheProductIsKilled(TestReporter reporter) throws Exception {
        try (CrashingBroker broker = new KilledBroker(directory, ENGINE)) {
            mustBeGood(new CrashCycles(broker, SEED).run(Integer.getInteger("kill.cycles", 3)), reporter);
        }
    }

    @Test
    void nothingConfirmedIsLostWhenThePowerIsCut(TestReporter reporter) throws Exception {
        try (CrashingBroker broker = new PowerCutBroker(directory, ENGINE)) {
            mustBeGood(new CrashCycles(broker, SEED).run(Integer.getInteger("power.cycles", 2)), reporter);
        }
    }

    /** Shows that what is committed and gone is missed. */
    @Test
    @Timeout(180)
    void theMemoryEngineLosesTransactions() throws Exception {
        try (CrashingBroker broker = new KilledBroker(directory, "memory")) {
            TransactionCycles.Result result = new TransactionCycles(broker, SEED).run(1);
            assertThat(result.committed()).isPositive();
            assertThat(result.lost() + result.halves()).isPositive();
        }
    }

    @Test
    void transactionsAreWholeWhenTheProductIsKilled(TestReporter reporter) throws Exception {
        try (CrashingBroker broker = new KilledBroker(directory, ENGINE)) {
            mustBeWhole(new TransactionCycles(broker, SEED).run(Integer.getInteger("kill.cycles", 3)), reporter);
        }
    }

    @Test
    void transactionsAreWholeWhenThePowerIsCut(TestReporter reporter) throws Exception {
        try (CrashingBroker broker = new PowerCutBroker(directory, ENGINE)) {
            mustBeWhole(new TransactionCycles(broker, SEED).run(Integer.getInteger("power.cycles", 2)), reporter);
        }
    }

    private static void mustBeWhole(TransactionCycles.Result result, TestReporter reporter) {
        reporter.publishEntry("transactions", result.toString());
        assertThat(result.lost() + result.halves()).as(result.toString()).isZero();
        assertThat(result.committed()).isPositive();
    }

    /** A broker that does not crash. */
    private static final class GoingOn implements CrashingBroker {
        private final CrashingBroker broker;
        private int port;

        GoingOn(CrashingBroker broker) {
            this.broker = broker;
        }

        @Override
        public int start() throws IOException, InterruptedException {
            if (port == 0) {
                port = broker.start();
            }
            return port;
        }

        @Override
        public int mqttPort() {
            return broker.mqttPort();
        }

        @Override
        public void crash() {}

        @Override
        public void close() throws IOException {
            broker.close();
        }
    }

    private static void mustBeGood(ConfirmLedger.Result result, TestReporter reporter) {
        reporter.publishEntry("ledger", result.toString());
        assertThat(result.good()).as(result.toString()).isTrue();
        assertThat(result.confirmed()).isPositive();
        assertThat(result.settledForSure()).isPositive();
    }
}
