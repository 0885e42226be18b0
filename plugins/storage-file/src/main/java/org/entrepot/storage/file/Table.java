package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;

/**
 * A file of entries sorted by log and position, written once and read by anybody who {@linkplain #acquire holds} it. What it
 * counts may be changed by any thread.
 *
 * <p>A table is: blocks of records, shared messages among them; the index; the foot: where the index begins (8 bytes), its
 * length (4), its CRC32C (4), store (8), the table's number (8), magic (8). The index is, in varints: the first segment that
 * is not replaced, the number of replaced tables and their numbers, the number of runs; of each run log, whether it
 * lasts through a restart (1 byte), first and last position, number of gaps and gaps, number of blocks, their first positions and offsets, where the last ends, bytes.
 */
final class Table {
    static final int FOOT = 40;
    static final long MAGIC = 0x456e7461626c6531L;

    private static final NumberedFiles FILES = new NumberedFiles("table");

    private final long number;
    private final long firstSegment;
    private final long bytes;
    private final long records;
    private final List<TableRun> runs;
    private final DiskFile file;
    private final AtomicLong live = new AtomicLong();
    private volatile boolean damaged;
    private int holders = 1;

    private Table(long number, long firstSegment, long bytes, List<TableRun> runs, DiskFile file) {
        this.number = number;
        this.firstSegment = firstSegment;
        this.bytes = bytes;
        this.runs = runs;
        this.file = file;
        long count = 0;
        for (TableRun run : runs) {
            count += run.entries();
        }
        this.records = count;
    }

    static String name(long number) {
        return FILES.name(number);
    }

    /** The number of the table that a file is, or -1 when it is none. */
    static long number(String name) {
        return FILES.number(name);
    }

    /**
     * A table that was opened.
     *
     * @param replaced the numbers of tables that it replaces
     * @param recordsEnd where the last record ends
     */
    record Opened(Table table, LongList replaced, long recordsEnd) {}

    static Opened open(Disk disk, long number, long store, Checksums checksums) throws IOException, DamagedException {
        DiskFile file = disk.open(name(number));
        boolean opened = false;
        try {
            Opened table = open(file, number, store, checksums);
            opened = true;
            return table;
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    private static Opened open(DiskFile file, long number, long store, Checksums checksums)
            throws IOException, DamagedException {
        long size = file.size();
        if (size < FOOT) {
            throw new DamagedException("it ends too early");
        }
        ByteBuf foot = read(file, size - FOOT, FOOT);
        long indexAt = foot.readLong();
        int length = foot.readInt();
        int crc = foot.readInt();
        if (foot.readLong() != store || foot.readLong() != number || foot.readLong() != MAGIC) {
            throw new DamagedException("its end is not that of a table of this store");
        }
        if (indexAt < 0 || length < 0 || indexAt + length != size - FOOT) {
            throw new DamagedException("its index is not where its end says");
        }
        ByteBuf index = read(file, indexAt, length);
        if (!checksums.agree(checksum(index), crc)) {
            throw new DamagedException("the checksum of its index is wrong");
        }
        return readIndex(file, number, size, index);
    }

    /** The store that a table says it is of; empty where its end cannot be read. */
    static OptionalLong store(DiskFile file) throws IOException, DamagedException {
        long size = file.size();
        if (size < FOOT) {
            return OptionalLong.empty();
        }
        ByteBuf foot = read(file, size - FOOT, FOOT);
        return foot.getLong(FOOT - Long.BYTES) == MAGIC
                ? OptionalLong.of(foot.getLong(FOOT - 3 * Long.BYTES))
                : OptionalLong.empty();
    }

    private static Opened readIndex(DiskFile file, long number, long size, ByteBuf index) throws DamagedException {
        long recordsEnd = size - FOOT - index.readableBytes();
        long firstSegment = Varints.read(index);
        LongList replaced = readNumbers(index);
        int count = (int) Varints.read(index);
        List<TableRun> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long log = Varints.read(index);
            boolean lasting = index.readBoolean();
            long first = Varints.read(index);
            long last = first + Varints.read(index);
            runs.add(new TableRun(
                    log,
                    lasting,
                    first,
                    last,
                    readNumbers(index),
                    readNumbers(index),
                    readNumbers(index),
                    Varints.read(index)));
        }
        return new Opened(new Table(number, firstSegment, size, List.copyOf(runs), file), replaced, recordsEnd);
    }

    private static LongList readNumbers(ByteBuf in) throws DamagedException {
        int count = Varints.readLength(in);
        LongList numbers = new LongList();
        long last = 0;
        for (int i = 0; i < count; i++) {
            last += Varints.read(in);
            numbers.add(last);
        }
        return numbers;
    }

    /** Writes numbers that rise. */
    static void writeNumbers(ByteBuf out, LongList numbers) {
        Varints.write(out, numbers.size());
        long last = 0;
        for (int i = 0; i < numbers.size(); i++) {
            Varints.write(out, numbers.get(i) - last);
            last = numbers.get(i);
        }
    }

    static int checksum(ByteBuf index) {
        CRC32C crc = new CRC32C();
        crc.update(index.nioBuffer());
        return (int) crc.getValue();
    }

    /** Reads bytes of a file, all of them. */
    static ByteBuf read(DiskFile file, long at, int length) throws IOException, DamagedException {
        byte[] bytes = new byte[length];
        ByteBuffer target = ByteBuffer.wrap(bytes);
        while (target.hasRemaining()) {
            int read = file.read(target, at + target.position());
            if (read < 0) {
                throw new DamagedException("the file ends at " + (at + target.position()));
            }
        }
        return Unpooled.wrappedBuffer(bytes);
    }

    long number() {
        return number;
    }

    /** Segments before this one are replaced by the table, or by tables that it replaces. */
    long firstSegment() {
        return firstSegment;
    }

    /** The size of the file. */
    long bytes() {
        return bytes;
    }

    List<TableRun> runs() {
        return runs;
    }

    /** Entries that are in their logs from now on. */
    void added(long entries) {
        live.addAndGet(entries);
    }

    void removed(long entries) {
        live.addAndGet(-entries);
    }

    long liveEntries() {
        return live.get();
    }

    /** Bytes of entries that are in their logs, as far as their number tells. */
    long liveBytes() {
        return records == 0 ? 0 : (long) ((double) bytes * live.get() / records);
    }

    ByteBuf read(long at, int length) throws IOException, DamagedException {
        return read(file, at, length);
    }

    /** Something in it cannot be read: the file is to be kept for who wants to look at it. */
    void damaged() {
        damaged = true;
    }

    boolean isDamaged() {
        return damaged;
    }

    synchronized boolean acquire() {
        if (holders == 0) {
            return false;
        }
        holders++;
        return true;
    }

    /** Lets go; the last who does closes the file. */
    void release() throws IOException {
        synchronized (this) {
            if (--holders > 0) {
                return;
            }
        }
        file.close();
    }

    @Override
    public String toString() {
        return name(number);
    }
}
