package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.storage.LogReplay;

/** Hears a replay and keeps nothing. */
final class QuietReplay implements LogReplay {
    @Override
    public void checkpoint(ByteBuf state) {}

    @Override
    public void entry(long position, long stamp, Envelope envelope, int bytes) {}

    @Override
    public void released(long from, long to) {}

    @Override
    public void fact(ByteBuf fact) {}

    @Override
    public void ended(long position) {}

    @Override
    public void failed(String reason) {
        throw new AssertionError(reason);
    }
}
