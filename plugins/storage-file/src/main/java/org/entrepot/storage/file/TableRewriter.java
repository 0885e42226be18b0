package org.entrepot.storage.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import org.entrepot.spi.storage.Disk;
import org.entrepot.spi.storage.DiskFile;

/** Writes a table anew from what can be read of it. Used once, by one thread. */
final class TableRewriter implements TableScan.Visitor {
    private final TableWriter writer;
    /** Where messages were that entries refer to, and where they are. */
    private final LongList before = new LongList();

    private final LongList after = new LongList();
    private long entries;
    private long dropped;

    private TableRewriter(TableWriter writer) {
        this.writer = writer;
    }

    /**
     * What became of it.
     *
     * @param entries those that could be read
     * @param dropped those that could, but not the message they refer to
     */
    record Result(long entries, long dropped) {}

    /** Gets the table's new file, complete but under another name. */
    interface Installing {
        void install(TableWriter writer, Result result) throws IOException;
    }

    static Result rewrite(Disk disk, long number, long store, Installing installing) throws IOException {
        long firstSegment = 0;
        LongList replaced = new LongList();
        long end;
        try (DiskFile file = disk.open(Table.name(number))) {
            end = file.size();
        }
        try {
            Table.Opened opened = Table.open(disk, number, store, Checksums.EXACT);
            firstSegment = opened.table().firstSegment();
            replaced = opened.replaced();
            end = opened.recordsEnd();
            opened.table().release();
        } catch (DamagedException withoutIndex) {
            // Then nobody knows what it stood for; the journal says where it begins itself.
            firstSegment = 0;
        }
        try (TableWriter writer = new TableWriter(disk, number, store);
                DiskFile file = disk.open(Table.name(number))) {
            TableRewriter rewriter = new TableRewriter(writer);
            new TableScan(file, number, end).run(rewriter);
            writer.finish(firstSegment, replaced);
            Result result = new Result(rewriter.entries, rewriter.dropped);
            installing.install(writer, result);
            return result;
        }
    }

    @Override
    public void message(long at, ByteBuf content) throws IOException {
        before.add(at);
        after.add(writer.message(content));
    }

    @Override
    public void entry(long at, byte kind, EntryCodec.Head head, ByteBuf content) throws IOException, DamagedException {
        if (kind != Records.REFERENCE) {
            write(kind, head, content.readerIndex(0));
            return;
        }
        int headLength = content.readerIndex();
        int message = before.indexOf(Varints.read(content));
        int bodyBytes = (int) Varints.read(content);
        if (message < 0) {
            dropped++;
            return;
        }
        ByteBuf reference = Unpooled.buffer(headLength + 2 * Varints.BYTES_MAX);
        reference.writeBytes(content, 0, headLength);
        EntryCodec.writeReference(reference, after.get(message), bodyBytes);
        write(kind, head, reference);
    }

    private void write(byte kind, EntryCodec.Head head, ByteBuf content) throws IOException {
        writer.entry(head.log(), head.lasting(), head.position(), kind, content);
        entries++;
    }

    @Override
    public void damaged(long from, long to, String why) {
        // That is why the table is written anew.
    }
}
