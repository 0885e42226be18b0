package org.entrepot.core.listener;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** What is counted for one listener. Written by any loop. */
final class ListenerMeters {
    static final String OPEN = "entrepot.listener.connections";
    static final String ACCEPTED = "entrepot.listener.connections.accepted";
    static final String REFUSED = "entrepot.listener.connections.refused";

    private final AtomicInteger open = new AtomicInteger();
    private final Counter accepted;
    private final Map<Refusal, Counter> refused = new EnumMap<>(Refusal.class);

    ListenerMeters(MeterRegistry registry, String listener, String protocol) {
        Gauge.builder(OPEN, open, AtomicInteger::get)
                .description("Connections that are open")
                .tag("listener", listener)
                .tag("protocol", protocol)
                .strongReference(true)
                .register(registry);
        accepted = Counter.builder(ACCEPTED)
                .description("Connections that were handed to their protocol")
                .tag("listener", listener)
                .tag("protocol", protocol)
                .register(registry);
        for (Refusal reason : Refusal.values()) {
            refused.put(
                    reason,
                    Counter.builder(REFUSED)
                            .description("Connections that were closed before a protocol got them")
                            .tag("listener", listener)
                            .tag("protocol", protocol)
                            .tag("reason", reason.tag())
                            .register(registry));
        }
    }

    void opened() {
        open.incrementAndGet();
        accepted.increment();
    }

    void closed() {
        open.decrementAndGet();
    }

    void refused(Refusal reason) {
        Objects.requireNonNull(refused.get(reason)).increment();
    }
}
