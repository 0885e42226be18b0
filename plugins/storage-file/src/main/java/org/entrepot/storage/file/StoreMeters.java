package org.entrepot.storage.file;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What the engine counts for operators. Any thread may call it. */
final class StoreMeters {
    private final MeterRegistry registry;
    private final DistributionSummary batchBytes;
    private final Timer syncs;
    private final Counter compactedBytes;
    private final Counter loadedEntries;
    private final Counter loads;

    StoreMeters(MeterRegistry registry) {
        this.registry = registry;
        this.batchBytes = DistributionSummary.builder("entrepot.store.batch.bytes")
                .description("Bytes of batches written to the journal")
                .register(registry);
        this.syncs = Timer.builder("entrepot.store.sync")
                .description("Syncs of the journal")
                .publishPercentileHistogram()
                .register(registry);
        this.compactedBytes = Counter.builder("entrepot.store.compacted.bytes")
                .description("Bytes moved to tables")
                .register(registry);
        this.loadedEntries = Counter.builder("entrepot.store.load.entries")
                .description("Entries brought back into memory")
                .register(registry);
        this.loads = Counter.builder("entrepot.store.loads")
                .description("Times that entries were brought back into memory")
                .register(registry);
    }

    void gauge(String name, String description, Supplier<Number> value) {
        Gauge.builder("entrepot.store." + name, value).description(description).register(registry);
    }

    void wrote(long bytes) {
        batchBytes.record((double) bytes);
    }

    void synced(long nanos) {
        syncs.record(nanos, TimeUnit.NANOSECONDS);
    }

    void compacted(long bytes) {
        compactedBytes.increment((double) bytes);
    }

    void loaded(int entries) {
        loads.increment();
        loadedEntries.increment(entries);
    }
}
