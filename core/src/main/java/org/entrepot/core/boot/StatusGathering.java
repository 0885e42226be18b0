package org.entrepot.core.boot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.entrepot.core.admin.StatusReport;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.queue.LocalQueue;
import org.entrepot.core.queue.QueueReport;
import org.entrepot.spi.BrokerIdentity;
import org.entrepot.spi.storage.StorageEngine;

/** Asks the rooms how they are, each on its own loop, and makes one report of it. Stateless. */
final class StatusGathering {
    private StatusGathering() {}

    /** May be called by any thread but a loop, for it waits for loops. */
    static StatusReport of(BrokerSetup setup, Rooms rooms) {
        BrokerIdentity identity = setup.identity();
        long age = ProcessAge.millis();
        StorageEngine storage = rooms.storageEngine();
        return new StatusReport(
                identity.product(),
                identity.version(),
                identity.node(),
                ProcessHandle.current().pid(),
                setup.clock().instant().minusMillis(age),
                age,
                storage.name(),
                confirms(storage),
                rooms.boundListeners().stream()
                        .map(bound -> new StatusReport.Listener(bound.name(), bound.where(), bound.tls()))
                        .toList(),
                rooms.connections().count(),
                queues(rooms),
                rooms.alarms().active().stream()
                        .map(alarm -> new StatusReport.Alarm(alarm, "low on " + alarm))
                        .toList(),
                StatusReport.Memory.now());
    }

    private static String confirms(StorageEngine storage) {
        return switch (storage.durability()) {
            case PROCESS -> "memory: nothing survives a restart";
            case OPERATING_SYSTEM -> "written, not synced: what is confirmed survives the process, not the machine";
            case DISK -> "on disk";
        };
    }

    private static List<StatusReport.Queue> queues(Rooms rooms) {
        List<CompletableFuture<QueueReport>> asked = new ArrayList<>();
        for (LocalQueue queue : rooms.queues().all()) {
            Loop home = queue.home();
            asked.add(
                    home == null
                            ? CompletableFuture.completedFuture(QueueReport.unused(queue))
                            : CompletableFuture.supplyAsync(queue::report, home));
        }
        return asked.stream()
                .map(CompletableFuture::join)
                .map(report -> new StatusReport.Queue(
                        report.virtualHost(),
                        report.spec().name(),
                        report.ready(),
                        report.unsettled(),
                        report.consumers()))
                .sorted(Comparator.comparing(StatusReport.Queue::virtualHost).thenComparing(StatusReport.Queue::name))
                .toList();
    }
}
