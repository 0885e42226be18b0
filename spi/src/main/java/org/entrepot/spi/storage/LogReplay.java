package org.entrepot.spi.storage;

import io.netty.buffer.ByteBuf;
import org.entrepot.spi.message.Envelope;

/**
 * Hears what a log holds from before it was opened: {@link #checkpoint}, if there is one, then everything since, then
 * {@link #ended} or {@link #failed}. Called on the log's owner, in as many turns as it takes.
 *
 * <p>Entries come by rising positions and before all facts, facts in their order. Of entries that were released since,
 * nothing is told but {@link #released}.
 */
public interface LogReplay {

    /** The newest checkpoint: what the owner gave to {@link Log#checkpoint}. Valid until the call returns. */
    void checkpoint(ByteBuf state);

    /**
     * An entry that was appended after the checkpoint.
     *
     * @param bytes of its message's body
     */
    void entry(long position, long stamp, Envelope envelope, int bytes);

    /** These positions, both included, were released after the checkpoint; some of them may never have been there. */
    void released(long from, long to);

    /** A fact that was appended after the checkpoint. Valid until the call returns. */
    void fact(ByteBuf fact);

    /**
     * Everything was told, and the log may be appended to.
     *
     * @param position greater than that of every lasting entry there ever was; 0 for a log that was always empty
     */
    void ended(long position);

    /** The log cannot be read and must not be used. */
    void failed(String reason);
}
