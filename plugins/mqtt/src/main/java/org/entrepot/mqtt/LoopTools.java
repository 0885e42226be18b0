package org.entrepot.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.entrepot.mqtt.wire.PublishCursor;
import org.entrepot.spi.protocol.TimerWheel;

/** What the connections of one loop share. Owned by that loop. */
final class LoopTools {
    private static final int KEY_BYTES = 256;

    private final TimerWheel wheel;
    private final PublishCursor cursor = new PublishCursor();
    private final ByteBuf key = Unpooled.buffer(KEY_BYTES);
    private final Matched matched = new Matched();
    private final Traffic traffic = new Traffic();

    LoopTools(TimerWheel wheel) {
        this.wheel = wheel;
    }

    TimerWheel wheel() {
        return wheel;
    }

    PublishCursor cursor() {
        return cursor;
    }

    /** A buffer for routing keys, empty. */
    ByteBuf key() {
        return key.clear();
    }

    Traffic traffic() {
        return traffic;
    }

    Matched matched() {
        return matched;
    }
}
