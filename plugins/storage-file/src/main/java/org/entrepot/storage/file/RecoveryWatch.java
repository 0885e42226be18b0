package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import org.entrepot.spi.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a recovery comes upon, in the order of the journal. Used by the recovery's thread.
 */
interface RecoveryWatch {

    /** Something without which a broker must not start; who does not throw goes on with what there is. */
    void refused(String file, String why, @Nullable Throwable cause) throws StorageException;

    /**
     * Segments are missing.
     *
     * @param next the number of the batch that would come next, 0 where that is not known
     */
    default void missing(long firstSegment, long lastSegment, long next) {}

    /** Something that was synced is damaged. */
    default void damaged(Segment segment, String text) {}

    /** A batch that counts; its records come next. */
    default void batch(Segment segment, long number) {}

    /** A record that counts: its place in the segment's bytes. */
    default void record(Segment segment, ByteBuf bytes, int start, int length) {}

    /** A segment was read; the next batch has this number. */
    default void ended(Segment segment, long next) {}

    /** The journal ends in this segment, though more was written behind it that was never completed. */
    default void torn(Segment segment, int at) {}
}
