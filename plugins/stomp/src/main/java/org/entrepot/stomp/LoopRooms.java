package org.entrepot.stomp;

import io.netty.channel.EventLoop;
import java.util.concurrent.ConcurrentHashMap;
import org.entrepot.spi.protocol.TimerWheel;

/** What the connections of each loop share, made as connections come. Any thread may call it. */
final class LoopRooms {

    /** As much as a socket is read in one go. */
    private static final int WINDOW_BYTES = 64 << 10;

    private final ConcurrentHashMap<EventLoop, LoopRoom> rooms = new ConcurrentHashMap<>();

    /**
     * What the connections of one loop share. Owned by that loop.
     *
     * @param timers their deadlines
     * @param window what they look at their input in, one after the other
     */
    @SuppressWarnings("ArrayRecordComponent") // it is a place, not a value
    record LoopRoom(TimerWheel timers, byte[] window) {}

    /** The room of a loop. */
    LoopRoom of(EventLoop loop) {
        return rooms.computeIfAbsent(loop, each -> new LoopRoom(new TimerWheel(each), new byte[WINDOW_BYTES]));
    }
}
