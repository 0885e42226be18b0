package org.entrepot.spi.storage;

import io.netty.buffer.ByteBuf;
import org.entrepot.spi.message.Annotations;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * Records in the order in which they were appended. Some are <em>entries</em>, which carry a message and have a position
 * given by the appender, the others are <em>facts</em>, small and in the appender's own encoding. Vendors implement it.
 * Owned by the executor it was opened with.
 *
 * <p>What was appended earlier, to whatever log of the engine, is durable earlier. A message that several logs append is
 * stored once: engines know it by identity. After a crash no record is seen in part.
 *
 * <p>Before anything else {@link #replay} is called, and until it has ended nothing else but {@link #close}.
 */
public interface Log extends AutoCloseable {

    /** Tells what the log holds from before it was opened; called once. */
    void replay(LogReplay replay);

    /**
     * Appends an entry.
     *
     * @param position greater than that of every entry before it
     * @param stamp milliseconds since 1970 at which it came, not less than that of the entry before it
     * @param durable whether it is to be kept through a restart; one that is not may be lost with the process
     * @return the record's index: 1 for the first record since the log was opened, growing by one
     */
    long append(
            long position, long stamp, Message message, Envelope envelope, Annotations annotations, boolean durable);

    /**
     * Appends a fact: the readable bytes, which are copied or dropped before the call returns.
     *
     * @param awaited whether the owner waits for it to be durable; if not it is as soon as an entry after it, or a little
     *     later, and {@link #durableIndex} does not wait for it
     * @return its index
     */
    long append(ByteBuf fact, boolean awaited);

    /**
     * Keeps what its owner makes of everything appended so far: the readable bytes, which are copied or dropped before the
     * call returns. A later replay begins with the newest checkpoint and tells what came after. May be called at any time,
     * and has to be soon after {@link LogListener#checkpointWanted}; but not while something is in a transaction that was
     * neither {@linkplain LogListener#committed committed} nor given up.
     */
    void checkpoint(ByteBuf state);

    /**
     * What is appended from here on counts as durable when it is so safe; without a call, when it is as safe as {@link
     * StorageEngine#durability} says. Engines that know no difference do nothing.
     */
    default void durability(StorageEngine.Durability least) {}

    /** Whether the log has use for facts; where it has not, appending them is allowed and pointless. */
    boolean keepsFacts();

    /**
     * Every record up to this index, apart from facts that nobody awaits, is as durable as it will be; grows before {@link
     * LogListener#durable} tells.
     */
    long durableIndex();

    /**
     * These positions, both included, will not be read again, nor told by a replay; their space may be reused. Lasts as a
     * fact does that is appended at this moment.
     */
    void release(long from, long to);

    /**
     * Appends an entry as a part of a transaction. It has its position and can be read at once, as far as its owner wants to,
     * and it lasts when the transaction is committed; before that other entries may be appended behind it. It has no index:
     * who commits hears when it is durable. Where the transaction is given up, the owner {@linkplain #release(long, long)
     * releases} it.
     */
    void append(
            LogTransaction in,
            long position,
            long stamp,
            Message message,
            Envelope envelope,
            Annotations annotations,
            boolean durable);

    /** Appends a fact as a part of a transaction: the readable bytes, which are copied or dropped before the call returns. */
    void append(LogTransaction in, ByteBuf fact);

    /**
     * Releases these positions, both included, as a part of a transaction: when it is committed and as it lasts. Until then
     * they are there as ever; none of them may be of the same transaction.
     */
    void release(LogTransaction in, long from, long to);

    /**
     * The message at a position, when it is in memory; null when it must be {@linkplain #load loaded}, or is not there.
     * {@link #envelope}, {@link #annotations} and {@link #stamp} answer for the same positions.
     */
    @Nullable Message message(long position);

    Envelope envelope(long position);

    Annotations annotations(long position);

    long stamp(long position);

    /** Brings entries from this position on, about so many bytes, into memory; {@link LogListener#loaded} tells when. */
    void load(long from, int bytes);

    /**
     * Entries at these positions, both included, need not be in memory for now. What the engine cannot load again, because
     * it is nowhere else yet, stays.
     */
    void unload(long from, long to);

    /** Bytes of messages of this log that are in memory. */
    long residentBytes();

    /**
     * Closes the log; what it holds stays for the next opening where it is durable. Not while something is in a transaction
     * that may still be committed, unless the engine ends or the log is deleted.
     */
    @Override
    void close();
}
