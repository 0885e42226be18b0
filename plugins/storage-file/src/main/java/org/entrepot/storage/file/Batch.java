package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Records that are written together and are valid together. Guarded by the journal until it is sealed, then the writer's.
 *
 * <p>A batch begins with: magic (4 bytes), CRC32C of the rest of the head (4), store (8), segment (8), the batch's number (8),
 * up to which batch everything was synced when this one was written (8), length of its records (4), their number (4). The
 * next batch begins at the next eighth byte, or at the next page of 4 KiB when this one was synced, or when a start began
 * anew: so that writing never touches a page that was synced.
 */
final class Batch {
    static final int HEAD = 48;
    static final int PAGE = 4096;

    private static final int MAGIC = 0x456e4a31;
    private static final int CRC_AT = 4;
    private static final int STORE_AT = 8;
    private static final int SEGMENT_AT = 16;
    private static final int NUMBER_AT = 24;
    private static final int SYNCED_AT = 32;
    private static final int LENGTH_AT = 40;
    private static final int RECORDS_AT = 44;
    private static final int WORD = 8;

    private final ByteBuf buffer;
    private final Segment segment;
    private final int offset;
    private final long number;
    private int records;
    private boolean wantsSync;
    private @Nullable FileLog[] logs = new FileLog[4];
    private long[] indexes = new long[4];
    private boolean[] synced = new boolean[4];
    private int touched;
    private @Nullable List<FileTransaction> transactions;

    /** A batch that will be written to this place of the segment; the buffer is empty, and its own from here on. */
    Batch(ByteBuf buffer, Segment segment, int offset, long number) {
        this.buffer = buffer;
        this.segment = segment;
        this.offset = offset;
        this.number = number;
        buffer.writeZero(HEAD);
    }

    ByteBuf buffer() {
        return buffer;
    }

    Segment segment() {
        return segment;
    }

    int offset() {
        return offset;
    }

    long number() {
        return number;
    }

    boolean isEmpty() {
        return records == 0;
    }

    boolean wantsSync() {
        return wantsSync;
    }

    /** Whether a record of at most so many bytes has room, in the segment and under the limit for batches. */
    boolean hasRoom(int bytes, int bytesMax) {
        int end = buffer.writerIndex() + bytes;
        return (records == 0 || end <= bytesMax) && (long) offset + end <= segment.size();
    }

    /** A record was added that begins at this index of the buffer; gives its place. */
    long added(int start, boolean sync) {
        records++;
        wantsSync |= sync;
        return Place.of(segment.number(), offset + start);
    }

    /**
     * A log's record of this index is in the batch, and it wants to hear when that is durable.
     *
     * @param whenSynced whether that is when it was synced, not when it was written
     */
    void touch(FileLog log, long index, boolean whenSynced) {
        int slot = log.batchSlot();
        if (slot >= touched || logs[slot] != log) {
            if (touched == logs.length) {
                logs = Arrays.copyOf(logs, touched * 2);
                indexes = Arrays.copyOf(indexes, touched * 2);
                synced = Arrays.copyOf(synced, touched * 2);
            }
            slot = touched++;
            logs[slot] = log;
            synced[slot] = false;
            log.batchSlot(slot);
        }
        indexes[slot] = index;
        synced[slot] |= whenSynced;
    }

    /** A transaction is in the batch, as a whole, and wants to hear when that is durable. */
    void committed(FileTransaction transaction) {
        if (transactions == null) {
            transactions = new ArrayList<>(1);
        }
        transactions.add(transaction);
    }

    List<FileTransaction> transactions() {
        return transactions == null ? List.of() : transactions;
    }

    int touched() {
        return touched;
    }

    FileLog log(int slot) {
        FileLog log = logs[slot];
        assert log != null;
        return log;
    }

    long index(int slot) {
        return indexes[slot];
    }

    boolean isDurableWhenSynced(int slot) {
        return synced[slot];
    }

    /** Where the batch ends in the segment. */
    int end() {
        return offset + buffer.writerIndex();
    }

    /** Makes the bytes complete: head and checksums. */
    void seal(long store, long synced) {
        int end = buffer.writerIndex();
        Records.seal(buffer, HEAD, end, segment.number());
        buffer.setInt(0, MAGIC);
        buffer.setLong(STORE_AT, store);
        buffer.setLong(SEGMENT_AT, segment.number());
        buffer.setLong(NUMBER_AT, number);
        buffer.setLong(SYNCED_AT, synced);
        buffer.setInt(LENGTH_AT, end - HEAD);
        buffer.setInt(RECORDS_AT, records);
        buffer.setInt(CRC_AT, checksum(buffer, 0));
    }

    /**
     * A batch's head as it was found. Immutable.
     *
     * @param number the batch's
     * @param synced everything up to the batch of this number was synced when this one was written
     * @param length bytes of its records
     */
    record Head(long number, long synced, int length, int records) {}

    /** Whether a batch may begin at an index; a quick look, for searches. */
    static boolean mayBegin(ByteBuf in, int at) {
        return in.getInt(at) == MAGIC;
    }

    /** The head at an index of a segment's bytes, or null when there is none of this store and segment. */
    static @Nullable Head head(ByteBuf in, int at, long store, long segment, Checksums checksums) {
        if (in.writerIndex() - at < HEAD
                || in.getInt(at) != MAGIC
                || in.getLong(at + STORE_AT) != store
                || in.getLong(at + SEGMENT_AT) != segment
                || !checksums.agree(checksum(in, at), in.getInt(at + CRC_AT))) {
            return null;
        }
        return new Head(
                in.getLong(at + NUMBER_AT),
                in.getLong(at + SYNCED_AT),
                in.getInt(at + LENGTH_AT),
                in.getInt(at + RECORDS_AT));
    }

    /** The store that the first batch in some bytes says it is of; empty where there is none. */
    static OptionalLong store(ByteBuf in) {
        for (int at = 0; at + HEAD <= in.writerIndex(); at += WORD) {
            if (in.getInt(at) == MAGIC && in.getInt(at + CRC_AT) == checksum(in, at)) {
                return OptionalLong.of(in.getLong(at + STORE_AT));
            }
        }
        return OptionalLong.empty();
    }

    private static int checksum(ByteBuf in, int at) {
        CRC32C crc = new CRC32C();
        crc.update(in.nioBuffer(at + STORE_AT, HEAD - STORE_AT));
        return (int) crc.getValue();
    }

    /** The next offset at which a batch may begin behind one that was not synced. */
    static int align(int offset) {
        return (offset + WORD - 1) & -WORD;
    }

    /** The next offset at which a page begins. */
    static int alignToPage(int offset) {
        return (offset + PAGE - 1) & -PAGE;
    }
}
