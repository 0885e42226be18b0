package org.entrepot.core.storage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.entrepot.core.storage.KeptRecords.Kept;
import org.entrepot.spi.storage.LogTransaction;

/** A transaction of a {@link KeepingStorage}. Any thread may call it. */
final class KeepingTransaction implements LogTransaction {
    private final boolean lagging;
    private final Map<KeepingLog, List<Kept>> parts = new LinkedHashMap<>();

    KeepingTransaction(boolean lagging) {
        this.lagging = lagging;
    }

    synchronized void add(KeepingLog log, Kept kept) {
        parts.computeIfAbsent(log, none -> new ArrayList<>()).add(kept);
    }

    /** Where durability lags the logs say when it is there, and nobody answers. */
    @Override
    public synchronized void commit(Executor owner, Consumer<Boolean> answer) {
        parts.forEach((log, kept) -> log.commit(this, List.copyOf(kept)));
        if (!lagging) {
            owner.execute(() -> answer.accept(true));
        }
    }
}
