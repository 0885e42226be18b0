package org.entrepot.core.storage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.entrepot.spi.storage.LogTransaction;

/**
 * A transaction over logs on the heap, where nothing outlives the process: it only tells the logs when it is committed. Any
 * thread may call it.
 */
final class MemoryTransaction implements LogTransaction {
    private final Map<MemoryLog, List<Released>> logs = new LinkedHashMap<>();

    private record Released(long from, long to) {}

    synchronized void takesPart(MemoryLog log) {
        logs.computeIfAbsent(log, none -> new ArrayList<>(0));
    }

    synchronized void release(MemoryLog log, long from, long to) {
        logs.computeIfAbsent(log, none -> new ArrayList<>(0)).add(new Released(from, to));
    }

    @Override
    public synchronized void commit(Executor owner, Consumer<Boolean> answer) {
        Map<Executor, List<MemoryLog>> byOwner = new HashMap<>();
        for (MemoryLog log : logs.keySet()) {
            byOwner.computeIfAbsent(log.owner(), none -> new ArrayList<>(1)).add(log);
        }
        byOwner.forEach((of, its) -> run(of, () -> its.forEach(this::committed)));
        run(owner, () -> answer.accept(true));
    }

    private void committed(MemoryLog log) {
        for (Released released : releasedFrom(log)) {
            log.release(released.from, released.to);
        }
        log.committed(this);
    }

    private synchronized List<Released> releasedFrom(MemoryLog log) {
        return logs.getOrDefault(log, List.of());
    }

    private static void run(Executor owner, Runnable task) {
        try {
            owner.execute(task);
        } catch (RejectedExecutionException stopped) {
            // The broker stops, and nobody is left to hear it.
        }
    }
}
