package org.entrepot.testkit.storage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.entrepot.spi.storage.LogTransaction;

/** A transaction of {@link ReferenceStorage}: one record that holds all others. Any thread may call it. */
final class ReferenceTransaction implements LogTransaction {
    private final ReferenceStorage storage;
    private final Map<ReferenceLog, List<byte[]>> records = new LinkedHashMap<>();

    ReferenceTransaction(ReferenceStorage storage) {
        this.storage = storage;
    }

    /** A log takes part. */
    synchronized void add(ReferenceLog log) {
        records.computeIfAbsent(log, none -> new ArrayList<>());
    }

    synchronized void add(ReferenceLog log, byte[] record) {
        records.computeIfAbsent(log, none -> new ArrayList<>()).add(record);
    }

    @Override
    public synchronized void commit(Executor owner, Consumer<Boolean> answer) {
        List<byte[]> all = new ArrayList<>();
        records.forEach((log, its) -> {
            if (!log.isDeleted()) {
                all.addAll(its);
            }
        });
        AtomicBoolean answered = new AtomicBoolean();
        Consumer<Boolean> once = lasts -> {
            if (!answered.getAndSet(true)) {
                owner.execute(() -> answer.accept(lasts));
            }
        };
        storage.onFailure(reason -> once.accept(false));
        if (all.isEmpty()) {
            once.accept(true);
        } else if (storage.leavesOut(ReferenceStorage.Flaw.TRANSACTIONS_WRITTEN_IN_PARTS)) {
            for (byte[] record : all.subList(0, all.size() - 1)) {
                storage.write(record, () -> {});
            }
            storage.write(all.get(all.size() - 1), () -> once.accept(true));
        } else {
            storage.write(ReferenceRecords.whole(all), () -> once.accept(true));
        }
        records.keySet().forEach(log -> log.committed(this));
    }
}
