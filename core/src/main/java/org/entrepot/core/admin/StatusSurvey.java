package org.entrepot.core.admin;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.entrepot.core.listener.Listeners;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.queue.LocalQueue;
import org.entrepot.core.queue.QueueReport;
import org.entrepot.core.queue.Queues;
import org.entrepot.core.session.Alarms;
import org.entrepot.core.session.Connections;
import org.entrepot.spi.BrokerIdentity;
import org.entrepot.spi.storage.StorageEngine;

/** Finds out how the broker is, by asking each loop about what it owns. Immutable; any thread may ask. */
public final class StatusSurvey {
    private final BrokerIdentity identity;
    private final Clock clock;
    private final StorageEngine storage;
    private final Listeners listeners;
    private final Connections connections;
    private final Queues queues;
    private final Alarms alarms;

    public StatusSurvey(
            BrokerIdentity identity,
            Clock clock,
            StorageEngine storage,
            Listeners listeners,
            Connections connections,
            Queues queues,
            Alarms alarms) {
        this.identity = identity;
        this.clock = clock;
        this.storage = storage;
        this.listeners = listeners;
        this.connections = connections;
        this.queues = queues;
        this.alarms = alarms;
    }

    /** Asks; completes on a loop, or at once where there is no queue. */
    public CompletionStage<StatusReport> report() {
        return queues().thenApply(this::report);
    }

    private StatusReport report(List<StatusReport.Queue> reports) {
        long ageMillis = ProcessAge.millis();
        return new StatusReport(
                identity.product(),
                identity.version(),
                identity.node(),
                ProcessHandle.current().pid(),
                clock.instant().minusMillis(ageMillis),
                ageMillis,
                storage.name(),
                meaning(storage.durability()),
                listeners.bound().stream()
                        .map(one -> new StatusReport.Listener(one.name(), one.where(), one.tls()))
                        .toList(),
                connections.count(),
                reports,
                alarms.active().stream()
                        .map(alarm -> new StatusReport.Alarm(alarm.name(), alarm.reason()))
                        .toList(),
                StatusReport.Memory.now());
    }

    /** What a client may take a confirm for. */
    private static String meaning(StorageEngine.Durability durability) {
        return switch (durability) {
            case PROCESS -> "memory: nothing survives a restart";
            case OPERATING_SYSTEM -> "the system's memory: all survives a crash of the broker, not of the machine";
            case DISK -> "disk: what is durable survives a power cut";
        };
    }

    /** One question a loop, however many queues live there; a queue that nobody has used lives nowhere. */
    private CompletionStage<List<StatusReport.Queue>> queues() {
        List<QueueReport> unused = new ArrayList<>();
        Map<Loop, List<LocalQueue>> byLoop = new HashMap<>();
        for (LocalQueue queue : queues.all()) {
            Loop home = queue.home();
            if (home == null) {
                unused.add(QueueReport.unused(queue));
            } else {
                byLoop.computeIfAbsent(home, loop -> new ArrayList<>()).add(queue);
            }
        }
        List<CompletableFuture<List<QueueReport>>> asked = new ArrayList<>();
        byLoop.forEach((loop, living) -> asked.add(CompletableFuture.supplyAsync(
                () -> living.stream().map(LocalQueue::report).toList(), loop)));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(all -> {
            List<QueueReport> reports = new ArrayList<>(unused);
            asked.forEach(answer -> reports.addAll(answer.join()));
            return reports.stream()
                    .map(report -> new StatusReport.Queue(
                            report.virtualHost(),
                            report.spec().name(),
                            report.ready(),
                            report.unsettled(),
                            report.consumers()))
                    .sorted(Comparator.comparing(StatusReport.Queue::virtualHost)
                            .thenComparing(StatusReport.Queue::name))
                    .toList();
        });
    }
}
