package org.entrepot.amqp.v091;

import io.netty.channel.EventLoop;
import java.util.concurrent.ConcurrentHashMap;

/** The timer wheels of a broker's loops, made as connections come. Any thread may call it. */
final class LoopTimers {
    private final ConcurrentHashMap<EventLoop, TimerWheel> wheels = new ConcurrentHashMap<>();

    /** The wheel of a loop. */
    TimerWheel of(EventLoop loop) {
        return wheels.computeIfAbsent(loop, TimerWheel::new);
    }
}
