package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;
import org.jspecify.annotations.Nullable;

/** Writes one table: entries by log, of each log by rising positions. Used by one thread. */
final class TableWriter implements AutoCloseable {
    private static final int BLOCK_BYTES = 1 << 16;
    private static final int WRITE_BYTES = 1 << 18;
    /** Entries of one run; what is done about a run is done at one go on a loop. */
    static final int RUN_POSITIONS_MAX = 1 << 14;
    /** Positions without an entry for which a run goes on. */
    private static final int GAP_MAX = 1 << 10;

    private static final String UNFINISHED = ".unfinished";

    private final Disk disk;
    private final long number;
    private final long store;
    private final DiskFile file;
    private final ByteBuf buffer = Unpooled.buffer(BLOCK_BYTES);
    private final List<TableRun> runs = new ArrayList<>();
    private long writtenBytes;
    private @Nullable RunBeginning run;
    private boolean finished;

    /** A run that is being written. */
    private static final class RunBeginning {
        final long log;
        final boolean lasting;
        final long first;
        long last;
        final LongList gaps = new LongList();
        final LongList positions = new LongList();
        final LongList offsets = new LongList();
        long blockBegan;
        final long began;

        RunBeginning(long log, boolean lasting, long first, long at) {
            this.log = log;
            this.lasting = lasting;
            this.first = first;
            this.last = first;
            this.began = at;
            beginBlock(first, at);
        }

        void beginBlock(long position, long at) {
            positions.add(position);
            offsets.add(at);
            blockBegan = at;
        }
    }

    TableWriter(Disk disk, long number, long store) throws IOException {
        this.disk = disk;
        this.number = number;
        this.store = store;
        String name = Table.name(number) + UNFINISHED;
        disk.delete(name);
        this.file = disk.create(name);
    }

    /** Whether a file is a table that was not finished. */
    static boolean isUnfinished(String name) {
        return name.endsWith(UNFINISHED);
    }

    /** Bytes so far. */
    long bytes() {
        return writtenBytes + buffer.readableBytes();
    }

    /** Adds a message that entries are to refer to; gives its place. */
    long message(ByteBuf encoded) throws IOException {
        // References must not lead into another log's blocks: those are read in one piece.
        endRun();
        long at = bytes();
        int start = Records.begin(buffer, Records.MESSAGE);
        buffer.writeBytes(encoded, encoded.readerIndex(), encoded.readableBytes());
        ended(start);
        return at;
    }

    /**
     * Adds an entry of its kind, with what stands behind the kind in its record. Of a log, those that last come together, and
     * those that do not.
     */
    void entry(long log, boolean lasting, long position, byte kind, ByteBuf content) throws IOException {
        begin(log, lasting, position);
        int start = Records.begin(buffer, kind);
        buffer.writeBytes(content, content.readerIndex(), content.readableBytes());
        ended(start);
    }

    /** Begins a run or a block where that is due. */
    private void begin(long log, boolean lasting, long position) {
        RunBeginning current = run;
        if (current != null
                && (current.log != log
                        || current.lasting != lasting
                        || position - current.first >= RUN_POSITIONS_MAX
                        || position - current.last > GAP_MAX)) {
            endRun();
            current = null;
        }
        if (current == null) {
            run = new RunBeginning(log, lasting, position, bytes());
            return;
        }
        assert position > current.last : position + " after " + current.last;
        if (position > current.last + 1) {
            current.gaps.add(current.last + 1);
            current.gaps.add(position - 1);
        }
        current.last = position;
        if (bytes() - current.blockBegan >= BLOCK_BYTES) {
            current.beginBlock(position, bytes());
        }
    }

    private void endRun() {
        RunBeginning ending = run;
        if (ending != null) {
            ending.offsets.add(bytes());
            runs.add(new TableRun(
                    ending.log,
                    ending.lasting,
                    ending.first,
                    ending.last,
                    ending.gaps,
                    ending.positions,
                    ending.offsets,
                    bytes() - ending.began));
            run = null;
        }
    }

    private void ended(int start) throws IOException {
        Records.end(buffer, start);
        Records.seal(buffer, start, buffer.writerIndex(), number);
        if (buffer.readableBytes() >= WRITE_BYTES) {
            flush();
        }
    }

    private void flush() throws IOException {
        ByteBuffer bytes = buffer.nioBuffer();
        while (bytes.hasRemaining()) {
            writtenBytes += file.write(bytes, writtenBytes);
        }
        buffer.clear();
    }

    /**
     * Writes index and foot, and syncs the file; it is not a table yet.
     *
     * @param firstSegment segments before this one are replaced
     * @param replaced tables that are replaced
     */
    void finish(long firstSegment, LongList replaced) throws IOException {
        endRun();
        flush();
        ByteBuf index = Unpooled.buffer();
        Varints.write(index, firstSegment);
        Table.writeNumbers(index, replaced);
        Varints.write(index, runs.size());
        for (TableRun written : runs) {
            Varints.write(index, written.log());
            index.writeBoolean(written.lasting());
            Varints.write(index, written.first());
            Varints.write(index, written.last() - written.first());
            Table.writeNumbers(index, written.gaps());
            Table.writeNumbers(index, written.positions());
            Table.writeNumbers(index, written.offsets());
            Varints.write(index, written.bytes());
        }
        int length = index.readableBytes();
        buffer.writeBytes(index, index.readerIndex(), length)
                .writeLong(writtenBytes)
                .writeInt(length)
                .writeInt(Table.checksum(index))
                .writeLong(store)
                .writeLong(number)
                .writeLong(Table.MAGIC);
        flush();
        file.sync();
        finished = true;
    }

    /** Gives the file the name of a table: from here on it replaces what it says. */
    Table.Opened install() throws IOException {
        assert finished;
        file.close();
        disk.rename(Table.name(number) + UNFINISHED, Table.name(number));
        disk.sync();
        try {
            return Table.open(disk, number, store, Checksums.EXACT);
        } catch (DamagedException damaged) {
            throw new IOException(Table.name(number) + ", just written, is damaged: " + damaged.getMessage(), damaged);
        }
    }

    /** Ends a table that was not installed. */
    @Override
    public void close() throws IOException {
        file.close();
        disk.delete(Table.name(number) + UNFINISHED);
    }
}
