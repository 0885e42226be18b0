package org.entrepot.spi.protocol;

import io.netty.channel.EventLoop;
import java.util.concurrent.ConcurrentHashMap;

/** The timer wheels of a protocol's loops, made as connections come. Vendors make one for each protocol. Any thread may call it. */
public final class LoopTimers {
    private final ConcurrentHashMap<EventLoop, TimerWheel> wheels = new ConcurrentHashMap<>();

    /** Timers of no loop yet. */
    public LoopTimers() {}

    /** The wheel of a loop. */
    public TimerWheel of(EventLoop loop) {
        return wheels.computeIfAbsent(loop, TimerWheel::new);
    }
}
