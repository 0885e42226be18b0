package org.entrepot.mqtt;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.entrepot.mqtt.wire.PacketException;
import org.entrepot.mqtt.wire.Reason;
import org.entrepot.spi.PluginContext;
import org.entrepot.spi.protocol.LoopTimers;

/** MQTT as one broker serves it: what all its connections share. Any thread may call it. */
final class MqttShared {
    /** The part of the heap that packets may take that are not complete, of all connections together. */
    private static final int HEAP_DIVISOR = 8;

    private final MqttSettings settings;
    private final PluginContext context;
    private final ConcurrentHashMap<String, CompletableFuture<OwnState>> states = new ConcurrentHashMap<>();
    private final LoopTimers timers = new LoopTimers();
    private final ConcurrentHashMap<EventLoop, LoopTools> tools = new ConcurrentHashMap<>();
    private final long incompleteMax = Runtime.getRuntime().maxMemory() / HEAP_DIVISOR;
    private final AtomicLong incomplete = new AtomicLong();

    MqttShared(MqttSettings settings, PluginContext context) {
        this.settings = settings;
        this.context = context;
    }

    MqttSettings settings() {
        return settings;
    }

    /** What the plugin keeps in a virtual host; it is opened when it is first asked for. Completes on any thread. */
    CompletionStage<OwnState> state(String virtualHost) {
        CompletableFuture<OwnState> fresh = new CompletableFuture<>();
        CompletableFuture<OwnState> present = states.putIfAbsent(virtualHost, fresh);
        if (present != null) {
            return present;
        }
        OwnState.open(context.broker(), virtualHost, settings, context.clock()).whenComplete((opened, failure) -> {
            if (failure == null) {
                if (virtualHost.equals(settings.virtualHost()) && settings.systemMillis() > 0) {
                    opened.tellSystemTopics(this::traffic, context.identity());
                }
                fresh.complete(opened);
            } else {
                states.remove(virtualHost, fresh);
                fresh.completeExceptionally(failure);
            }
        });
        return fresh;
    }

    /** Opens what all virtual hosts have. */
    CompletionStage<Void> open() {
        List<CompletableFuture<OwnState>> all = new ArrayList<>();
        for (String virtualHost : context.broker().virtualHosts()) {
            all.add(state(virtualHost).toCompletableFuture());
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }

    LoopTools tools(EventLoop loop) {
        return tools.computeIfAbsent(loop, of -> new LoopTools(timers.of(of)));
    }

    /** What the connections of all loops have done. */
    private Collection<Traffic> traffic() {
        return tools.values().stream().map(LoopTools::traffic).toList();
    }

    /** A connection keeps so many bytes more, or fewer, of packets that are not complete. */
    void incomplete(int bytes) {
        long now = incomplete.addAndGet(bytes);
        if (bytes > 0 && now > incompleteMax) {
            throw new PacketException(
                    Reason.QUOTA_EXCEEDED,
                    "incomplete packets of all connections take more than " + incompleteMax + " bytes");
        }
    }
}
