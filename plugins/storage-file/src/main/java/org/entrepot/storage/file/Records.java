package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The frame of records, in the journal and in tables. Stateless.
 *
 * <p>A record is: the length of kind and content (4 bytes), a CRC32C over the file's seed, kind and content (4), the kind
 * (1), the content. The seed is the number of the segment or table, so that an old record in a recycled file does not pass.
 * Numbers are big-endian, those called varint as {@link Varints} says. Contents:
 *
 * <ul>
 *   <li>{@link #ENTRY}: what {@link EntryCodec} writes, with the message
 *   <li>{@link #REFERENCE}: the same, with the place of the message's record in the same file instead of the message
 *   <li>{@link #MESSAGE}: a message that references of a table refer to
 *   <li>{@link #FACT}: log (varint), the owner's bytes
 *   <li>{@link #CHECKPOINT}: log, what {@link CheckpointCodec} writes
 *   <li>{@link #RELEASE}: log, first position, number of positions less one (varints)
 *   <li>{@link #DELETED}: log
 *   <li>{@link #TRUNCATED}: the number of the oldest segment that is still of use (varint)
 *   <li>{@link #KEPT}: log whose entries in tables count though no checkpoint says so: it was lost, and the store mended
 * </ul>
 */
final class Records {
    static final byte ENTRY = 1;
    static final byte REFERENCE = 2;
    static final byte FACT = 3;
    static final byte CHECKPOINT = 4;
    static final byte RELEASE = 5;
    static final byte DELETED = 6;
    static final byte TRUNCATED = 7;
    static final byte MESSAGE = 8;
    static final byte KEPT = 9;

    /** Bytes before a record's content. */
    static final int HEAD = 9;

    private static final int LENGTH_BYTES = 4;
    private static final int CRC_END = 8;

    private Records() {}

    /** Begins a record at the buffer's writer index; gives that index, for {@link #end}. */
    static int begin(ByteBuf out, byte kind) {
        int start = out.writerIndex();
        out.writeLong(0).writeByte(kind);
        return start;
    }

    /** Ends a record that {@link #begin} began; gives its length with all. */
    static int end(ByteBuf out, int start) {
        out.setInt(start, out.writerIndex() - start - CRC_END);
        return out.writerIndex() - start;
    }

    /** The length, with all, of the record at an index. */
    static int length(ByteBuf in, int start) {
        return in.getInt(start) + CRC_END;
    }

    static byte kind(ByteBuf in, int start) {
        return in.getByte(start + CRC_END);
    }

    /** What stands behind the kind of a record of this length with all. */
    static ByteBuf content(ByteBuf in, int start, int length) {
        return in.slice(start + HEAD, length - HEAD);
    }

    /** Gives every record between two indexes its checksum. */
    static void seal(ByteBuf records, int from, int to, long seed) {
        CRC32C crc = new CRC32C();
        for (int start = from; start < to; start += length(records, start)) {
            records.setInt(start + LENGTH_BYTES, checksum(crc, records, start, length(records, start), seed));
        }
    }

    /** What the bytes at an index say of their record's length, which may be anything. */
    static long longLength(ByteBuf in, int start) {
        return in.getInt(start) + (long) CRC_END;
    }

    /** The checksum that a record at an index was written with. */
    static int writtenChecksum(ByteBuf in, int start) {
        return in.getInt(start + LENGTH_BYTES);
    }

    static int checksum(CRC32C crc, ByteBuf in, int start, int length, long seed) {
        crc.reset();
        for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            crc.update((int) (seed >>> shift));
        }
        ByteBuffer content = in.nioBuffer(start + CRC_END, length - CRC_END);
        crc.update(content);
        return (int) crc.getValue();
    }
}
